// Until when events are kept, in words, and the call that keeps one longer.

import type { NextCall } from '../../src/mcp/tool.ts';
import { bare } from '../format.ts';

/** Stores of others do not tell it. */
interface Kept {
  readonly kept_until?: string | null | undefined;
}

/** ` It is kept until 2026-11-25T06:29:50Z; events_hold keeps it longer.`; empty: not told. */
export function keptWords({ kept_until }: Kept): string {
  if (typeof kept_until !== 'string') return '';
  return ` It is kept until ${toSecond(kept_until)}, if space lasts; events_hold keeps it longer.`;
}

/** When the first of a page is removed. */
export function firstRemovalWords(events: readonly Kept[]): string {
  const times = events.flatMap(({ kept_until }) => kept_until ?? []).toSorted();
  const [first] = times;
  if (first === undefined) return '';
  return ` The oldest is kept until ${toSecond(first)}; events_hold keeps one longer.`;
}

/** Only where age removes it. */
export function holdCalls(event_id: string, { kept_until }: Kept): readonly NextCall[] {
  if (typeof kept_until !== 'string') return [];
  const why = 'Keeps it until events_release, where it must not go with its age.';
  return [{ tool: 'events_hold', arguments: { event_id, reason: 'evidence' }, why }];
}

function toSecond(time: string): string {
  return bare(time.replace(/\.\d+Z$/, 'Z'));
}
