// Until when events are kept and why, in words, and the call that keeps one for ever.

import type { NextCall } from '../../src/mcp/tool.ts';
import { bare } from '../format.ts';

/** Stores of others do not tell it; earlier ones of Fovea tell no reason. */
interface Kept {
  readonly kept_until?: string | null | undefined;
  readonly kept_reason?: string | undefined;
}

/** ` It is kept until 2026-11-25T06:29:50Z, its age…`; empty: not told. */
export function keptWords({ kept_until, kept_reason }: Kept): string {
  if (typeof kept_until === 'string') {
    return ` It is kept until ${toSecond(kept_until)}, by its age and if space lasts; events_hold keeps it for ever.`;
  }
  const words = wordsWithoutAge.get(kept_reason ?? '');
  return words === undefined ? '' : ` ${words}`;
}

const wordsWithoutAge: ReadonlyMap<string, string> = new Map([
  ['hold', 'It is kept for ever, since it is held; events_release ends that.'],
  ['upload', 'It is kept until the cloud has it, then by its age; events_hold keeps it for ever.'],
  [
    'retention',
    'Its age never removes it (RETENTION_DAYS); events_hold keeps it if space runs out.',
  ],
]);

/** When the first of a page is removed. */
export function firstRemovalWords(events: readonly Kept[]): string {
  const times = events.flatMap(({ kept_until }) => kept_until ?? []).toSorted();
  const [first] = times;
  if (first !== undefined) {
    return ` By age, the oldest is kept until ${toSecond(first)}; events_hold keeps one for ever.`;
  }
  const isTold = events.some(({ kept_reason }) => kept_reason !== undefined);
  return isTold ? ' Their age removes none of them now: kept_reason says why.' : '';
}

/** Unless it is held already. */
export function holdCalls(event_id: string, kept: Kept): readonly NextCall[] {
  if (keptWords(kept) === '' || kept.kept_reason === 'hold') return [];
  const why = 'Keeps it for ever, until events_release, where it must not be removed.';
  return [{ tool: 'events_hold', arguments: { event_id, reason: 'evidence' }, why }];
}

function toSecond(time: string): string {
  return bare(time.replace(/\.\d+Z$/, 'Z'));
}
