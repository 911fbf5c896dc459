// Drafts that a file is being attached to: the sweep leaves them alone for so long.

export interface OpenUploads {
  /** Runs the upload, and keeps the draft from the sweep while it runs. */
  during<Result>(eventId: string, upload: () => Promise<Result>): Promise<Result>;
  readonly eventIds: readonly string[];
}

export function createOpenUploads(): OpenUploads {
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
