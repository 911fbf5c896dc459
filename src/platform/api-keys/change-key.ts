// Changes of API keys, and who may make them: a caller grants only what it has itself.

import { FoveaError, invalidArgument, invalidInput } from '../../errors.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { ApiKey } from '../store/api-keys.ts';
import { chooseScopes, isWithin } from './granted-scopes.ts';

/** What a PATCH may carry; what is left out stays. */
export interface KeyChange {
  readonly name?: string | undefined;
  readonly scopes?: readonly string[] | null | undefined;
  readonly customMetadata?: object | undefined;
  readonly protected?: boolean | undefined;
  readonly disabled?: boolean | undefined;
}

/**
 * The key with the change. Throws `invalid_input` where nothing is said, `forbidden` for what the
 * caller may not give, and `conflict` for what a protected key does not suffer.
 */
export function changeKey(key: ApiKey, change: KeyChange, caller: Principal): ApiKey {
  const { name = key.name, customMetadata = key.customMetadata } = change;
  if (!says(change)) {
    const message = 'nothing to change: give name, scopes, customMetadata, protected or disabled';
    throw invalidInput([{ path: '', message }]);
  }
  if (change.protected === false) {
    throw new FoveaError('forbidden', 'Protection cannot be taken away.', {
      hint: 'scopes: [] leaves a protected key without any use.',
    });
  }
  if (change.protected === true && change.disabled === true) {
    throw invalidArgument('disabled', 'a key cannot be disabled and protected at once');
  }
  if (change.protected && !key.isProtected) requireProtector(caller);
  if (change.disabled && !key.isDisabled) refuseWhereProtected(key, 'disable');
  if (change.disabled === false && key.isDisabled) requireNoMoreScopes(caller, key, 'enable');
  return {
    ...key,
    name,
    customMetadata,
    scopes: change.scopes === undefined ? key.scopes : newScopes(key, change.scopes, caller),
    isProtected: change.protected ?? key.isProtected,
    isDisabled: change.disabled ?? key.isDisabled,
  };
}

function says({ name, scopes, customMetadata, protected: isProtected, disabled }: KeyChange) {
  return [name, scopes, customMetadata, isProtected, disabled].some((value) => value !== undefined);
}

function newScopes(
  key: ApiKey,
  asked: readonly string[] | null,
  caller: Principal,
): readonly string[] | undefined {
  if (key.isProtected && caller.scopes !== undefined) {
    throw new FoveaError(
      'forbidden',
      'Only a credential with full access changes the scopes of a protected key.',
    );
  }
  return chooseScopes(asked, caller.scopes);
}

/** Throws `conflict` for a protected key (facts: it is neither disabled nor revoked). */
export function refuseWhereProtected({ isProtected }: ApiKey, verb: string): void {
  if (!isProtected) return;
  throw new FoveaError('conflict', `This API key is protected: nobody can ${verb} it.`, {
    hint: 'scopes: [] leaves it without any use.',
  });
}

/** Throws `forbidden` for a key with more scopes than the caller: no privilege escalation. */
export function requireNoMoreScopes(caller: Principal, { scopes }: ApiKey, verb: string): void {
  if (isWithin(scopes, caller.scopes)) return;
  throw new FoveaError('forbidden', `The caller may not ${verb} a key that may do more than it.`, {
    hint: 'Use a credential that has all scopes of that key.',
  });
}

/** Throws `forbidden` unless the caller has full access: a stolen key must not protect itself. */
export function requireProtector({ scopes }: Principal): void {
  if (scopes === undefined) return;
  throw new FoveaError('forbidden', 'Only a credential with full access protects a key.');
}
