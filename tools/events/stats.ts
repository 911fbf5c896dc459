// events_stats: how full the store is, what waits, what was removed, and the remedies.

import { eventStore } from '../../src/contract/event-store.ts';
import type { Answer } from '../../src/contract/operation.ts';
import { asFoveaError } from '../../src/errors.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, fileSize, quoted } from '../format.ts';

type Stats = Answer<typeof eventStore.events_stats>;
type LedgerLine = Answer<typeof eventStore.events_ledger>['lines'][number];

export async function readStats(context: ToolContext): Promise<ToolResult> {
  const { client, signal } = context;
  const [{ body }, lines] = await Promise.all([
    client.call(eventStore.events_stats, {}, { signal }),
    recentRemovals(context),
  ]);
  const advice = adviceOf(body);
  const recently = lines && summarizeRemovals(lines);
  return {
    summary: [
      usageWords(body),
      `An event is kept for ${count(body.retention_days, 'day')}.`,
      ...blockedWords(body, advice),
      ...backupWords(body),
      ...removalWords(body, recently),
    ].join(' '),
    data: { ...(advice.length > 0 && { advice }), ...body, ...(recently && { recently }) },
    next: nextCalls(body),
  };
}

/** Remedies for a full store; empty: it accepts events. */
export function adviceOf(stats: Stats): readonly string[] {
  if (!stats.capacity_blocked) return [];
  const { backup, held_records } = stats;
  const isSparing = backup.enabled && backup.pending_records > 0;
  return [
    ...(isSparing
      ? [`let ${backup.pending_records} waiting events upload (check the network and the cloud)`]
      : []),
    ...(held_records > 0 ? [`release some of ${held_records} held events (events_release)`] : []),
    ...(stats.disk.free_bytes < lowDiskBytes ? ['free space on the disk of the store'] : []),
    ...(stats.records_percent >= 100 ? ['raise MAX_RECORDS of the store'] : []),
    ...(stats.bytes_percent >= 99 ? ['raise MAX_BYTES of the store'] : []),
  ];
}

const lowDiskBytes = 256 * 1024 * 1024;

function usageWords(stats: Stats): string {
  const { records, records_limit, bytes_used, bytes_limit, bytes_percent, drafts } = stats;
  const share = `${bytes_percent} % of ${fileSize(bytes_limit)}; ${fileSize(bytes_used)} on the disk`;
  const oldest = drafts.oldest_age_seconds;
  const since = oldest === null ? '' : `, the oldest open for ${duration(oldest)}`;
  const open = drafts.records > 0 ? [`${count(drafts.records, 'draft')}${since}`] : [];
  const held = stats.held_records > 0 ? [`${stats.held_records} held`] : [];
  const facts = [`${records} of ${records_limit} events`, share, ...open, ...held];
  return `${facts.join('; ')}.`;
}

function blockedWords(stats: Stats, advice: readonly string[]): readonly string[] {
  if (!stats.capacity_blocked) return [];
  const reason = stats.capacity_reason === null ? 'full' : quoted(stats.capacity_reason);
  const help = advice.length > 0 ? ` To take in events again: ${advice.join(', or ')}.` : '';
  return [`Blocked: ${reason}.${help}`];
}

function backupWords({ backup }: Stats): readonly string[] {
  const { pending_records: pending, refused_records: refused } = backup;
  const set = refused > 0 ? [`The cloud refused ${count(refused, 'event')}.`] : [];
  if (!backup.enabled) return ['Cloud upload is off.', ...set];
  const age = backup.oldest_pending_age_seconds;
  const since = age === null ? '' : `, the oldest for ${duration(age)}`;
  const waiting = `${count(pending, 'event')} (${fileSize(backup.pending_bytes)})`;
  const error = backup.last_error === null ? '' : ` Last error: ${quoted(backup.last_error)}.`;
  const state = pending === 0 ? 'Nothing waits for upload.' : `${waiting} wait for upload${since}.`;
  return [`${state}${error}`, ...set];
}

function removalWords({ removed }: Stats, recently: Recently | undefined): readonly string[] {
  const reasons = Object.entries(removed).filter(([, figure]) => figure > 0);
  if (reasons.length === 0) return ['Nothing was ever removed.'];
  const list = reasons.map(([reason, figure]) => `${figure} for ${reason}`).join(', ');
  const lost = recently?.never_uploaded ?? 0;
  const note = lost > 0 ? ` Of the last ${recently?.removed}, ${lost} were never uploaded.` : '';
  return [`Removed so far: ${list}.${note}`];
}

interface Recently {
  readonly removed: number;
  /** ISO 8601: when the first of these was removed. */
  readonly since: string | undefined;
  readonly reasons: Readonly<Record<string, number>>;
  readonly never_uploaded: number;
  readonly freed_bytes: number;
}

const recentLines = 100;

/** Undefined where the store keeps no ledger. */
async function recentRemovals({ client, signal }: ToolContext) {
  const input = { limit: recentLines };
  const asked = client.call(eventStore.events_ledger, input, { signal });
  return asked.then(
    ({ body }) => body.lines,
    (thrown) => {
      signal.throwIfAborted();
      if (asFoveaError(thrown).code !== 'not_found') throw thrown;
      return undefined;
    },
  );
}

function summarizeRemovals(lines: readonly LedgerLine[]): Recently | undefined {
  if (lines.length === 0) return undefined;
  const reasons = new Map<string, number>();
  for (const { reason } of lines) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
  return {
    removed: lines.length,
    since: lines.at(-1)?.removed_at,
    reasons: Object.fromEntries(reasons),
    never_uploaded: lines.filter(({ upload_status }) => upload_status !== 'uploaded').length,
    freed_bytes: lines.reduce((sum, { disk_bytes }) => sum + disk_bytes, 0),
  };
}

function nextCalls({ backup, removed }: Stats): readonly NextCall[] {
  const hasRemoved = Object.values(removed).some((figure) => figure > 0);
  const retry: NextCall = {
    tool: 'events_retry_upload',
    arguments: {},
    why: 'Sends the refused events again, once the reason is gone.',
  };
  const ledger: NextCall = {
    tool: 'events_ledger',
    arguments: { limit: 20 },
    why: 'Lists what was removed, when and why.',
  };
  return [...(backup.refused_records > 0 ? [retry] : []), ...(hasRemoved ? [ledger] : [])];
}

/** `40 s`, `12 min`, `5 h`, `3 days`. */
function duration(seconds: number): string {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 6_000) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} days`;
}
