// Accounts, applications, settings sessions and used CSRF tokens in the database.

import { randomBytes } from 'node:crypto';
import type { ClientAuthentication } from '../../config.ts';
import { pageClientId } from '../../contract/platform-page.ts';
import { type Scope, scopes } from '../../contract/scopes.ts';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';
import {
  clientAuthentications,
  type Registration,
  type Visibility,
  visibilities,
} from '../application-validation.ts';

export interface Account {
  /** The `sub` of tokens; never reused. */
  readonly id: string;
  readonly name: string;
  readonly email: string;
  /** Slugs; empty: the workspace of the service. */
  readonly workspaces: readonly string[];
  /** Milliseconds since 1970. */
  readonly created: number;
}

export interface Application extends Registration {
  /** `client_id`: `fva_` and 22 characters. */
  readonly id: string;
  /** SHA-256 of the secret as base64url (`Secret.hash`); undefined for a public client. */
  readonly secretHash: string | undefined;
  /** Milliseconds since 1970. */
  readonly created: number;
}

export interface AccountRow extends Account {
  readonly nameKey: string;
  readonly emailKey: string;
  /** As `hashPassword` wrote it. */
  readonly password: string;
}

/** What is known of an account that is gone. */
export type RemovedAccount = Pick<Account, 'id' | 'name' | 'workspaces'>;

/** What a name or email leads to. */
export type AccountKey = Readonly<Record<'id' | 'nameKey' | 'password', string>>;

/** What else ends when a password changes. */
export interface PasswordChangeEffects {
  /** Hash of the settings session that stays; undefined: none stays. */
  readonly keptSession: string | undefined;
  /** Whether programs are signed out too. */
  readonly programs: boolean;
}

/** Times are milliseconds since 1970. What a call has changed is on the disk when it resolves. */
export interface AccountStore {
  /** False: name or email is taken, and nothing was stored. */
  addAccount(account: AccountRow): Promise<boolean>;
  hasAccounts(): Promise<boolean>;
  accounts(): Promise<readonly Account[]>;
  account(id: string): Promise<Account | undefined>;
  /** By the normal form of its name or email. */
  accountByKey(key: string): Promise<AccountKey | undefined>;
  /**
   * Runs `work` in one transaction, if the account still has that stored password: what ends with a
   * change of the password cannot begin after it. Undefined: it has another one, or is gone.
   */
  whilePasswordIs<T>(
    password: string,
    id: string,
    work: (account: Account) => Promise<T>,
  ): Promise<T | undefined>;
  /**
   * Also ends its browser sessions except `keptSession`, its grants of the platform's page, which
   * is a browser's, and with `programs` all its grants.
   */
  setPassword(id: string, password: string, ends: PasswordChangeEffects): Promise<void>;
  /** Also removes its sessions and tokens. Its name is kept, among those that were removed last. */
  removeAccount(id: string, now: number): Promise<boolean>;
  removedAccounts(): Promise<readonly RemovedAccount[]>;

  /** False: the resource is taken, and nothing was stored. */
  addApplication(application: Application): Promise<boolean>;
  applications(): Promise<readonly Application[]>;
  application(id: string): Promise<Application | undefined>;
  applicationByResource(resource: string): Promise<Application | undefined>;
  removeApplication(id: string): Promise<boolean>;

  addSession(hash: string, accountId: string, expires: number, now: number): Promise<void>;
  /** The account of a session that has not ended. */
  sessionAccount(hash: string, now: number): Promise<Account | undefined>;
  removeSession(hash: string): Promise<void>;

  /** Created on first use; the same for all processes. */
  formKey(): Promise<string>;
  /**
   * False: the token was used before, or has expired. Removes expired tokens. `now` is asked once
   * it is this token's turn: while it waits the record of its first use may be removed.
   */
  useFormToken(hash: string, expires: number, now: () => number): Promise<boolean>;
}

export function createAccountStore(database: AsyncDatabase): AccountStore {
  return { ...accountRows(database), ...applicationRows(database), ...pageRows(database) };
}

type AccountRows = Pick<
  AccountStore,
  | ('addAccount' | 'hasAccounts' | 'accounts' | 'account' | 'accountByKey')
  | ('whilePasswordIs' | 'setPassword' | 'removeAccount' | 'removedAccounts')
>;

function accountRows(database: AsyncDatabase): AccountRows {
  return {
    addAccount: (account) => addAccount(database, account),
    hasAccounts: async () =>
      (await database.get('SELECT 1 FROM accounts LIMIT 1', [], () => true)) === true,
    accounts: () => database.all(`${accountsSql} ORDER BY name_key`, [], readAccount),
    account: (id) => database.get(`${accountsSql} WHERE id = ?`, [id], readAccount),
    accountByKey: (key) =>
      database.get(
        'SELECT id, name_key, password FROM accounts WHERE name_key = ? OR email_key = ?',
        [key, key],
        (row) => ({
          id: row.text('id'),
          nameKey: row.text('name_key'),
          password: row.text('password'),
        }),
      ),
    whilePasswordIs: (password, id, work) =>
      database.transaction(async () => {
        const sql = `${accountsSql} WHERE id = ? AND password = ?`;
        const account = await database.get(sql, [id, password], readAccount);
        return account && work(account);
      }),
    setPassword: (id, password, { keptSession, programs }) =>
      database.transaction(async () => {
        await database.run('UPDATE accounts SET password = ? WHERE id = ?', [password, id]);
        await database.run(
          'DELETE FROM page_sessions WHERE account_id = ? AND hash IS DISTINCT FROM ?',
          [id, keptSession],
        );
        // A sign-in in progress may already have passed with the old password.
        const some = "AND (kind IN ('Session', 'Interaction') OR client_id = ?)";
        await database.run(
          `DELETE FROM authorizations WHERE account_id = ? ${programs ? '' : some}`,
          [id, ...(programs ? [] : [pageClientId])],
        );
      }),
    removeAccount: (id, now) => removeAccount(database, id, now),
    removedAccounts: () =>
      database.all('SELECT id, name, workspaces FROM removed_accounts', [], (row) => ({
        id: row.text('id'),
        name: row.text('name'),
        workspaces: texts(row, 'workspaces'),
      })),
  };
}

const accountsSql = `SELECT id, name, email, created,
  (SELECT json_group_array(workspace ORDER BY workspace) FROM account_workspaces
    WHERE account_id = accounts.id) AS workspaces
  FROM accounts`;

function readAccount(row: Row): Account {
  return {
    id: row.text('id'),
    name: row.text('name'),
    email: row.text('email'),
    workspaces: texts(row, 'workspaces'),
    created: row.integer('created'),
  };
}

function removeAccount(database: AsyncDatabase, id: string, now: number): Promise<boolean> {
  return database.transaction(async () => {
    await database.run('DELETE FROM authorizations WHERE account_id = ?', [id]);
    await database.run(
      `INSERT INTO removed_accounts (id, name, workspaces, removed)
         SELECT id, name, workspaces, ? FROM (${accountsSql} WHERE id = ?) AS gone`,
      [now, id],
    );
    await database.run(
      `DELETE FROM removed_accounts WHERE id NOT IN
         (SELECT id FROM removed_accounts ORDER BY removed DESC, id LIMIT ?)`,
      [limits.removedAccountsMax],
    );
    return (await database.run('DELETE FROM accounts WHERE id = ?', [id])) > 0;
  });
}

function addAccount(database: AsyncDatabase, account: AccountRow): Promise<boolean> {
  return database.transaction(async () => {
    const { id, name, nameKey, email, emailKey, password, created } = account;
    const added = await database.run(
      `INSERT INTO accounts (id, name, name_key, email, email_key, password, created)
         VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
      [id, name, nameKey, email, emailKey, password, created],
    );
    if (added === 0) return false;
    await database.run(
      `INSERT INTO account_workspaces (account_id, workspace)
         SELECT ?, value FROM json_each(?)`,
      [id, JSON.stringify(account.workspaces)],
    );
    return true;
  });
}

type ApplicationRows = Pick<
  AccountStore,
  | ('addApplication' | 'applications' | 'application')
  | ('applicationByResource' | 'removeApplication')
>;

function applicationRows(database: AsyncDatabase): ApplicationRows {
  return {
    addApplication: async (application) =>
      (await database.run(
        `INSERT INTO applications (id, workspace, name, homepage, redirect_uris, authentication,
             secret, scopes, visibility, desktop, mcp, resource, created)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
        [
          application.id,
          application.workspace,
          application.name,
          application.homepage,
          JSON.stringify(application.redirectUris),
          application.authentication,
          application.secretHash,
          JSON.stringify(application.scopes),
          application.visibility,
          application.isDesktop,
          application.isMcp,
          application.resource,
          application.created,
        ],
      )) > 0,
    applications: () =>
      database.all('SELECT * FROM applications ORDER BY name, id', [], readApplication),
    application: (id) =>
      database.get('SELECT * FROM applications WHERE id = ?', [id], readApplication),
    applicationByResource: (resource) =>
      database.get('SELECT * FROM applications WHERE resource = ?', [resource], readApplication),
    removeApplication: async (id) =>
      (await database.run('DELETE FROM applications WHERE id = ?', [id])) > 0,
  };
}

type PageRows = Pick<
  AccountStore,
  ('addSession' | 'sessionAccount' | 'removeSession') | ('formKey' | 'useFormToken')
>;

function pageRows(database: AsyncDatabase): PageRows {
  return {
    addSession: (hash, accountId, expires, now) =>
      database.transaction(async () => {
        await database.run('DELETE FROM page_sessions WHERE expires <= ?', [now]);
        const sql = 'INSERT INTO page_sessions (hash, account_id, expires) VALUES (?, ?, ?)';
        await database.run(sql, [hash, accountId, expires]);
      }),
    sessionAccount: (hash, now) =>
      database.get(
        `${accountsSql} WHERE id =
           (SELECT account_id FROM page_sessions WHERE hash = ? AND expires > ?)`,
        [hash, now],
        readAccount,
      ),
    removeSession: async (hash) => {
      await database.run('DELETE FROM page_sessions WHERE hash = ?', [hash]);
    },
    formKey: async () => (await findFormKey(database)) ?? (await makeFormKey(database)),
    useFormToken: (hash, expires, now) =>
      database.transaction(async () => {
        const present = now();
        if (expires <= present) return false;
        await database.run('DELETE FROM used_form_tokens WHERE expires <= ?', [present]);
        const sql =
          'INSERT INTO used_form_tokens (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING';
        return (await database.run(sql, [hash, expires])) > 0;
      }),
  };
}

function findFormKey(database: AsyncDatabase): Promise<string | undefined> {
  return database.get('SELECT key FROM form_key WHERE id = 1', [], (row) => row.text('key'));
}

/** Where another process makes one meanwhile, all use that one. */
function makeFormKey(database: AsyncDatabase): Promise<string> {
  return database.transaction(async () => {
    const made = randomBytes(32).toString('base64url');
    const sql = 'INSERT INTO form_key (id, key) VALUES (1, ?) ON CONFLICT DO NOTHING';
    await database.run(sql, [made]);
    return (await findFormKey(database)) ?? made;
  });
}

function readApplication(row: Row): Application {
  const authentication: ClientAuthentication = known(row, 'authentication', clientAuthentications);
  const visibility: Visibility = known(row, 'visibility', visibilities);
  return {
    id: row.text('id'),
    workspace: row.text('workspace'),
    name: row.text('name'),
    homepage: row.optionalText('homepage'),
    redirectUris: texts(row, 'redirect_uris'),
    authentication,
    secretHash: row.optionalText('secret'),
    scopes: readScopes(row),
    visibility,
    isDesktop: row.boolean('desktop'),
    isMcp: row.boolean('mcp'),
    resource: row.optionalText('resource'),
    created: row.integer('created'),
  };
}

/** Ignores scopes of later releases. */
function readScopes(row: Row): readonly Scope[] {
  const stored = texts(row, 'scopes');
  return scopes.filter((scope) => stored.includes(scope));
}

function texts(row: Row, column: string): readonly string[] {
  const list: unknown = row.json(column);
  if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list;
  throw new FoveaError('internal', `The column ${column} is no list of texts.`);
}

function known<Value extends string>(row: Row, column: string, list: readonly Value[]): Value {
  const value = list.find((each) => each === row.text(column));
  if (value !== undefined) return value;
  throw new FoveaError('internal', `The column applications.${column} has an unknown value.`);
}
