// Wrong passwords in the database: counts that end by themselves, the same for all processes.

import { limits } from '../../limits.ts';
import type { AsyncDatabase } from '../../storage/async-database.ts';

/** What failures are counted of: an account, a network, or both together. */
export interface Counted {
  readonly key: string;
  /** Failures that pause it. */
  readonly max: number;
}

/** The pause that an attempt met. */
export interface Pause {
  /** Milliseconds since 1970. */
  readonly ends: number;
  /** Whether this is the first attempt that met it. */
  readonly isNew: boolean;
}

/** Times are milliseconds since 1970. */
export interface PasswordFailures {
  /** Counts a failure of each; where one is paused already, counts none and returns its pause. */
  begin(counted: readonly Counted[], now: number): Promise<Pause | undefined>;
  /** Takes a failure of each back; those of `pair` are all forgotten. */
  takeBack(counted: readonly Counted[], pair: string): Promise<void>;
}

export function passwordFailures(database: AsyncDatabase): PasswordFailures {
  return {
    // Attempts in a pause, of which somebody may make many, take no turn to write.
    begin: async (counted, now) => {
      const known = await findPause(database, counted, now);
      if (known !== undefined && !known.isNew) return known;
      return database.transaction(() => countFailure(database, counted, now));
    },
    takeBack: (counted, pair) =>
      database.transaction(async () => {
        const keys = JSON.stringify(counted.map(({ key }) => key));
        await database.run(
          `UPDATE password_failures SET failures = failures - 1
           WHERE key IN (SELECT value FROM json_each(?))`,
          [keys],
        );
        await database.run(
          `DELETE FROM password_failures
           WHERE key IN (SELECT value FROM json_each(?)) AND (failures <= 0 OR key = ?)`,
          [keys, pair],
        );
      }),
  };
}

async function countFailure(
  database: AsyncDatabase,
  counted: readonly Counted[],
  now: number,
): Promise<Pause | undefined> {
  const pause = await findPause(database, counted, now);
  if (pause !== undefined) {
    await database.run(
      `UPDATE password_failures SET is_logged = 1 WHERE key IN (SELECT value FROM json_each(?))`,
      [JSON.stringify(pause.keys)],
    );
    return pause;
  }
  const ends = now + limits.passwordPauseMs;
  // A row beyond that end is of a clock that was set back.
  await database.run('DELETE FROM password_failures WHERE ends <= ? OR ends > ?', [now, ends]);
  for (const { key } of counted) {
    await database.run(
      `INSERT INTO password_failures (key, failures, is_logged, ends) VALUES (?, 1, 0, ?)
       ON CONFLICT (key) DO UPDATE SET
         failures = password_failures.failures + 1, is_logged = 0, ends = excluded.ends`,
      [key, ends],
    );
  }
  await database.run(
    `DELETE FROM password_failures WHERE ends <
       (SELECT ends FROM password_failures ORDER BY ends DESC LIMIT 1 OFFSET ?)`,
    [limits.passwordFailuresRememberedMax - 1],
  );
  return undefined;
}

async function findPause(
  database: AsyncDatabase,
  counted: readonly Counted[],
  now: number,
): Promise<(Pause & { readonly keys: readonly string[] }) | undefined> {
  const rows = await database.all(
    `SELECT key, failures, is_logged, ends FROM password_failures
     WHERE key IN (SELECT value FROM json_each(?)) AND ends > ? AND ends <= ?`,
    [JSON.stringify(counted.map(({ key }) => key)), now, now + limits.passwordPauseMs],
    (row) => ({
      key: row.text('key'),
      failures: row.integer('failures'),
      isLogged: row.boolean('is_logged'),
      ends: row.integer('ends'),
    }),
  );
  const most = new Map(counted.map(({ key, max }) => [key, max]));
  const paused = rows.filter(({ key, failures }) => failures >= (most.get(key) ?? 0));
  if (paused.length === 0) return undefined;
  return {
    keys: paused.map(({ key }) => key),
    ends: Math.max(...paused.map(({ ends }) => ends)),
    isNew: paused.some(({ isLogged }) => !isLogged),
  };
}
