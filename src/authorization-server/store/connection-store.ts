// Connections: the grants of an account as its person reads them, in the rows of the grants.

import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Clock } from '../../clock.ts';
import { membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';
import type { Row } from '../../storage/database.ts';

/**
 * How a client proves who it is: `none`: only the address to which it goes back is certain; `page`:
 * that is the platform's page, at our own address.
 */
export const clientProofs = ['secret', 'document', 'program', 'page', 'none'] as const;
export type ClientProof = (typeof clientProofs)[number];

/** What a person allowed, as it was shown then. */
export interface Consent {
  /** The name of the client. */
  readonly name: string;
  readonly proof: ClientProof;
  /** Host and port of the redirect URI. */
  readonly redirectHost: string;
  readonly scopes: readonly string[];
  /** The MCP servers at which it is used. */
  readonly resources: readonly string[];
}

export interface Connection {
  /** The hash of its grant: it opens nothing. */
  readonly id: string;
  readonly clientId: string;
  /** Undefined: it was granted by a release that did not note it. */
  readonly consent: Consent | undefined;
  readonly workspace: string | undefined;
  /** Name of the application as it is registered now; undefined: no such one is registered. */
  readonly registeredName: string | undefined;
  /** Milliseconds since 1970. */
  readonly granted: number;
  /** When tokens were last issued, to the minute; undefined: it is not known. */
  readonly used: number | undefined;
  /** Seconds since 1970. */
  readonly expires: number;
}

/** Where a page of connections begins: behind this one. */
export type ConnectionPlace = Pick<Connection, 'id' | 'expires'>;

/** What a call has changed is on the disk when it resolves. */
export interface ConnectionStore {
  /** Notes with a grant what was allowed; no effect when it is gone. */
  describe(grantHash: string, workspace: string, consent: Consent): Promise<void>;
  /** The same of one that takes the workspace of an earlier grant. */
  describeCopy(from: string, grantHash: string, consent: Consent): Promise<void>;
  /** Notes that tokens were issued. */
  noteUse(grantHash: string): Promise<void>;
  /** The newest first, one more than a page has. */
  list(accountId: string, behind?: ConnectionPlace): Promise<readonly Connection[]>;
  /** Whether the account has it. */
  has(accountId: string, id: string): Promise<boolean>;
  /** Whether the account has one of that client. */
  hasClient(accountId: string, clientId: string): Promise<boolean>;
  /** Ends a grant of the account with all its tokens. */
  disconnect(accountId: string, id: string): Promise<void>;
  /** Ends all that the account has of a client. */
  disconnectAll(accountId: string, clientId: string): Promise<void>;
}

export function createConnectionStore(database: AsyncDatabase, clock: Clock): ConnectionStore {
  const describe = async (workspace: string, from: string, hash: string, consent: Consent) => {
    const sql = `UPDATE authorizations SET ${workspace}, consent = ?, granted = ? WHERE hash = ?`;
    await database.run(sql, [from, JSON.stringify(consent), clock.now(), hash]);
  };
  const disconnect = async (accountId: string, id: string) => {
    const sql = `DELETE FROM authorizations WHERE grant_hash IN (SELECT hash ${ownGrant})`;
    await database.run(sql, [id, accountId]);
  };
  const copied = 'workspace = (SELECT workspace FROM authorizations WHERE hash = ?)';
  return {
    describe: (hash, workspace, consent) => describe('workspace = ?', workspace, hash, consent),
    describeCopy: (from, hash, consent) => describe(copied, from, hash, consent),
    noteUse: async (grantHash) => {
      const now = clock.now();
      await database.run(
        'UPDATE authorizations SET used = ? WHERE hash = ? AND (used IS NULL OR used < ?)',
        [now, grantHash, now - limits.connectionUseGapMs],
      );
    },
    list: (accountId, behind) => {
      const now = Math.floor(clock.now() / 1_000);
      const { expires, id } = behind ?? { expires: Number.MAX_SAFE_INTEGER, id: '' };
      const limit = limits.connectionsPerPage + 1;
      return database.all(listSql, { accountId, now, expires, id, limit }, readConnection);
    },
    has: async (accountId, id) =>
      (await database.get(`SELECT 1 ${ownGrant}`, [id, accountId], () => true)) === true,
    hasClient: async (accountId, clientId) =>
      (await database.get(`SELECT 1 ${ofClient}`, [accountId, clientId, 1], () => true)) === true,
    disconnect,
    disconnectAll: async (accountId, clientId) => {
      const some = [accountId, clientId, limits.connectionsPerPage];
      const read = () => database.all(`SELECT hash ${ofClient}`, some, (row) => row.text('hash'));
      // One by one: each has the used refresh tokens of a month, and others wait meanwhile.
      for (let ids = await read(); ids.length > 0; ids = await read()) {
        for (const id of ids) {
          await disconnect(accountId, id);
          await nextTurn();
        }
      }
    },
  };
}

const ownGrant = "FROM authorizations WHERE hash = ? AND account_id = ? AND kind = 'Grant'";

const ofClient = `FROM authorizations WHERE account_id = ? AND client_id = ? AND kind = 'Grant'
  LIMIT ?`;

const listSql = `SELECT g.hash, g.client_id, g.workspace, g.consent, g.granted, g.used, g.expires,
    applications.name AS registered_name
  FROM authorizations g LEFT JOIN applications ON applications.id = g.client_id
  WHERE g.account_id = :accountId AND g.kind = 'Grant' AND g.expires > :now
    AND (g.expires < :expires OR (g.expires = :expires AND g.hash < :id))
  ORDER BY g.expires DESC, g.hash DESC LIMIT :limit`;

function readConnection(row: Row): Connection {
  const expires = row.integer('expires');
  const consent = row.optionalText('consent');
  return {
    id: row.text('hash'),
    clientId: row.text('client_id'),
    consent: consent === undefined ? undefined : readConsent(JSON.parse(consent)),
    workspace: row.optionalText('workspace'),
    registeredName: row.optionalText('registered_name'),
    // A grant lives for a fixed time.
    granted:
      row.optionalInteger('granted') ?? (expires - limits.oauthLifetimes.grantSeconds) * 1_000,
    used: row.optionalInteger('used'),
    expires,
  };
}

function readConsent(value: unknown): Consent {
  const { name, proof, redirectHost, scopes, resources } = membersOf(value);
  return {
    name: String(name),
    // Of a later release: the weakest.
    proof: clientProofs.find((each) => each === proof) ?? 'none',
    redirectHost: String(redirectHost),
    scopes: texts(scopes),
    resources: texts(resources),
  };
}

function texts(value: unknown): readonly string[] {
  return Array.isArray(value) ? value.map(String) : [];
}
