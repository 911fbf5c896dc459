// Serializes tokens for a store of secrets.

import { FoveaError } from '../errors.ts';
import { Secret } from '../secret.ts';
import type { Binding, Stored } from './token-store.ts';

/** Only for a SecretStore: it reveals the tokens. */
export function writeRecord(binding: Binding, { tokens, revision, signInId }: Stored): Secret {
  const { accessToken, refreshToken, ...rest } = tokens;
  return new Secret(
    JSON.stringify({
      version,
      binding: nameOf(binding),
      revision,
      signInId,
      tokens: {
        ...rest,
        accessToken: accessToken.reveal(),
        refreshToken: refreshToken?.reveal(),
      },
    }),
  );
}

/**
 * Throws `internal` for an invalid record, and for the record of another binding: write access to
 * the files must not redirect the tokens of one issuer to another.
 */
export function readRecord(binding: Binding, kept: Secret): Stored {
  const { version: found, binding: name, revision, signInId, tokens } = members(parsed(kept));
  if (found !== version || name !== nameOf(binding)) throw damagedTokens();
  const given = members(tokens);
  const refreshToken = optionalText(given.refreshToken);
  return {
    revision: text(revision),
    signInId: text(signInId),
    tokens: {
      issuer: text(given.issuer),
      clientId: text(given.clientId),
      accessToken: new Secret(text(given.accessToken)),
      refreshToken: refreshToken === undefined ? undefined : new Secret(refreshToken),
      expiresAt: typeof given.expiresAt === 'number' ? given.expiresAt : undefined,
      scopes: texts(given.scopes),
      workspaceUrl: optionalText(given.workspaceUrl),
      subject: optionalText(given.subject),
      obtainedAt: typeof given.obtainedAt === 'number' ? given.obtainedAt : 0,
      ended: given.ended === 'invalid_grant' ? given.ended : undefined,
    },
  };
}

const version = 1;

function nameOf({ profile, issuer, clientId, service }: Binding): string {
  return JSON.stringify([profile, issuer, clientId, service]);
}

export function damagedTokens(): FoveaError {
  return new FoveaError('internal', 'The tokens that were kept here are damaged or gone.', {
    hint: 'Run fovea sign-out, then sign in again.',
  });
}

function parsed(kept: Secret): unknown {
  try {
    return JSON.parse(kept.reveal());
  } catch {
    throw damagedTokens();
  }
}

function members(value: unknown): Partial<Record<string, unknown>> {
  if (typeof value !== 'object' || value === null) throw damagedTokens();
  return { ...value };
}

function text(value: unknown): string {
  if (typeof value === 'string' && value !== '') return value;
  throw damagedTokens();
}

function optionalText(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}

function texts(value: unknown): readonly string[] {
  if (!Array.isArray(value)) throw damagedTokens();
  return value.map(text);
}
