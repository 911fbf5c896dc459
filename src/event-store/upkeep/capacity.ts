// Whether the store may take in more: record, byte and disk limits (second document, Limits).

export interface CapacityState {
  /** Why nothing is taken in; undefined: there is room. In our own words. */
  readonly blocked: string | undefined;
  readonly freeBytes: number;
  /** Bytes that are given up when the disk is full; 0 while they are. */
  readonly reserveBytes: number;
  /** Of files and the database; its log, which is in it, does not count towards the byte limit. */
  readonly bytesUsed: number;
}

/** What a write will add. */
export interface Addition {
  /** 1, the default: an event; 0: a file of an event that is there. */
  readonly records?: 0 | 1;
  /** Bytes of its files as far as known; left out: what those of an event have on average. */
  readonly bytes?: number | undefined;
}

/** An upload that was let in: it counts until it ends. */
export interface AdmittedUpload {
  /** To be told how many bytes came by now: room is made for those alone. Throws `full`. */
  came(bytes: number): Promise<void>;
  /** Admits it as large as it came. Throws `full`; the file is not taken then. */
  written(bytes: number): Promise<void>;
  end(): void;
}

export interface Capacity {
  /**
   * Resolves when a write may begin. At a limit it first lets a cleanup make room. Throws `full`
   * before anything is written when there is none (second document, Errors, 529).
   */
  admit(addition?: Addition): Promise<void>;
  /**
   * Resolves when a file may begin to come in for an event that is there; `bytes`: as announced,
   * if so. Throws `full` where so many could not be kept even if all that may be removed were; what
   * is announced only has nothing removed.
   */
  admitUpload(bytes: number | undefined): Promise<AdmittedUpload>;
  /** A write met a full disk: gives up the reserve, and makes room in the background. */
  diskWasFull(): void;
  state(): Promise<CapacityState>;
}
