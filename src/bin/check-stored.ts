// `fovea doctor --stored`: whether the files of the own platform are what they were.

import { existsSync } from 'node:fs';
import type { Check } from '../../tools/doctor/check.ts';
import { systemClock } from '../clock.ts';
import type { StoredFiles } from '../commands.ts';
import type { Settings } from '../config.ts';
import { asFoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import {
  type CheckedFiles,
  checkStoredFiles,
  type FilesProgress,
} from '../platform/check-stored-files.ts';
import { rowsFile } from '../platform/open-platform-database.ts';
import { dataFolder } from './prepare-data-folder.ts';

const check = 'stored files';

/** A check that cannot be made is a finding too. */
export async function checkStored(settings: Settings, wanted: StoredFiles): Promise<Check> {
  const { databaseUrl, objects, home, baseUrl } = settings;
  const data = dataFolder(wanted.data, home, 'platform');
  if (baseUrl !== undefined) {
    const fix = 'Run it where that platform runs, without FOVEA_BASE_URL.';
    return { check, ok: false, detail: 'They are those of the platform at FOVEA_BASE_URL.', fix };
  }
  if (databaseUrl === undefined && !existsSync(rowsFile(data))) {
    const fix = 'Give --data or FOVEA_HOME of the platform, or FOVEA_DATABASE_URL.';
    return { check, ok: false, detail: `There is no platform in "${data}".`, fix };
  }
  const read = { last: '' };
  const progress = showProgress(read);
  try {
    const place = { data, databaseUrl, objects };
    return { check, ...finding(await checkStoredFiles(place, wanted, progress, systemClock)) };
  } catch (thrown) {
    const { message, hint } = asFoveaError(thrown);
    const goOn = read.last === '' || wanted.count !== undefined ? '' : ` ${goesOn(read.last)}`;
    return { check, ok: false, detail: message, fix: `${hint ?? 'Try again.'}${goOn}` };
  }
}

function finding(checked: CheckedFiles): Omit<Check, 'check'> {
  const { files, bytes, isSample, bad, named } = checked;
  const number = files.toLocaleString('en-US');
  const megabytes = (bytes / 1e6).toFixed(1);
  const how = isSample ? 'a sample: others were not' : 'all that rows refer to';
  const read = `${number} were read (${megabytes} MB), ${how}`;
  if (bad === 0) {
    const detail = `${read}: each is what its hash says.`;
    const advice = 'fovea doctor --stored all reads all of them.';
    return { ok: true, detail, ...(isSample && { advice }) };
  }
  const list = named.map(({ hash, state, of }) => `${of} (${state}, ${hash.slice(0, 16)})`);
  const more = bad > named.length ? `, and ${bad - named.length} more` : '';
  const mends = [...new Set(named.map(({ mend }) => mend))];
  return {
    ok: false,
    detail: `${read}: ${bad} damaged or missing: ${list.join('; ')}${more}.`,
    fix: mends.join(' '),
  };
}

/** A line a second at most, with what lets a check go on that is stopped. */
function showProgress(read: { last: string }): FilesProgress {
  let shownMs = systemClock.monotonic();
  return (files, hash) => {
    if (hash !== '') read.last = hash;
    const now = systemClock.monotonic();
    if (now - shownMs < limits.moveProgressMs) return;
    shownMs = now;
    const number = files.toLocaleString('en-US');
    process.stderr.write(`stored files read: ${number}. ${goesOn(read.last)}\n`);
  };
}

function goesOn(hash: string): string {
  return `It goes on with --stored all --after ${hash.slice(0, 16)}.`;
}
