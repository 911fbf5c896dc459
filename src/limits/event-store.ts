// Limits of the device Event Store.

export const eventStoreLimits = {
  // Defaults of its settings.

  eventStore: {
    /** An hour of a camera's 1080p video has some 900 MB. */
    videoBytesMax: 1024 * 1024 * 1024,
    /** Local-only files are recordings too. */
    localOnlyBytesMax: 1024 * 1024 * 1024,
    /** An event with its images in base64: a dozen large photos. */
    recordBytesMax: 50 * 1024 * 1024,
    /** A producer that does not return within an hour has died. */
    draftAutoFinalizeSeconds: 3_600,
    /** Drafts are finalized at most so much late. */
    draftSweepSeconds: 30,
    /** The publicly known default of such stores. */
    retentionDays: 1,
    /** The largest store that is measured. On most disks, the bytes end before. */
    recordsMax: 10_000_000,
    /** Several times what a cleanup needs on a full disk. */
    reserveBytes: 32 * 1024 * 1024,
    /** Events are removed at most so much late. */
    cleanupSeconds: 60,
  },

  // Its size, where no setting says it.

  /** The rest is for what else the device writes. */
  storeDiskShare: 0.8,
  /** On a full disk: its own bound keeps the store from taking it. */
  storeBytesMin: 64 * 1024 * 1024,

  // Events and queries.

  /** The texts of one event together: they are read with every page. */
  eventTextCharactersMax: 1024 * 1024,
  /** A page of large events ends here: it is sent in some 30 ms. A larger event goes alone. */
  eventsPageCharactersMax: 4 * 1024 * 1024,
  /** Values of one list in a query: each is searched for in the whole store. */
  eventFilterValuesMax: 200,
  /** Metadata filters of one query: each is searched for in the whole store. */
  eventMetadataFiltersMax: 32,
  /** Detection filters of one query: each looks at each of thousands of detections. */
  eventDetectionFiltersMax: 4,
  /** Terms of one of them: a class, and both ends of confidence and count. */
  eventDetectionTermsMax: 6,
  /** Events that one request looks at: some tenths of a second. The answer says where to go on. */
  eventsLookedAtMax: 20_000,
  /** The text of these events: likewise, where they are large and full of detections. */
  eventsLookedAtCharactersMax: 32 * 1024 * 1024,
  /** Event Store, Limits. */
  eventsPageDefault: 100,
  /** A contact sheet of events in a tool result, beside its text. */
  eventPreviewBytesMax: 200 * 1024,
  /** Two rows of three are visible without scrolling. */
  eventPreviewImagesMax: 6,
  /** Detections drawn on one image, by confidence: more hide the image. */
  eventPreviewBoxesMax: 1_000,
  /** A label must fit in a line. */
  attachmentLabelCharactersMax: 200,
  /** RFC 6838 allows 127 for type and subtype each. */
  mediaTypeCharactersMax: 255,
  /** First bytes of a file that type detection reads. */
  typeDetectionBytes: 64 * 1024,
  /** Images of one event written concurrently: other requests need open files too. */
  imagesWrittenAtOnceMax: 16,

  // Admission control and eviction.

  /** Row of a small event, before a store has any: else its first second has no limit. */
  firstRowBytes: 256,
  /** Interval of capacity readings: a full disk is noticed in time. */
  capacityReadMs: 1_000,
  /** An eviction removes a hundredth more than needed, at most so much. */
  evictionMarginRecordsMax: 1_000,
  /** The same in bytes. */
  evictionMarginBytesMax: 256 * 1024 * 1024,
  /** Pause after an eviction that freed nothing. */
  evictionRetryMs: 500,
  /** Kept free without a ballast file: deleting rows needs some. */
  diskFreeBytesMin: 1024 * 1024,
  /** Evictions in a row that free no disk space; then evictions for it pause. */
  ineffectiveEvictionsMax: 3,
  /** The length of this pause. */
  ineffectiveEvictionPauseMs: 60_000,
  /** Uploads are admitted in steps of this size. */
  uploadAdmitBytes: 8 * 1024 * 1024,
  /** Retry-After of a full store: an eviction takes a second or two. */
  fullRetryAfterSeconds: 5,
  /** Batches of an eviction that writes wait for: a second or two. */
  urgentBatchesMax: 100,

  // Removal.

  /** Interval at which other processes try to become leader. */
  leaderPollMs: 1_000,
  /** Files unlinked between two writes to the database. */
  unlinkBatchMax: 200,
  /** Files that cannot be unlinked are tried again after this time. */
  stuckFilesRetryMs: 60_000,
  /** So many stop all removal: the disk fails. */
  stuckFilesMax: 100,
  /** Between two batches, so that requests get a turn. */
  cleanupPauseMs: 10,
  /** Events changed in one transaction: writes wait for it. */
  changedAtOnceMax: 64,
  /** Database pages returned to the disk in one transaction: 1 MB. */
  shrinkPagesMax: 256,
  /** The deletion ledger, beside MAX_BYTES: a hundredth of it; older lines stay in its totals. */
  ledgerShareMax: 0.01,
  /** Some four hundred lines, however little the store may keep. */
  ledgerBytesMin: 64 * 1024,
  /** A million lines. */
  ledgerBytesMax: 180 * 1024 * 1024,
  /** A file gets its id when its upload starts, its row when it ends: above uploadMsMax. */
  orphanAgeMsMin: 25 * 60 * 60 * 1000,
  /** A row follows its file sooner, so a second check after this time is certain. */
  orphanConfirmMs: 60_000,
  /** Orphans are rare, and looking for them reads the whole folder. */
  orphanSweepMs: 6 * 60 * 60 * 1000,
  /** Candidates remembered until the second check: some MB. */
  orphansAtOnceMax: 10_000,
  /** Newest and oldest events whose files the mount check looks for. */
  mountCheckEventsMax: 25,
  /** Fewer files prove nothing about a disk. */
  mountCheckFilesMin: 4,
  /** More files beside a new database belong to a lost database. */
  unknownFilesMax: 100,

  // Clocks.

  /** Smaller differences of wall and monotonic clock are corrections. */
  clockJumpMsMin: 1_000,
  /** Jumps remembered separately; the oldest are joined. */
  clockJumpsMax: 100,
  /** A longer time without any process may be a wrong clock. */
  storeAbsenceMsMax: 24 * 60 * 60 * 1000,
  /** Daily clock corrections are smaller. */
  clockAheadMsMin: 60_000,

  // Its index and database.

  /** Events that a page looks through before it asks the index: a quarter of a millisecond. */
  eventsLookedAtFirst: 128,
  /** Of one event in the index: keys of its metadata, of its data, and classes of detections. */
  indexedKeysMax: 64,
  /** Keys whose tokens are kept half made. */
  indexedKeysKeptMax: 1_000,
  /** Ranges of numbers that a range is made of: each is looked up in the index. */
  indexedRangePrefixesMax: 48,
  /** Events behind the index that are worth a step: pages look through them anyway. */
  indexedAtOnceMin: 256,
  /** Events of one step: more would save little. */
  indexedAtOnceMax: 1_024,
  /** The text of these events: likewise, where they are large. */
  indexedCharactersAtOnceMax: 8 * 1024 * 1024,
  /** Interval at which the leader looks for events that are behind. */
  indexPollMs: 250,
  /** Rounds until it is made anew after a failure: some seconds, and twice as many each time. */
  indexRetryRoundsMin: 20,
  /** Ten minutes. */
  indexRetryRoundsMax: 2_400,
  /** Events of one table of the index, which goes as a whole. */
  indexPartEvents: 1_048_576,
  /** Pages of a finished table that are merged at once: some ten milliseconds. */
  indexMergedPagesAtOnce: 64,
  /** Candidates that a query reads at once: a millisecond. */
  indexCandidatesAtOnceMax: 1_000,
  /** Pages of the events that it keeps: it reads each once, from the oldest on. */
  indexedEventsCacheBytes: 256 * 1024,
  /** What the index gathers before it writes: the tokens of one step. */
  indexHashBytes: 1 * 1024 * 1024,
  /** Pages that its writer keeps: those of a merge are read once. */
  indexCacheBytes: 4 * 1024 * 1024,
  /** The same of those who read: inner pages, of all tables. */
  indexReaderCacheBytes: 8 * 1024 * 1024,
  /** Device, schema and workflow together, of which so many are counted one by one. */
  countedKindsMax: 10_000,
  /** Rows of an index of an earlier Fovea that go at once: some milliseconds. */
  oldIndexRowsAtOnceMax: 1_000,
  /** What is done behind the writes takes a tenth of a second; a disk that hangs stays so. */
  backgroundTaskMsMax: 60_000,
  /** Without such a task, its thread gives its memory back after this time. */
  backgroundRestMs: 10_000,
  /** The heap of this thread: that of a step of the index. */
  backgroundMegabytesMax: 64,
  /** The log is checkpointed at this size: some milliseconds. */
  eventCheckpointBytes: 2 * 1024 * 1024,
  /** Two of its largest transactions, which then never spill; with 32 MB it is no faster. */
  eventWriterCacheBytes: 8 * 1024 * 1024,
  /** The inner index pages of 10 million events. */
  eventReaderCacheBytes: 16 * 1024 * 1024,

  // Memory of `fovea event-store`: devices have little.

  /**
   * Half of the young generation of the main thread, in MB: V8's own 64 MB fill before anything is
   * collected. With 8, what 64 producers have in flight is taken for long-lived: 25 % more CPU.
   */
  mainSemiSpaceMegabytes: 16,
  /** Of each other thread: one transaction is in flight there. More does not save CPU. */
  threadSemiSpaceMegabytes: 4,
  /** How far a heap grows before it is collected: V8 would let a small one grow fourfold. */
  heapGrowthPercent: 50,
  /** Arenas of the C library: one for each of a dozen threads keep 10 MB more. */
  allocatorArenasMax: 2,
  /** How often the service looks whether it has nothing to do. */
  idleLookMs: 5_000,
  /** CPU time in between, of all threads: a twentieth of a core. */
  idleCpuMsMax: 250,
  /** Less is not worth two collections of some 20 ms. */
  idleHeapGrowthBytesMin: 8 * 1024 * 1024,

  // Cloud upload.

  /** Shortest backoff, with full jitter. */
  cloudRetryMsMin: 1_000,
  /** Longest backoff. */
  cloudRetryMsMax: 300_000,
  /** A longer Retry-After is taken for a mistake. */
  cloudRetryAfterMsMax: 24 * 60 * 60 * 1000,
  /** Other processes may finalize events meanwhile. */
  cloudPollMs: 2_000,
  /** Concurrent image uploads: more do not speed up a slow line. */
  cloudImagesAtOnceMax: 4,
  /** Their bytes; a larger image goes alone. */
  cloudImageBytesAtOnceMax: 16 * 1024 * 1024,
  /** Events of one batch as JSON; a larger event goes alone. */
  cloudBatchBytesMax: 1024 * 1024,
  /** Prolongs the timeout of large requests: the slowest line worth waiting for. */
  cloudBytesPerSecondMin: 16 * 1024,
  /** Failures on one event alone before it is quarantined. */
  quarantineFailuresMin: 5,
  /** Events quarantined in a row; more mean that the cloud is at fault. */
  quarantineSuspectsMax: 5,
  /** Events quarantined in all; more mean that the cloud is at fault. */
  quarantinedEventsMax: 100,
  /** Text of a refusal: enough to understand it. */
  refusalCharactersMax: 500,
} as const;
