// What a check of the platform is given, and which profile it needs. To add one: a row in the
// family's file in `checks/`, made of the steps in `steps.ts`, which names the numbers of
// `docs/spec/api.md` that it proves. It speaks HTTP alone, makes its own project, and can fail.

import type { Check as CheckOf } from '../../conformance/check.ts';
import type { StatementNumber } from '../../conformance/statements.ts';
import type { Client } from './client.ts';
import type { ProfileName } from './profiles.ts';

/** A person who may sign in, and an application through which. */
export interface SignIn {
  readonly clientId: string;
  readonly clientSecret: string;
  readonly redirectUri: string;
  readonly email: string;
  readonly password: string;
  /** Another application with the same redirect URI, which authenticates by Basic. */
  readonly basic: { readonly clientId: string; readonly clientSecret: string } | undefined;
}

export interface Context {
  /** With the key of the workspace. */
  readonly client: Client;
  /** Without a credential. */
  readonly stranger: Client;
  readonly key: string;
  /** Slug of the key's workspace. */
  readonly workspace: string;
  /** A caller with another credential. */
  clientWith(credential: string): Client;
  /** Of another workspace; profile `other`. */
  readonly other: Client | undefined;
  /** An access token with workspace:read and project:read; profile `tokens`. */
  readonly token: string | undefined;
  /** Profile `sign-in`. */
  readonly signIn: SignIn | undefined;
  /** An access token whose hour is over; profile `expired`. */
  readonly expiredToken: string | undefined;
  /** The data folder of the service, on this machine; profile `applications`. */
  readonly data: string | undefined;
  /** Slugs of the projects of this run; they are trashed when it ends. */
  readonly projects: Set<string>;
}

export type Check = CheckOf<Context>;

/** The checks of one family. Those of `default` need nothing but a key. */
export type FamilyChecks = Readonly<Partial<Record<ProfileName, readonly Check[]>>>;

/** A check under its name, with the statements that it proves. */
export function check(
  name: string,
  proves: readonly StatementNumber[],
  run: (context: Context) => Promise<void>,
): Check {
  return { name, proves, run };
}
