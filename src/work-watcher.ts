// Whoever waits for long work: is told how far it is, and may give up.

/** Told which share of the work is done: 0 to 1. */
export type OnShare = (share: number) => void;

export interface WorkWatcher {
  /** Aborts when nobody waits for it any more: then it ends. */
  readonly signal?: AbortSignal | undefined;
  readonly onShare?: OnShare | undefined;
}

/** Awaited between parts of work, so that others have their turns. Told which share is done. */
export type Pause = (share: number) => Promise<void>;

/** For a part of the work, which goes from one share of it to another. */
export function within(pause: Pause, from: number, to: number): Pause {
  return (share) => pause(from + (to - from) * share);
}
