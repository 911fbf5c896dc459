// Bounds: the Event Store.

export const eventStoreLimits = {
  // The Event Store: what its settings are where nobody sets them.

  eventStore: {
    /** An hour of a camera's 1080p video has some 900 MB. */
    videoBytesMax: 1024 * 1024 * 1024,
    localOnlyBytesMax: 1024 * 1024 * 1024,
    /** One event with its images as base64: a dozen large photos. */
    recordBytesMax: 50 * 1024 * 1024,
    /** A producer that has not come back within an hour has died. */
    draftAutoFinalizeSeconds: 3_600,
    draftSweepSeconds: 30,
    /** The retention and record defaults that are publicly known of such stores. */
    retentionDays: 1,
    recordsMax: 1_000_000,
    /** A part of the smallest disk that such devices have. */
    bytesMax: 20 * 1024 * 1024 * 1024,
    /** What a cleanup needs on a full disk, several times over. */
    reserveBytes: 32 * 1024 * 1024,
    cleanupSeconds: 60,
  },

  /** The texts of one event beside its images, together: they are read with every page. */
  eventTextCharactersMax: 1024 * 1024,

  // The Event Store: its background work.

  /** Who does not lead looks so often whether the leader is gone. */
  leaderPollMs: 1_000,
  /** Figures of usage and of the disk are read anew so often: a full disk shows in time. */
  capacityReadMs: 1_000,
  /** Room that a cleanup at a limit makes beyond what is needed: a hundredth, at most so much. */
  capacitySlackRecordsMax: 1_000,
  capacitySlackBytesMax: 256 * 1024 * 1024,
  /** A store that takes nothing in looks so often whether something may be removed by now. */
  capacityRetryMs: 500,
  /** The disk keeps so much free without a reserve: deleting rows needs some. */
  diskFreeBytesMin: 1024 * 1024,
  /** Removals that gained no room on the disk so often in a row are not repeated for so long. */
  diskFutileRunsMax: 3,
  diskFutileMs: 60_000,
  /** Room is made for an upload in such steps, of bytes that came. */
  uploadAdmitBytes: 8 * 1024 * 1024,
  /** A client that met a full store comes back then. */
  fullRetryAfterSeconds: 5,
  /** Batches that a create at a limit waits for: a second or two; clients wait five. */
  urgentBatchesMax: 100,
  /** Images of one event, each with an input image, that are written at the same time. */
  imagesWrittenAtOnceMax: 16,
  /** Files to unlink between two entries in the database. */
  unlinkBatchMax: 200,
  /**
   * Files that cannot be unlinked are passed over for so long; so many end all removal, until one
   * of them can be.
   */
  stuckFilesRetryMs: 60_000,
  stuckFilesMax: 100,
  /** Pause between two batches of background cleanup. */
  cleanupPauseMs: 10,
  /** A wall clock that goes so much further than time did has leapt; less is a correction. */
  clockLeapMsMin: 1_000,
  /** Leaps that are remembered one by one. */
  clockLeapsMax: 100,
  /** A longer time without any process may as well be a wrong clock: a day. */
  storeAbsenceMsMax: 24 * 60 * 60 * 1000,
  /** A file gets its id when its upload begins, its row when it ends: above uploadMsMax. */
  strayAgeMsMin: 25 * 60 * 60 * 1000,
  /** And a row comes so soon after its file: a second look after that is certain. */
  strayConfirmMs: 60_000,
  /** The leader looks for strays so often. */
  straySweepMs: 6 * 60 * 60 * 1000,
  /** Strays that are remembered until the second look: some MB. */
  straysAtOnceMax: 10_000,
  /** Events whose files are looked for before anything is removed, at either end of time. */
  plausibleEventsMax: 25,
  /** Fewer files than these prove nothing about a folder. */
  plausibleFilesMin: 4,
  /** More files than these in a folder whose database is new belong to a database that is lost. */
  unknownFilesMax: 100,
  /** Events of a window of the index; queries look through twice as many, in a millisecond. */
  unindexedEventsMax: 512,
  /** Events whose windows are merged: queries look through the columns of twice as many. */
  mergedEventsMin: 8_192,
  /** Columns of windows that readers keep taken apart: all of thirty, where keys are few. */
  keptColumnBytesMax: 16 * 1024 * 1024,
  /** Of the events in no index that readers keep: all of them, where their metadata is short. */
  newestEventsCharactersMax: 2 * 1024 * 1024,
  /** Clocks are set by less than this every day. */
  clockLeadMs: 60_000,
  /** The log of the database is moved into its file after so much: some milliseconds. */
  eventCheckpointBytes: 2 * 1024 * 1024,
  /** Ids of kinds and of keys of custom_metadata that the writer remembers. */
  countedIdsKeptMax: 10_000,
  /** Pages of the newest buckets and the ends of all indexes, so that writes read nothing. */
  eventWriterCacheBytes: 32 * 1024 * 1024,
  /** Inner pages of all indexes of 10 million events. */
  eventReaderCacheBytes: 16 * 1024 * 1024,
  /**
   * Deletions that the ledger lists one by one: the newest million, some 120 MB. Older ones stay
   * in its totals.
   */
  ledgerLinesMax: 1_000_000,
  /** Events that are removed, finalized or tried anew in one transaction: writes wait for it. */
  changedAtOnceMax: 64,
  /** Pages of the database that are given back to the disk in one transaction: 1 MB. */
  shrinkPagesMax: 256,

  // The Event Store: its uploads to the cloud.

  /** The wait after a failure has full jitter, which grows from the first figure to the second. */
  cloudRetryMsMin: 1_000,
  cloudRetryMsMax: 300_000,
  /** A Retry-After is kept up to here: a day; a longer one is taken for a mistake. */
  cloudRetryAfterMsMax: 24 * 60 * 60 * 1000,
  /** Gaps between two looks for events that another process may have finalized. */
  cloudPollMs: 2_000,
  /** Images that are on their way at once, and their bytes; one larger image goes alone. */
  cloudImagesAtOnceMax: 4,
  cloudImageBytesAtOnceMax: 16 * 1024 * 1024,
  /** Events of one batch, as JSON; one larger event goes alone. */
  cloudBatchBytesMax: 1024 * 1024,
  /** What a request may take longer than a small one: the slowest line that is worth its wait. */
  cloudBytesPerSecondMin: 16 * 1024,
  /** Failures of the cloud on one event alone, after which another one is tried in its place. */
  cloudDetourFailuresMin: 5,
  /** Events that may be passed over one after the other before the cloud takes one. */
  cloudDetourSuspectsMax: 5,
  /** Events that may be passed over in all: if it were more, the cloud would be to blame. */
  cloudDetoursMax: 100,
  /** Why an event was refused, in characters: enough to understand it. */
  refusalCharactersMax: 500,

  // Files of events.

  /** Bytes written to a file in one call: more is not faster, and all of it is in memory. */
  fileWriteBytes: 256 * 1024,
  /** A long file goes down to the disk in such steps, and not all at once at its end. */
  fileSyncBytes: 64 * 1024 * 1024,
  /** Bytes read from a file in one call: a video goes out with fewer calls. */
  fileReadBytes: 256 * 1024,
  /** First bytes of a file in which its type is looked for. */
  recogniseBytes: 64 * 1024,
  /** The label of an attached file: it stands in one line. */
  attachmentLabelCharactersMax: 200,
  /** A declared media type: RFC 6838 allows 127 for each of its two names. */
  mediaTypeCharactersMax: 255,
} as const;
