// What an uploader does, and the one that is there while cloud upload is off.

export interface UploaderState {
  /** Milliseconds since 1970; undefined: none yet. */
  readonly lastSuccessAt: number | undefined;
  /** Why the last attempt failed; undefined after a success. */
  readonly lastError: string | undefined;
  /** When it tries again, milliseconds since 1970; undefined: it is not waiting. */
  readonly nextAttemptAt: number | undefined;
}

export interface Uploader {
  /** Looks for finalized events now, unless a backoff is running. */
  wake(): void;
  /** Looks for finalized events now, even during a backoff: for retries that a user requests. */
  retry(): void;
  state(): UploaderState;
  /** Aborts the running attempt. */
  stop(): Promise<void>;
}

export const disabledUploader: Uploader = {
  wake: () => {},
  retry: () => {},
  state: () => ({ lastSuccessAt: undefined, lastError: undefined, nextAttemptAt: undefined }),
  stop: async () => {},
};
