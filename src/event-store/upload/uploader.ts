// Finalized events on their way to the cloud.

export interface UploaderState {
  /** Milliseconds since 1970; undefined: none yet. */
  readonly lastSuccessAt: number | undefined;
  /** Why the last attempt failed; undefined after a success. In our own words. */
  readonly lastError: string | undefined;
  /** When it tries again, milliseconds since 1970; undefined: it is not waiting. */
  readonly nextAttemptAt: number | undefined;
}

export interface Uploader {
  /** Looks for finalized events now. */
  wake(): void;
  state(): UploaderState;
  /** Ends the running attempt. */
  stop(): Promise<void>;
}
