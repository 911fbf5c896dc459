// Opens the data that `fovea account` and `fovea application` work on.

import { type Administration, openAdministration } from '../authorization-server/administration.ts';
import { systemClock } from '../clock.ts';
import { localWorkspace, readSettings } from '../config.ts';
import { prepareDataFolder } from './prepare-data-folder.ts';

/**
 * Works on the sign-in data in `data`, or in FOVEA_HOME, or in the database of FOVEA_DATABASE_URL;
 * a service may be running on it.
 */
export async function administer(
  data: string | undefined,
  work: (administration: Administration, workspace: string) => void | Promise<void>,
): Promise<void> {
  const settings = readSettings();
  const folder = prepareDataFolder(data, settings.home, 'platform');
  const administration = await openAdministration(folder, systemClock, settings.databaseUrl);
  try {
    await work(administration, settings.workspace ?? localWorkspace);
  } finally {
    await administration.close();
  }
}

/** Rows as lines with their columns under each other. */
export function table(given: readonly (readonly string[])[]): string {
  // Terminals obey control characters, wherever they come from.
  const rows = given.map((row) => row.map((cell) => cell.replaceAll(/[\p{Cc}\p{Cf}]/gu, '\uFFFD')));
  const widths = rows[0]?.map((_, column) =>
    Math.max(...rows.map((row) => row[column]?.length ?? 0)),
  );
  return rows
    .map((row) => row.map((cell, column) => cell.padEnd(widths?.[column] ?? 0)).join('  '))
    .map((line) => `${line.trimEnd()}\n`)
    .join('');
}
