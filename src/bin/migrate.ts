// `fovea migrate`: moves the datasets of a platform between a data folder and PostgreSQL.

import { statSync } from 'node:fs';
import { resolve } from 'node:path';
import { type MovedSignIns, moveSignIns } from '../authorization-server/move-sign-ins.ts';
import { systemClock } from '../clock.ts';
import type { MigrateCommand } from '../commands.ts';
import { objectStorageAt } from '../config.ts';
import { parseDatabaseUrl } from '../database-url.ts';
import { invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { parseObjectsUrl } from '../object-storage-settings.ts';
import { type MoveReport, type MoveRequest, moveDatasets } from '../platform/move/move-datasets.ts';
import type { Secret } from '../secret.ts';
import { table } from './administer.ts';

/** Exit code 0: all is there, as it was; 1: something differs, or was lost. */
export async function runMigrate(command: MigrateCommand): Promise<void> {
  const request = requestOf(command);
  let signIns: MovedSignIns | undefined;
  const beforeFinish = async () => {
    signIns = await moveSignIns(request);
  };
  const report = await moveDatasets({ ...request, beforeFinish }, showProgress());
  process.stdout.write(reportText(report) + signInsText(signIns, request, report));
  if (!report.isSame) process.exitCode = 1;
}

function requestOf({ from, to, objects, withoutLost }: MigrateCommand): MoveRequest {
  const isToDatabase = isAddress(to);
  if (isToDatabase === isAddress(from)) {
    throw invalidArgument(
      '--to',
      'and --from must be a data folder and the address of a PostgreSQL database',
      isToDatabase
        ? 'pg_dump copies one database to another.'
        : 'A data folder is copied as a folder, while no process uses it.',
    );
  }
  return {
    folder: resolve(isToDatabase ? from : to),
    databaseUrl: readUrl(isToDatabase ? to : from, isToDatabase ? '--to' : '--from'),
    direction: isToDatabase ? 'to-database' : 'to-folder',
    objects: objects === undefined ? undefined : readObjects(objects),
    withoutLost,
  };
}

/** Of any kind: what looks like one is no folder. */
function isAddress(place: string): boolean {
  return /^[a-z][a-z0-9+]*:\/\//i.test(place);
}

function readUrl(text: string, option: string): Secret {
  const parsed = parseDatabaseUrl(text);
  if ('wrong' in parsed) throw invalidArgument(option, parsed.wrong);
  return parsed.value;
}

function readObjects(text: string): NonNullable<MoveRequest['objects']> {
  if (!isAddress(text)) {
    const isFolder = statSync(text, { throwIfNoEntry: false })?.isDirectory() ?? false;
    if (!isFolder) {
      throw invalidArgument('--objects', 'must be s3://bucket/prefix, or a folder that is there');
    }
    return { folder: resolve(text) };
  }
  const parsed = parseObjectsUrl(text);
  if ('wrong' in parsed) throw invalidArgument('--objects', parsed.wrong);
  const place = objectStorageAt(text);
  if (place === undefined) throw invalidArgument('--objects', 'must be s3://bucket/prefix');
  return place;
}

/** A line a second at most, and one for each stage. */
function showProgress(): (stage: string, done: number) => void {
  let shownMs = Number.NEGATIVE_INFINITY;
  return (stage, done) => {
    const now = systemClock.monotonic();
    if (now - shownMs < limits.moveProgressMs) return;
    shownMs = now;
    process.stderr.write(`${stage}: ${count(done)}\n`);
  };
}

function reportText(report: MoveReport): string {
  const { tables, index, files, ms } = report;
  const rows = tables.map(({ name, source, target }) => [
    name,
    count(target.rows),
    target.hash.slice(0, 16),
    source.hash === target.hash ? 'same' : `DIFFERS from ${count(source.rows)} at the source`,
  ]);
  const sum = tables.reduce((total, { target }) => total + target.rows, 0);
  const isIndexSame = index.source.looks === index.target.looks;
  const looks = isIndexSame ? '' : `, DIFFERS from ${count(index.source.looks)} at the source`;
  return [
    table([['TABLE', 'ROWS', 'SHA-256', ''], ...rows]),
    `${tables.length} tables, ${count(sum)} rows. ${filesText(report)}\n`,
    `Search index: ${count(index.target.images)} images, and of ${count(index.target.looks)} how they look${looks}.\n`,
    lostText('missing or damaged at the source', files.lost),
    lostText('damaged at the target', files.damaged),
    `${outcomeText(report)} It took ${(ms / 1000).toFixed(1)} s.\n`,
  ].join('');
}

function signInsText(
  signIns: MovedSignIns | undefined,
  request: MoveRequest,
  { isFinished }: MoveReport,
): string {
  if (!isFinished) return '';
  const moved = signIns
    ? `Accounts: ${count(signIns.accounts)}, applications: ${count(signIns.applications)}, with all sign-ins (${count(signIns.rows)} rows): the same on both sides.`
    : 'The source has no accounts and no sign-ins.';
  return `${moved}\n\n${afterwards(request)}`;
}

function filesText({ files: { files, bytes, copied } }: MoveReport): string {
  return `${count(files)} files, ${(bytes / 1e6).toFixed(1)} MB, ${count(copied)} of them copied; each was read at the target, and has its hash.`;
}

function lostText(what: string, hashes: readonly string[]): string {
  if (hashes.length === 0) return '';
  const shown = hashes.slice(0, limits.moveFilesNamedMax).map((hash) => `  ${hash}\n`);
  return `${count(hashes.length)} files are ${what}:\n${shown.join('')}`;
}

function outcomeText({ isSame, isFinished }: MoveReport): string {
  if (isSame) return 'All rows and files are the same on both sides.';
  if (isFinished) return 'Moved, without the files that the source has lost.';
  return 'NOT moved: the target stays unfinished. Run it again once this is mended; --without-lost leaves files behind that the source has lost.';
}

function afterwards({ direction, objects, folder }: MoveRequest): string {
  return [
    'Not moved: files that came by an upload link and were not taken yet, the Event Store, and settings.',
    'The source is as it was: start no process on it again.',
    direction === 'to-folder'
      ? `Start platforms with --data "${folder}", without FOVEA_DATABASE_URL and FOVEA_OBJECTS_URL.`
      : `Start platforms with FOVEA_DATABASE_URL set to the address of --to, ${whereFiles(objects, folder)}.`,
  ]
    .map((line) => `${line}\n`)
    .join('');
}

function whereFiles(objects: MoveRequest['objects'], folder: string): string {
  if (objects === undefined) {
    return `and --data "${folder}", which keeps the files; first rename platform.db there`;
  }
  if ('folder' in objects) return `and --data "${objects.folder}", which has the files`;
  return 'and FOVEA_OBJECTS_URL to that of --objects';
}

function count(number: number): string {
  return number.toLocaleString('en-US');
}
