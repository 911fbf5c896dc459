// The clock: the only place that reads the time, so that tests can set it.

export interface Clock {
  /** Wall time in milliseconds since 1970, UTC. */
  now(): number;
  /** Milliseconds since an arbitrary start; never goes back. */
  monotonic(): number;
}

export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
};

export const hourMs = 60 * 60 * 1000;
export const dayMs = 24 * hourMs;

/** Wall time as ISO 8601 in UTC, milliseconds included. */
export function isoTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString();
}

/** Unix seconds with a fraction, as the API shows times of projects and versions. */
export function unixSeconds(milliseconds: number): number {
  return milliseconds / 1000;
}
