// Accounts, applications, settings sessions and used CSRF tokens in SQLite.

import { randomBytes } from 'node:crypto';
import type { ClientAuthentication } from '../../config.ts';
import { type Scope, scopes } from '../../contract/scopes.ts';
import { FoveaError } from '../../errors.ts';
import type { Database, Row } from '../../storage/database.ts';
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

/** What else ends when a password changes. */
export interface PasswordChangeEffects {
  /** Hash of the settings session that stays; undefined: none stays. */
  readonly keptSession: string | undefined;
  /** Whether programs are signed out too. */
  readonly programs: boolean;
}

/** Times are milliseconds since 1970. */
export interface AccountStore {
  /** False: name or email is taken, and nothing was stored. */
  addAccount(account: AccountRow): boolean;
  hasAccounts(): boolean;
  accounts(): readonly Account[];
  account(id: string): Account | undefined;
  /** By the normal form of its name or email. */
  accountByKey(key: string): Readonly<Record<'id' | 'nameKey' | 'password', string>> | undefined;
  /** Also ends its browser sessions except `keptSession`, and with `programs` all its grants. */
  setPassword(id: string, password: string, ends: PasswordChangeEffects): void;
  /** Also removes its sessions and tokens. */
  removeAccount(id: string): boolean;

  /** False: the resource is taken, and nothing was stored. */
  addApplication(application: Application): boolean;
  applications(): readonly Application[];
  application(id: string): Application | undefined;
  applicationByResource(resource: string): Application | undefined;
  removeApplication(id: string): boolean;

  addSession(hash: string, accountId: string, expires: number, now: number): void;
  /** The account of a session that has not ended. */
  sessionAccount(hash: string, now: number): Account | undefined;
  removeSession(hash: string): void;

  /** Created on first use; the same for all processes. */
  formKey(): string;
  /** False: the token was used before. Removes expired tokens. */
  useFormToken(hash: string, expires: number, now: number): boolean;
}

export function createAccountStore(database: Database): AccountStore {
  return { ...accountRows(database), ...applicationRows(database), ...pageRows(database) };
}

type AccountRows = Pick<
  AccountStore,
  | ('addAccount' | 'hasAccounts' | 'accounts' | 'account' | 'accountByKey')
  | ('setPassword' | 'removeAccount')
>;

function accountRows(database: Database): AccountRows {
  const workspaces = (id: string) =>
    database.all(
      'SELECT workspace FROM account_workspaces WHERE account_id = ? ORDER BY workspace',
      [id],
      (row) => row.text('workspace'),
    );
  const read = (row: Row): Account => ({
    id: row.text('id'),
    name: row.text('name'),
    email: row.text('email'),
    workspaces: workspaces(row.text('id')),
    created: row.integer('created'),
  });
  return {
    addAccount: (account) =>
      database.transaction(() => {
        const { id, name, nameKey, email, emailKey, password, created } = account;
        const added = database.run(
          `INSERT INTO accounts (id, name, name_key, email, email_key, password, created)
             VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING`,
          [id, name, nameKey, email, emailKey, password, created],
        );
        if (added === 0) return false;
        for (const workspace of account.workspaces) {
          database.run('INSERT INTO account_workspaces (account_id, workspace) VALUES (?, ?)', [
            id,
            workspace,
          ]);
        }
        return true;
      }),
    hasAccounts: () =>
      database.get('SELECT 1 AS found FROM accounts LIMIT 1', [], (row) => row.integer('found')) !==
      undefined,
    accounts: () => database.all('SELECT * FROM accounts ORDER BY name_key', [], read),
    account: (id) => database.get('SELECT * FROM accounts WHERE id = ?', [id], read),
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
    setPassword: (id, password, { keptSession, programs }) =>
      database.transaction(() => {
        database.run('UPDATE accounts SET password = ? WHERE id = ?', [password, id]);
        database.run('DELETE FROM page_sessions WHERE account_id = ? AND hash IS NOT ?', [
          id,
          keptSession,
        ]);
        // A sign-in in progress may already have passed with the old password.
        const kinds = programs ? '' : "AND kind IN ('Session', 'Interaction')";
        database.run(`DELETE FROM authorizations WHERE account_id = ? ${kinds}`, [id]);
      }),
    removeAccount: (id) =>
      database.transaction(() => {
        database.run('DELETE FROM authorizations WHERE account_id = ?', [id]);
        return database.run('DELETE FROM accounts WHERE id = ?', [id]) > 0;
      }),
  };
}

type ApplicationRows = Pick<
  AccountStore,
  | ('addApplication' | 'applications' | 'application')
  | ('applicationByResource' | 'removeApplication')
>;

function applicationRows(database: Database): ApplicationRows {
  return {
    addApplication: (application) =>
      database.run(
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
      ) > 0,
    applications: () =>
      database.all('SELECT * FROM applications ORDER BY name, id', [], readApplication),
    application: (id) =>
      database.get('SELECT * FROM applications WHERE id = ?', [id], readApplication),
    applicationByResource: (resource) =>
      database.get('SELECT * FROM applications WHERE resource = ?', [resource], readApplication),
    removeApplication: (id) => database.run('DELETE FROM applications WHERE id = ?', [id]) > 0,
  };
}

type PageRows = Pick<
  AccountStore,
  ('addSession' | 'sessionAccount' | 'removeSession') | ('formKey' | 'useFormToken')
>;

function pageRows(database: Database): PageRows {
  const { account } = accountRows(database);
  return {
    addSession: (hash, accountId, expires, now) =>
      database.transaction(() => {
        database.run('DELETE FROM page_sessions WHERE expires <= ?', [now]);
        database.run('INSERT INTO page_sessions (hash, account_id, expires) VALUES (?, ?, ?)', [
          hash,
          accountId,
          expires,
        ]);
      }),
    sessionAccount: (hash, now) => {
      const id = database.get(
        'SELECT account_id FROM page_sessions WHERE hash = ? AND expires > ?',
        [hash, now],
        (row) => row.text('account_id'),
      );
      return id === undefined ? undefined : account(id);
    },
    removeSession: (hash) => void database.run('DELETE FROM page_sessions WHERE hash = ?', [hash]),
    formKey: () => {
      const key = () =>
        database.get('SELECT key FROM form_key WHERE id = 1', [], (row) => row.text('key'));
      return (
        key() ??
        database.transaction(() => {
          const made = randomBytes(32).toString('base64url');
          database.run('INSERT INTO form_key (id, key) VALUES (1, ?) ON CONFLICT DO NOTHING', [
            made,
          ]);
          return key() ?? made;
        })
      );
    },
    useFormToken: (hash, expires, now) =>
      database.transaction(() => {
        database.run('DELETE FROM used_form_tokens WHERE expires <= ?', [now]);
        return (
          database.run(
            'INSERT INTO used_form_tokens (hash, expires) VALUES (?, ?) ON CONFLICT DO NOTHING',
            [hash, expires],
          ) > 0
        );
      }),
  };
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
  throw new FoveaError('internal', `The column applications.${column} is no list of texts.`);
}

function known<Value extends string>(row: Row, column: string, list: readonly Value[]): Value {
  const value = list.find((each) => each === row.text(column));
  if (value !== undefined) return value;
  throw new FoveaError('internal', `The column applications.${column} has an unknown value.`);
}
