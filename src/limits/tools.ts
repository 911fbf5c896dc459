// Limits of the tools, setup and doctor.

export const toolLimits = {
  /** Below the 60 s after which most MCP clients give up. */
  toolWaitMsMax: 45_000,
  /** First poll interval of a running task: short tasks end soon. */
  pollGapMsMin: 500,
  /** Last poll interval of a running task. */
  pollGapMsMax: 5_000,
  /** Images that one call with a query changes: ten pages, and the minute that a host waits. */
  imagesSelectedMax: 10_000,
  /** Open jobs of which a dry run asks for the images: what a query takes in one go. */
  openJobsAskedMax: 50,
  /** The largest page that the platform gives. */
  imagesSelectedPageMax: 1_000,
  /** Images of a dry run that are shown: enough to see whether the right ones are found. */
  imagesSelectedShownMax: 10,
  /** Images uploaded concurrently, hosted: more gains nothing and crowds out others. */
  uploadConcurrency: 4,
  /** To the platform of this process: those that come at once share a transaction. */
  embeddedUploadConcurrency: 32,
  /** Calls with many images to that platform: one is read while one is written. */
  togetherUploadLanes: 2,
  /** Images of such a call that are then sent alone, at the same time: each may be in memory. */
  togetherUploadConcurrency: 16,
  /** Fewer images are there before the threads that read many have started. */
  togetherUploadMin: 8,
  /** Failures and warnings listed; all are counted. */
  uploadProblemsShownMax: 50,
  /** Ids of uploaded images listed: a model uses no more. */
  uploadIdsShownMax: 20,
  /** Folders of images beside which an upload looks for lists of splits: those of a dataset. */
  splitListFoldersMax: 100,
  /** Such a list: 300,000 names of COCO; parsing it takes 40 ms. */
  splitListBytesMax: 4 * 1024 * 1024,
  /** Folders in which class names are looked for: `labels/train`, `labels`, and the dataset. */
  classNamesLevelsMax: 3,
  /** Files around images that may hold class names or splits: a dataset has one, or some. */
  classListFilesMax: 100,
  /** Local images in which a preview looks for one with an annotation. */
  previewFilesReadMax: 200,
  /** Contact sheets kept in the data folder. */
  previewsKeptMax: 100,
  /** Two thirds of a result, so that no row is cut off. */
  eventRowsCharactersMax: 40_000,
  /** Rows of one page of a list: what a result holds without being cut. */
  listPageMax: 100,
  /** Answers of the Event Store that one count sums up: a million events, in half a minute. */
  eventCountAnswersMax: 50,
  /** Conditions of a list without events that are asked about one by one: what models send. */
  eventConditionsAskedMax: 5,
  /** After this time the result goes without images. */
  eventPreviewMsMax: 15_000,
  /** A slower line to an Event Store is given up: 1 GB takes 17 minutes. */
  sendBytesPerSecondMin: 1_000_000,
  /** Frames of a video that one call adds to a project: as many as one annotation job takes. */
  uploadedFramesMax: 2_000,
  /** Detections of an hour; parsing it takes 30 ms. */
  videoResultReadBytesMax: 4 * 1024 * 1024,
  /** A local Event Store answers at once. */
  eventStoreProbeMs: 1_000,
  /** A service that takes longer is unhealthy. */
  doctorTimeoutMs: 5_000,
  /** Configuration of a host; some keep their history in it. */
  configFileBytesMax: 64 * 1024 * 1024,
  /** A larger offset makes valid tokens look expired. */
  clockOffsetMsMax: 60_000,
  /** A process that is ahead of others by more takes their tasks, whose leases are of 15 s. */
  databaseClockOffsetMsMax: 5_000,
  /** An added image takes 12 round trips, one after the other. */
  databaseLatencyMsMax: 5,
} as const;
