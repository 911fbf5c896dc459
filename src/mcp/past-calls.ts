// Earlier calls of one caller on this machine that changed something, as its records have them.

export interface PastCall {
  readonly id: number;
  readonly tool: string;
  readonly project: string | undefined;
  /** `lost`: its answer never came, and it may have been done. */
  readonly state: 'running' | 'done' | 'lost';
  readonly startedAt: number;
  readonly endedAt: number;
  /** The status line of its result; undefined: none was kept. */
  readonly summary: string | undefined;
}

/** Undefined members choose nothing. Times in milliseconds since 1970. */
export interface WantedPastCalls {
  readonly workspace: string;
  readonly project: string | undefined;
  readonly tool: string | undefined;
  readonly since: number | undefined;
  readonly until: number | undefined;
  /** Only calls older than this one. */
  readonly beforeId: number | undefined;
  readonly countMax: number;
}

export interface PastCalls {
  /** The newest first. */
  readonly calls: readonly PastCall[];
  /** How many there are, whatever the page. */
  readonly total: number;
}
