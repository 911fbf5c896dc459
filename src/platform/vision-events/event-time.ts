// The times of vision events.

/** Milliseconds since 1970 of an ISO 8601 time. Without a zone it is UTC. */
export function millisecondsOf(timestamp: string): number {
  return Date.parse(/(Z|[+-]\d\d:\d\d)$/.test(timestamp) ? timestamp : `${timestamp}Z`);
}
