// Drafts that a file is being attached to; they are not finalized automatically meanwhile.

export interface UploadsInProgress {
  /** Runs the upload; its draft counts as in use while it runs. */
  during<Result>(eventId: string, upload: () => Promise<Result>): Promise<Result>;
  readonly eventIds: readonly string[];
}

export function createUploadsInProgress(): UploadsInProgress {
  const running: string[] = [];
  return {
    during: async (eventId, upload) => {
      running.push(eventId);
      try {
        return await upload();
      } finally {
        running.splice(running.indexOf(eventId), 1);
      }
    },
    get eventIds() {
      return running;
    },
  };
}
