// Whether the store may take in more: record, byte and disk limits (second document, Limits).

export interface CapacityState {
  /** Why nothing is taken in; undefined: there is room. In our own words. */
  readonly blocked: string | undefined;
  readonly freeBytes: number;
  /** Bytes that are given up when the disk is full; 0 while they are. */
  readonly reserveBytes: number;
  /** What is used of the byte limit. */
  readonly bytesUsed: number;
}

export interface Capacity {
  /**
   * Resolves when a write may begin. At a limit it first lets a cleanup make room. Throws `full`
   * before anything is written when there is none (second document, Errors, 529).
   */
  admit(): Promise<void>;
  state(): Promise<CapacityState>;
}
