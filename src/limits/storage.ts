// Limits of SQLite, blobs and leased tasks.

export const storageLimits = {
  // SQLite.

  /** Another process's transaction: longer than any real one. */
  databaseBusyMsMax: 15_000,
  /** A waiting thread can be stopped in between. */
  databaseBusyStepMs: 250,
  /** A commit is shared by transactions that begin within this time: the thread is held as long. */
  databaseSharedCommitMsMax: 20,
  /** Another look whether it has ended, where others are served meanwhile. */
  databaseBusyRetryMs: 5,
  /** Long reads yield after this time. */
  databaseSliceMsMax: 5,
  /** Attempts to overwrite a failed commit; then the disk has failed. */
  databaseOverwritesMax: 20,
  /** Cached statements per connection: texts are constants, so more are a mistake. */
  databaseStatementsMax: 200,
  /** A longer one is moved in a thread: the pages that SQLite moves by itself, of 4 KB. */
  databaseLogMovedBytes: 4_000 * 4_096,
  /** A gigabyte on a slow disk. */
  databaseLogMoveMsMax: 60_000,
  /** A log that a long reader made grow is truncated to this size. */
  databaseLogBytesMax: 64 * 1024 * 1024,
  /** Smaller files are checked for damage when opened. */
  databaseCheckBytesMax: 16 * 1024 * 1024,
  /** Larger databases are not checked while a host waits: that takes seconds. */
  doctorStoreBytesMax: 256 * 1024 * 1024,

  // PostgreSQL.

  /** Pictures are compared by `bit_count`, which version 14 has first. */
  databaseVersionMin: 14,
  /** Connections of a process that write, and as many that read: a server has some 100 for all. */
  databaseConnectionsMax: 8,
  databaseConnectMsMax: 10_000,
  /** Statements by which the doctor measures how near a server is. */
  databaseProbes: 5,
  /** One that rests for so long ends. */
  databaseIdleConnectionMs: 30_000,
  /** A statement, also one that waits for the turn to write. */
  databaseStatementMsMax: 30_000,
  /** A transaction that reads and waits for its process. */
  databaseIdleTransactionMsMax: 10_000,
  /** One that writes: all others wait for it. Those of three processes that hang are 15 s. */
  databaseIdleWriterMsMax: 5_000,
  /** Attempts of a transaction where others change the same rows: three processes need over 12. */
  databaseAttemptsMax: 20,
  /** The wait before the second one, at most; it doubles with each. */
  databaseRetryMs: 4,
  /** A change of the tables waits so long for who reads them: others wait behind it. */
  databaseChangeWaitMsMax: 1_000,
  /** Then others have their turn. */
  databaseChangeRetryMs: 2_000,
  /** Three minutes: to freeze a version of a million images takes about as long. */
  databaseChangeAttemptsMax: 60,
  /** Rows that a cursor fetches in one round trip. */
  databaseRowsAtOnce: 500,

  // Group commit.

  /** Commands per message to the thread. */
  groupCommitSentAtOnceMax: 16,
  /** Commands per transaction: all wait for the last one. */
  groupCommitCommandsMax: 512,
  /** Bytes per transaction; a larger command goes alone. */
  groupCommitBytesMax: 4 * 1024 * 1024,
  /** An idle thread that has written much ends after this time, and gives its memory back. */
  groupCommitRestMs: 5_000,
  /** One that has written less has less memory to give: a new one starts in some 100 ms. */
  groupCommitRestBytesMin: 8 * 1024 * 1024,
  /** Any idle thread ends after this time. */
  groupCommitIdleMsMax: 30_000,
  /** Writes may end for this time when the store is closed: all of a service ends within 5 s. */
  groupCommitCloseMsMax: 3_000,

  // Files and blobs.

  /** Bytes per write: more is not faster, and all are in memory. */
  fileWriteBytes: 256 * 1024,
  /** Long files are synced in such steps, not at once at their end. */
  fileSyncBytes: 64 * 1024 * 1024,
  /** Bytes per read: videos need fewer calls. */
  fileReadBytes: 256 * 1024,
  /** Smaller blobs are read as a whole: a stream costs ten times the work of a read. */
  blobReadAtOnceBytesMax: 1024 * 1024,
  /** A disk that takes the parts of two messages no faster has failed: some hundred images. */
  zipPartsMsMax: 600_000,
  /** To deflate less, such as the labels of an image, takes as long as to read that image. */
  zipDeflatedBytesMin: 1_024,
  /** A half-written blob without writes for this time belongs to a dead process. */
  blobUnfinishedMsMax: 60 * 60 * 1000,

  // Objects in an S3 store.

  /** A sweep takes what was put an hour ago: the other half is for storing a reference to it. */
  objectPutMsMax: 30 * 60 * 1000,
  /** Objects whose keys are remembered: some 3 MB. */
  objectKeysKnownMax: 10_000,
  /** Larger files go in parts; of these 10,000 are allowed, so a file may have 160 GB. */
  objectPartBytes: 16 * 1024 * 1024,
  /** Parts of one file that are sent at the same time, all of them in memory. */
  objectPartsAtOnceMax: 4,
  /** The first attempt included: some 3 s, and 15 s where a store asks for less at a time. */
  objectAttemptsMax: 6,
  objectConnectMsMax: 5_000,
  /** Pages of a list without an object, one after the other: a store may still be looking. */
  objectEmptyPagesMax: 20,
  /** Failures one after the other by which a sweep knows that the store is away: half a minute. */
  sweepOutagesMax: 10,
  /** A store may think for so long before it answers. */
  objectSilenceMsMax: 15_000,
  /** The address of a redirect: followed at once, and clocks differ. */
  objectLinkSeconds: 15 * 60,

  // Leased tasks.

  /** A task goes to another process when its lease is not renewed. */
  taskLeaseMs: 15_000,
  /** Other processes may add tasks. */
  taskQueuePollMs: 1_000,
  /** A task that ended its process so often would end the next one too. */
  taskAttemptsMax: 5,
  /** A task that comes too early waits so long, then twice as long. */
  taskPostponedMs: 10_000,
  /** Once a service is back, what waits for it goes on after this time at most. */
  taskPostponedMsMax: 5 * 60 * 1000,
  /** A service that is away for longer is not expected back: somebody has seen it by then. */
  taskOutageMsMax: 24 * 60 * 60 * 1000,
  /** Running tasks get this time when their service stops. */
  taskStopMsMax: 1_000,
} as const;
