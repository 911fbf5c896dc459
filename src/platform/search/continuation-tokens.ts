// Signed tokens for the next page of a search: they hold its end and its query.

import { type FoveaError, invalidArgument } from '../../errors.ts';
import type { After } from '../../query-language/query-syntax-tree.ts';
import type { SigningKey } from '../signed-links/signing-key.ts';

/** What a token belongs to: it goes on with the same question of the same workspace alone. */
export interface Question {
  readonly workspaceId: string;
  readonly query: string;
}

export function makeToken(key: SigningKey, question: Question, { value, ordinal }: After): string {
  const place = Buffer.from(JSON.stringify([value, ordinal])).toString('base64url');
  return `${place}.${key.sign('continuation', valuesOf(question, place))}`;
}

/** Throws `invalid_input` for a forged token, or one of another query. */
export function readToken(key: SigningKey, question: Question, token: string): After {
  const [place = '', signature = ''] = token.split('.');
  if (!key.isSigned('continuation', valuesOf(question, place), signature)) throw foreignToken();
  const parsed: unknown = JSON.parse(Buffer.from(place, 'base64url').toString());
  if (!Array.isArray(parsed)) throw foreignToken();
  const [value, ordinal]: readonly unknown[] = parsed;
  if (typeof ordinal !== 'number') throw foreignToken();
  if (typeof value !== 'string' && typeof value !== 'number') throw foreignToken();
  return { value, ordinal };
}

function valuesOf({ workspaceId, query }: Question, place: string): readonly string[] {
  return [workspaceId, query, place];
}

function foreignToken(): FoveaError {
  return invalidArgument(
    'continuationToken',
    'does not belong to this query',
    'Send the query of the page before, unchanged, with the token that came with it.',
  );
}
