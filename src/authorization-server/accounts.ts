// Accounts of people who may sign in: their names, workspaces and passwords.

import { randomBytes } from 'node:crypto';
import { FoveaError, invalidInput, type Problem } from '../errors.ts';
import type { Secret } from '../secret.ts';
import { emailAddressProblem, personNameProblem, slugProblem } from './name-validation.ts';
import { hashPassword, verifyPassword } from './password-hash.ts';
import type { Account, AccountStore } from './store/account-store.ts';

export interface NewAccount {
  readonly name: string;
  readonly email: string;
  readonly workspaces: readonly string[];
  readonly password: Secret;
}

export interface Credentials {
  readonly nameOrEmail: string;
  readonly password: Secret;
  /** Where they come from, for fairness between networks. */
  readonly network: string;
}

export interface Accounts {
  /** Throws `invalid_input` for invalid values, `conflict` where name or email is taken. */
  add(account: NewAccount): Promise<Account>;
  /** Throws as `add` does: lets a command check the values before it asks for a password. */
  check(account: Omit<NewAccount, 'password'>): Promise<void>;
  isEmpty(): Promise<boolean>;
  /** Sorted by name. */
  list(): Promise<readonly Account[]>;
  find(id: string): Promise<Account | undefined>;
  /** By name or email, case-insensitive. */
  findByName(nameOrEmail: string): Promise<Account | undefined>;
  /** The key under which sign-in attempts count: the same for an account's name and email. */
  throttleKey(nameOrEmail: string): Promise<string>;
  /**
   * By name or email, case-insensitive; false: there is no such account. Its tokens become invalid,
   * since every token check looks up the account. The log of changes goes on to tell its name.
   */
  remove(nameOrEmail: string): Promise<boolean>;
  /**
   * Signs out all browsers, and the platform's page in them, except one session of the settings
   * pages, and with `programs` all programs too. Throws `invalid_input` for a password that is too
   * short or too long.
   */
  changePassword(
    id: string,
    password: Secret,
    ends: { readonly programs: boolean; readonly butSession?: Secret },
  ): Promise<void>;
  /**
   * Checks the password in constant time. What then `begin` writes is one transaction, in which the
   * password is still that one: a change of the password ends it too. Undefined: the password is
   * wrong.
   */
  authenticate<T>(
    credentials: Credentials,
    begin: (account: Account) => Promise<T>,
  ): Promise<T | undefined>;
}

export function createAccounts(store: AccountStore, now: () => number): Accounts {
  const checked = async (given: Omit<NewAccount, 'password'>) => {
    const account = readAccount(given);
    const taken =
      (await store.accountByKey(account.nameKey)) ?? (await store.accountByKey(account.emailKey));
    if (taken !== undefined) throw accountTaken();
    return account;
  };
  return {
    add: async (given) => {
      const account = await checked(given);
      const password = await hashPassword(given.password);
      const id = `fvu_${randomBytes(16).toString('base64url')}`;
      const row = { ...account, id, password, created: now() };
      if (!(await store.addAccount(row))) throw accountTaken();
      const { name, email, workspaces, created } = row;
      return { id, name, email, workspaces, created };
    },
    check: async (given) => {
      await checked(given);
    },
    isEmpty: async () => !(await store.hasAccounts()),
    list: () => store.accounts(),
    find: (id) => store.account(id),
    remove: async (nameOrEmail) => {
      const found = await store.accountByKey(keyOf(nameOrEmail));
      return found !== undefined && store.removeAccount(found.id, now());
    },
    findByName: async (nameOrEmail) => {
      const found = await store.accountByKey(keyOf(nameOrEmail));
      return found && store.account(found.id);
    },
    throttleKey: async (nameOrEmail) => {
      const key = keyOf(nameOrEmail);
      return (await store.accountByKey(key))?.nameKey ?? key;
    },
    changePassword: async (id, password, { programs, butSession }) => {
      const keptSession = butSession?.hash();
      await store.setPassword(id, await hashPassword(password), { programs, keptSession });
    },
    authenticate: async ({ nameOrEmail, password, network }, begin) => {
      const found = await store.accountByKey(keyOf(nameOrEmail));
      const isRight = await verifyPassword(found?.password, password, network);
      if (!isRight || found === undefined) return undefined;
      return store.whilePasswordIs(found.password, found.id, begin);
    },
  };
}

/** The normal form in which names and emails are compared. */
function keyOf(nameOrEmail: string): string {
  return nameOrEmail.trim().normalize('NFKC').toLowerCase();
}

/** OpenID Connect Core section 5.1. Email addresses are not verified. */
export function claimsOf(account: Account) {
  const { id, name, email } = account;
  return { sub: id, name, email, email_verified: false };
}

function readAccount(given: Omit<NewAccount, 'password'>) {
  const name = given.name.trim().normalize('NFC');
  const email = given.email.trim();
  const workspaces = [...new Set(given.workspaces)];
  // A name with an "@" could be the email address of another account.
  const wrongName =
    personNameProblem(name) ?? (name.includes('@') ? 'must have no "@"' : undefined);
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
