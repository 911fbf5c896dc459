// People who may sign in: who they are, which workspaces are theirs, and whether it is them.

import { randomBytes } from 'node:crypto';
import { FoveaError, invalidInput, type Problem } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { hashPassword, isPassword } from './passwords.ts';
import type { Account, PeopleStore } from './store/people-store.ts';
import { displayNameProblem, emailAddressProblem, slugProblem } from './text-rules.ts';

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly workspaces: readonly string[];
  readonly password: Secret;
}

export interface Accounts {
  /** Throws `invalid_input` for what cannot be, `conflict` where name or email is taken. */
  add(account: NewAccount): Promise<Account>;
  /** Throws `invalid_input` and `conflict` as `add` does; for asking before a password is typed. */
  check(account: Omit<NewAccount, 'password'>): void;
  isEmpty(): boolean;
  /** By name. */
  list(): readonly Account[];
  find(id: string): Account | undefined;
  /** By name or email, in any spelling of upper and lower case. */
  findByName(nameOrEmail: string): Account | undefined;
  /** As what attempts to sign in are counted: the same for the name and the email of an account. */
  attemptKey(nameOrEmail: string): string;
  /**
   * By name or email, in any spelling of upper and lower case; false: there is none. Its tokens
   * end with it, since whoever checks a token looks for its account.
   */
  remove(nameOrEmail: string): boolean;
  /**
   * Signs all browsers out, but for one session of the settings pages, and with `programs` all
   * programs too. Throws `invalid_input` for a password that is too short or too long.
   */
  changePassword(
    id: string,
    password: Secret,
    ends: { readonly programs: boolean; readonly butSession?: Secret },
  ): Promise<void>;
  /** The account with this password; undefined otherwise, after the same time for any reason. */
  authenticate(
    nameOrEmail: string,
    password: Secret,
    network?: string,
  ): Promise<Account | undefined>;
}

export function createAccounts(store: PeopleStore, now: () => number): Accounts {
  const checked = (given: Omit<NewAccount, 'password'>) => {
    const account = readAccount(given);
    const taken = store.accountByKey(account.nameKey) ?? store.accountByKey(account.emailKey);
    if (taken !== undefined) throw accountTaken();
    return account;
  };
  return {
    add: async (given) => {
      const account = checked(given);
      const password = await hashPassword(given.password);
      const id = `fvu_${randomBytes(16).toString('base64url')}`;
      const row = { ...account, id, password, created: now() };
      if (!store.addAccount(row)) throw accountTaken();
      const { name, email, workspaces, created } = row;
      return { id, name, email, workspaces, created };
    },
    check: (given) => void checked(given),
    isEmpty: () => !store.hasAccounts(),
    list: () => store.accounts(),
    find: (id) => store.account(id),
    remove: (nameOrEmail) => {
      const found = store.accountByKey(keyOf(nameOrEmail));
      return found !== undefined && store.removeAccount(found.id);
    },
    findByName: (nameOrEmail) => {
      const found = store.accountByKey(keyOf(nameOrEmail));
      return found && store.account(found.id);
    },
    attemptKey: (nameOrEmail) => {
      const key = keyOf(nameOrEmail);
      return store.accountByKey(key)?.nameKey ?? key;
    },
    changePassword: async (id, password, { programs, butSession }) => {
      const keptSession = butSession?.hash();
      store.setPassword(id, await hashPassword(password), { programs, keptSession });
    },
    authenticate: async (nameOrEmail, password, network = '') => {
      const found = store.accountByKey(keyOf(nameOrEmail));
      const isRight = await isPassword(found?.password, password, network);
      return isRight && found !== undefined ? store.account(found.id) : undefined;
    },
  };
}

/** How a name or an email is compared. */
function keyOf(nameOrEmail: string): string {
  return nameOrEmail.trim().normalize('NFKC').toLowerCase();
}

/** OpenID Connect Core section 5.1. Nobody asked the mail address whether it is theirs. */
export function claimsOf(account: Account) {
  const { id, name, email } = account;
  return { sub: id, name, email, email_verified: false };
}

function readAccount(given: Omit<NewAccount, 'password'>) {
  const name = given.name.trim().normalize('NFC');
  const email = given.email.trim();
  const workspaces = [...new Set(given.workspaces)];
  // A name with an "@" could be the email of somebody else.
  const wrongName =
    displayNameProblem(name) ?? (name.includes('@') ? 'must have no "@"' : undefined);
  const found: readonly (readonly [string, string | undefined])[] = [
    ['name', wrongName],
    ['email', emailAddressProblem(email)],
    ...workspaces.map((workspace) => ['workspace', slugProblem(workspace)] as const),
  ];
  const problems: Problem[] = found.flatMap(([path, message]) =>
    message === undefined ? [] : [{ path, message }],
  );
  if (problems.length > 0) throw invalidInput(problems);
  return { name, nameKey: keyOf(name), email, emailKey: keyOf(email), workspaces };
}

function accountTaken(): FoveaError {
  return new FoveaError('conflict', 'There is an account of that name or email already.', {
    hint: 'Choose another name, or remove that account first.',
  });
}
