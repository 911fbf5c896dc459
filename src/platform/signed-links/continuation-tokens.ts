// Signed tokens for the next page: they hold the end of a page, and its query.

import { type FoveaError, invalidArgument } from '../../errors.ts';
import type { After } from '../../query-language/query-syntax-tree.ts';
import type { SigningKey } from './signing-key.ts';

/** What a token belongs to: it goes on with the same question of the same workspace alone. */
export interface Question {
  readonly workspaceId: string;
  readonly query: string;
}

export function makeToken(key: SigningKey, question: Question, { value, ordinal }: After): string {
  const place = Buffer.from(JSON.stringify([value, ordinal])).toString('base64url');
  return `${place}.${key.sign('continuation', valuesOf(question, place))}`;
}

/** Throws `invalid_input`, naming the argument, for a forged token, or one of another query. */
export function readToken(
  key: SigningKey,
  question: Question,
  token: string,
  argument = 'continuationToken',
): After {
  const foreignToken = () => refusal(argument);
  const [place = '', ...signature] = token.split('.');
  if (!key.isSigned('continuation', valuesOf(question, place), signature.join('.')))
    throw foreignToken();
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

function refusal(argument: string): FoveaError {
  return invalidArgument(
    argument,
    'does not belong to this query',
    'Send the query of the page before, unchanged, with the token that came with it.',
  );
}
