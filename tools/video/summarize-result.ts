// The result of a video job in short: what was seen, and the events that it would have made.

import { isJsonObject } from '../../src/json-object.ts';
import { quoted } from '../format.ts';

/** A class that was seen, from its first frame to its last; gaps of up to a second are bridged. */
export interface VideoEvent {
  readonly model: string;
  readonly class: string;
  readonly from_s: number;
  readonly to_s: number;
  readonly frames: number;
  readonly most_at_once: number;
  readonly confidence_max: number;
}

export interface VideoSummary {
  readonly frames: number;
  readonly seconds: number;
  /** Class to detections in all frames. */
  readonly classes: Readonly<Record<string, number>>;
  readonly events: readonly VideoEvent[];
}

/** Undefined: no result as platforms give it. */
export function summarizeVideo(result: unknown): VideoSummary | undefined {
  if (!isJsonObject(result) || !Array.isArray(result.time_offset)) return undefined;
  const times = result.time_offset.map(Number);
  const classes = new Map<string, number>();
  const events: VideoEvent[] = [];
  for (const [model, frames] of Object.entries(result)) {
    if (notModels.has(model) || !Array.isArray(frames)) continue;
    const open = new Map<string, VideoEvent>();
    for (const [index, frame] of frames.entries()) {
      const time = times[index] ?? 0;
      for (const [name, seen] of countClasses(frame)) {
        classes.set(name, (classes.get(name) ?? 0) + seen.count);
        const before = open.get(name);
        const isNew = before === undefined || time - before.to_s > gapSeconds;
        if (isNew && before) events.push(before);
        open.set(name, extended(isNew ? undefined : before, { model, name, time, ...seen }));
      }
    }
    events.push(...open.values());
  }
  return {
    frames: times.length,
    seconds: times.at(-1) ?? 0,
    classes: Object.fromEntries(classes),
    events: events.toSorted((a, b) => a.from_s - b.from_s),
  };
}

/** `: "red" 0.0 to 2.5 s, "blue" 7.0 s`; the first few. Empty where there are none. */
export function describeEvents(events: readonly VideoEvent[]): string {
  if (events.length === 0) return '';
  const named = events.slice(0, eventsNamedMax).map((event) => {
    const [from, to] = [event.from_s, event.to_s].map((seconds) => seconds.toFixed(1));
    return `${quoted(event.class)} ${from === to ? from : `${from} to ${to}`} s`;
  });
  const more = events.length - named.length;
  return `: ${named.join(', ')}${more > 0 ? ` and ${more} more` : ''}`;
}

const eventsNamedMax = 10;

const notModels: ReadonlySet<string> = new Set(['frame_offset', 'time_offset', 'models', 'fps']);
const gapSeconds = 1;

interface Seen {
  readonly count: number;
  readonly confidence: number;
}

function countClasses(frame: unknown): ReadonlyMap<string, Seen> {
  const seen = new Map<string, Seen>();
  const { predictions } = isJsonObject(frame) ? frame : { predictions: undefined };
  for (const one of Array.isArray(predictions) ? predictions : []) {
    if (!isJsonObject(one) || typeof one.class !== 'string') continue;
    const { count, confidence } = seen.get(one.class) ?? { count: 0, confidence: 0 };
    const best = Math.max(confidence, Number(one.confidence ?? 0));
    seen.set(one.class, { count: count + 1, confidence: best });
  }
  return seen;
}

interface InFrame extends Seen {
  readonly model: string;
  readonly name: string;
  readonly time: number;
}

function extended(
  before: VideoEvent | undefined,
  { model, name, time, count, confidence }: InFrame,
): VideoEvent {
  return {
    model,
    class: name,
    from_s: before?.from_s ?? time,
    to_s: time,
    frames: (before?.frames ?? 0) + 1,
    most_at_once: Math.max(before?.most_at_once ?? 0, count),
    confidence_max: Math.max(before?.confidence_max ?? 0, confidence),
  };
}
