// Holds what a store has against what it acknowledged.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { download } from './client.ts';
import { isThere, keyOf, listEvents, readJson, type Stored } from './list-stored-events.ts';
import type { History, SentEvent, SentFile } from './request-history.ts';
import { contentIn } from './send-load.ts';
import { wrongAnswersToFilters } from './verify-filters.ts';

/** The faults that were found, as sentences. All lists are empty when a trial passes. */
export interface Findings {
  /** Acknowledged, not there, and never removed by a cleanup. */
  readonly lost: string[];
  /** There, but not whole, or not what was sent. */
  readonly torn: string[];
  /** Refused with an error, and there all the same. */
  readonly ghosts: string[];
  /** Files on the disk without a row, after the sweep that follows a start. */
  readonly stray: string[];
}

export interface JudgeOptions {
  /** False: files may be left that the sweep at the next start removes. */
  readonly isSwept?: boolean;
  /** Time for sweeps and cleanups that are still at work. */
  readonly sweepMsMax?: number;
}

/** Reads everything back, byte by byte. The store must run, without other writers. */
export async function judge(
  history: History,
  url: string,
  data: string,
  { isSwept = true, sweepMsMax = 10_000 }: JudgeOptions = {},
): Promise<Findings> {
  const findings: Findings = { lost: [], torn: [], ghosts: [], stray: [] };
  const found = await listEvents(url);
  const removed = await readLedger(history, url);
  const events = found.values();
  const reading = Array.from({ length: readersMax }, async () => {
    for (const stored of events) await judgeEvent(history, url, stored, findings);
  });
  await Promise.all(reading);
  for (const [key, sent] of history.events) {
    if (sent.id !== undefined && removed.has(sent.id)) {
      if (sent.isHeld) findings.lost.push(`${key} was held, and a cleanup removed it`);
      history.events.delete(key);
    } else if (sent.outcome === 'stored' && !found.has(key)) {
      findings.lost.push(`${key} ${sent.id}`);
      history.events.delete(key);
    }
  }
  findings.torn.push(...(await wrongAnswersToFilters(url, found)));
  if (isSwept) findings.stray.push(...(await findStrays(url, data, sweepMsMax)));
  return findings;
}

/** Events that are read at the same time. */
const readersMax = 8;

/** Ids of the events that cleanups removed since the last time. */
async function readLedger(history: History, url: string): Promise<ReadonlySet<string>> {
  const ids = new Set<string>();
  const readBefore = history.ledgerRead;
  let query = '';
  for (;;) {
    const { lines, next } = await readJson(`${url}/v2/ledger?limit=1000${query}`);
    for (const { ordinal, event_id } of lines) {
      if (ordinal <= readBefore) return ids;
      history.ledgerRead = Math.max(history.ledgerRead, ordinal);
      ids.add(event_id);
    }
    if (next === null) return ids;
    query = `&before=${next}`;
  }
}

async function judgeEvent(
  history: History,
  url: string,
  stored: Stored,
  findings: Findings,
): Promise<void> {
  const key = keyOf(stored);
  const sent = history.events.get(key);
  const torn = (what: string) => findings.torn.push(`${key} ${stored.id}: ${what}`);
  if (sent === undefined) {
    torn('nobody sent it, or a cleanup removed it');
    return;
  }
  if (sent.outcome === 'refused') findings.ghosts.push(`${key} was refused and is there`);
  sent.id ??= String(stored.id);
  const wrong = [...wrongMembers(sent, stored), ...(await wrongFiles(url, sent, stored, findings))];
  // A cleanup may have removed it while it was read.
  if (wrong.length > 0 && (await isThere(url, sent.id))) for (const what of wrong) torn(what);
  if (sent.finalize === 'stored' && stored.draft === true) {
    findings.lost.push(`${key} ${sent.id}: finalized, and a draft again`);
  }
  const isOwnWill = stored.draft === false && stored.auto_finalized_at === null;
  if (sent.isDraft && isOwnWill && (sent.finalize === 'never' || sent.finalize === 'refused')) {
    findings.ghosts.push(`${key} ${sent.id}: nobody finalized it`);
  }
}

function wrongMembers(sent: SentEvent, stored: Stored): string[] {
  const names = Object.keys(sent.body);
  const wrong = names.filter((name) => !isDeepStrictEqual(stored[name], sent.body[name]));
  if (sent.id !== stored.id) wrong.push('id');
  if (!sent.isDraft && stored.draft !== false) wrong.push('draft');
  if (sent.isHeld && stored.hold !== 'a fault trial') wrong.push('hold');
  return wrong.map((name) => `${name} is another`);
}

async function wrongFiles(
  url: string,
  sent: SentEvent,
  stored: Stored,
  findings: Findings,
): Promise<string[]> {
  const wrong: string[] = [];
  const images: unknown[] = Object(stored.images);
  if (images.length !== sent.images.length) wrong.push('the number of images is another');
  for (const [index, image] of sent.images.entries()) {
    const fileId = String(Object(images[index]).file_id);
    const problem = await wrongContent(`${url}/images/${fileId}`, image);
    if (problem !== undefined) wrong.push(`image ${index}: ${problem}`);
  }
  for (const file of sent.attached) {
    const isVideo = file.kind === 'video';
    const list: unknown[] = Object(isVideo ? stored.videos : stored.local_only_files);
    const entry = list.map(Object).find(({ label }) => label === `seed ${file.seed}`);
    if (entry === undefined) {
      if (file.outcome !== 'stored') continue;
      if (await isThere(url, String(stored.id))) findings.lost.push(`${sent.key}: a ${file.kind}`);
      continue;
    }
    if (file.outcome === 'refused') findings.ghosts.push(`${sent.key}: a refused ${file.kind}`);
    const path = isVideo ? 'videos' : 'local-only-files';
    const problem = await wrongContent(`${url}/${path}/${entry.file_id}`, file);
    if (problem !== undefined) wrong.push(`${file.kind} ${entry.file_id}: ${problem}`);
  }
  return wrong;
}

async function wrongContent(url: string, file: SentFile): Promise<string | undefined> {
  const bytes = await download(url);
  if (typeof bytes === 'string') return bytes;
  return bytes.equals(contentIn(file)) ? undefined : `${bytes.length} bytes are not those sent`;
}

/** What stays however long one waits. */
async function findStrays(
  url: string,
  data: string,
  waitMsMax: number,
): Promise<readonly string[]> {
  for (let leftMs = waitMsMax; ; leftMs -= 100) {
    const onDisk = await filesIn(join(data, 'files'));
    const known = new Set([...(await listEvents(url)).values()].flatMap(fileIdsOf));
    const stray = onDisk.filter((name) => !known.has(name));
    if (stray.length === 0 || leftMs <= 0) return stray;
    await wait(100);
  }
}

/** Names of all files below a folder, whose folders may go while it is read. */
async function filesIn(folder: string): Promise<readonly string[]> {
  const names: string[] = [];
  for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
    if (entry.isDirectory()) names.push(...(await filesIn(join(folder, entry.name))));
    else if (entry.name !== '.fovea-files') names.push(entry.name);
  }
  return names;
}

function fileIdsOf(event: Stored): string[] {
  const lists: unknown[][] = [event.images, event.videos, event.local_only_files].map(Object);
  const ids = lists.flat().flatMap((file) => [Object(file).file_id, Object(file).input_file_id]);
  return ids.filter((id) => typeof id === 'string');
}
