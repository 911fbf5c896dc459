// Limits of the embedded platform.

export const platformLimits = {
  // Uploads.

  /** An upload link is used soon after it was requested. */
  uploadLinkMs: 60 * 60 * 1000,
  /** Unfinished uploads are removed after a day. */
  uploadStrayMs: 24 * 60 * 60 * 1000,
  /** Disk space that uploads leave to the database. */
  uploadSpareBytesMin: 64 * 1024 * 1024,
  /** Threads that read images of the disk: one for each core of a small machine. */
  diskImageThreadsMax: 2,
  /** For the images of one call: a disk that hangs is left to single uploads, which say so. */
  diskImagesMsMax: 20_000,
  /** An idle thread ends: it is quickly started again. */
  diskImageThreadIdleMs: 10_000,
  /** Bytes after which the free space is checked: a quarter of the spare space. */
  uploadRoomStepBytes: 16 * 1024 * 1024,
  /** Slower uploads are cut off: they occupy places. */
  uploadBytesPerMinuteMin: 256 * 1024,
  /** Interval of this check. */
  uploadRateStepMs: 60_000,
  /** Concurrent uploads of one workspace. */
  uploadsRunningMax: 8,
  /** Unused upload links of one workspace. */
  uploadsWaitingMax: 200,
  /** Fetching an image by URL: half the time of a call. */
  imageFetchMsMax: 30_000,
  /** Each may have a whole image in memory. */
  thumbsAtOnceMax: 2,
  /** Of one network: all, since each is short. */
  thumbsOfCallerMax: 2,
  /** Pixels of the longer side, as the page shows it. */
  thumbSide: 320,
  /** Pixels of the longer side inside an answer: an editor shows details, a message stays small. */
  pagePictureSide: 2_048,
  /** Cached thumbnails: some thousand. */
  thumbsRememberedBytesMax: 32 * 1024 * 1024,
  /** After the last one was asked for: a page asks for them again from its own cache. */
  thumbsRememberedMsMax: 30_000,
  /** Which keys nobody uses is a question of days: so a busy key costs one write an hour. */
  apiKeyUseMs: 60 * 60 * 1000,
  /** A browser opens it at once; a link that is found later is worth nothing. */
  oneUseLinkMs: 60_000,
  /** Long enough for a slow download to start. */
  linkLifetimeMs: 60 * 60 * 1000,
  /** 30 days; API, Trash. */
  trashRetentionMs: 30 * 24 * 60 * 60 * 1000,
  /** The newest tasks of a workspace in one list. */
  tasksListedMax: 100,
  /** At 9 bytes per pixel; larger images are scaled down first. Above most cameras. */
  previewPixelsMax: 30_000_000,

  // Zip files.

  /** Fact of the hosted platform. */
  zipBytesMax: 2 * 1024 ** 3,
  /** Fact of the hosted platform. */
  zipFilesMax: 10_000,
  /** With folders and the files that macOS adds. */
  zipEntriesMax: 30_000,
  /** All entries together, by their real size. */
  zipExpandedBytesMax: 20 * 1024 ** 3,
  /** Paths of entries; file systems allow less. */
  zipNameCharactersMax: 1_000,
  /** The entry list: 30,000 long names take some 4 MB. */
  zipDirectoryBytesMax: 64 * 1024 * 1024,
  /** Extra fields of one entry: times, ids and zip64 take some 100 bytes. */
  zipExtraFieldBytesMax: 4_096,
  /** Rows of the report; all are counted. */
  zipReportRowsShownMax: 200,
  /** Concurrent images: each may take the memory of the largest image. */
  zipReadersMax: 2,
  /** JSON files about many images: each stays open while it is read. */
  zipDocumentsMax: 200,
  /** Comments that the result of a review tells: a model reads them. */
  reviewCommentsToldMax: 100,
  /** Changed images of a review whose labels are compared: as many as a job has that was chosen. */
  reviewChangesComparedMax: 2_000,
  /** The text of their labels: to parse all takes some 200 ms, in turns with others. */
  reviewCharactersMax: 20_000_000,
  /** Images whose labels are read at once: in the worst case 10 MB. */
  reviewedImagesAtOnce: 10,
  /** People who changed one image that are told; more are a crowd. */
  reviewChangersToldMax: 5,
  /** Changed images, groups of people and classes that a result tells: a model reads them. */
  reviewChangedImagesToldMax: 10,
  reviewGroupsToldMax: 5,
  reviewClassesToldMax: 20,
  /** Jobs that one is compared with: each reads the labels of all its images. */
  comparedJobsMax: 10,
  /** Objects of an image that two people are compared by: as many squared take some 10 ms. */
  comparedObjectsMax: 1_000,
  /** Their text: to parse both takes some 10 ms. */
  comparedCharactersMax: 1_000_000,
  /** Images that are read at once to compare them. */
  comparedImagesAtOnce: 50,
  /** Images that the least agreement is told of with a job: a model reads them. */
  disagreementsToldMax: 10,
  /** The annotations of COCO 2017 have 850 MB, in six files. */
  zipTextBytesMax: 1024 ** 3,
  /** An annotation file about one image, unless JSON: 9,000 boxes of VOC. */
  zipOwnBytesMax: 1024 * 1024,
  /** One file about one image in its thread: the worst takes some four seconds. */
  zipFileMsMax: 30_000,
  /** All of them: 10,000 real ones take a minute or two. */
  zipTextMsMax: 10 * 60 * 1000,
  /** Nested folders: paths are compared folder by folder. */
  zipFoldersMax: 32,
  /** Class names of one list. */
  zipClassNamesMax: 10_000,
  /** Class names of all lists of a zip file. */
  zipAllClassNamesMax: 200_000,
  /** A thousand class names take some 10 KB. */
  zipClassListBytesMax: 1024 * 1024,
  /** The text of one problem. */
  zipProblemCharactersMax: 500,
  // Objects of a store.

  /** Objects of one import: their names, and what became of each, take some 100 MB. */
  importedObjectsMax: 100_000,
  /** All together: 100,000 images of 10 MB. */
  importedObjectsBytesMax: 1024 ** 4,
  /** Their annotation files. */
  importedTextBytesMax: 10 * 1024 ** 3,
  /** Time for reading these: ten times as many as in a zip file. */
  importedTextMsMax: 100 * 60 * 1000,
  /** A store answers late, and bears many at a time; each may take the memory of an image. */
  importedObjectsAtOnceMax: 6,

  /** A data.yaml: 20,000 names take 0.6 MB; parsing 1 MB can take seconds. */
  yamlBytesMax: 1024 * 1024,

  // Search.

  /** Conditions of one query, with each word of a quoted text. */
  searchTermsMax: 200,
  /** Wildcards and words of one query: each may scan all names. */
  searchPatternsMax: 20,
  /** Nesting of a query: the parser is recursive. */
  searchDepthMax: 64,
  /** Words of a catalog query: each is matched against all projects. */
  catalogWordsMax: 50,
  /** Images in one row of the bit-sliced index. */
  searchChunkImages: 4_096,
  /** Results of one page. */
  searchPageMax: 1_000,
  /** On PostgreSQL a search counts so many images one by one, in a quarter of a second. */
  serverTotalMax: 100_000,
  /** Annotations of one page as JSON: they are converted at once. */
  foundAnnotationsCharactersMax: 4_000_000,
  /** Terms of one prefix, of all workspaces; beyond, own names are scanned. */
  searchPrefixTermsMax: 10_000,
  /** Names read to suggest corrections of an empty search: milliseconds. */
  searchKnownNamesMax: 1_000,
  /** Names looked up one by one; beyond, one pass scans all names: 45 ms of a million. */
  searchNamesMax: 5_000,
  /** The share of all names that is walked in their order for a page; then all are scanned. */
  searchWalkedShare: 0.005,
  /** Hits that are read and sorted; beyond, an index is scanned in order. */
  searchSparseMax: 5_000,
  /** Reads that scan a whole project: one at a time per workspace. */
  readThreadsMax: 2,
  /** The same on PostgreSQL: half of the connections of a process that read. */
  serverReadsMax: 4,
  /** A million images take a second, ten times that on a busy machine. */
  readMsMax: 10_000,
  /** Memory of such a thread: a page of large annotations is in it twice. */
  readMegabytesMax: 256,
  /** An idle thread ends: it is started again in a tenth of a second. */
  readThreadIdleMsMax: 10_000,
  /** Queued reads of one workspace. */
  readsWaitingMax: 100,
  /** Descriptors in one row of the similarity index. */
  similarityChunkImages: 256,
  /** Candidates of a similarity search that are ranked exactly. */
  similarityCandidatesMax: 1_000,
  /** Images whose embedding is noted at a time: some 20 ms of the main thread. */
  embeddingsNotedAtOnce: 2_000,
  /** Images that wait, as far as they are counted: some milliseconds of the main thread. */
  embeddingsCountedMax: 100_000,
  /** Of those before, in case an earlier number was committed later. */
  embeddingsLookedBackAt: 1_000,
  /** Images whose vectors by an older model are removed at a time. */
  embeddingsRemovedAtOnce: 2_000,
  /** Models whose vectors are kept: that of now, and some to which people go back. */
  embeddingModelsKept: 3,
  /** Images embedded between two commits: some seconds of a slow processor. */
  imagesEmbeddedAtOnceMax: 16,
  /** Of these beside each other: one is decoded while the model looks at the other. */
  imagesEmbeddedTogether: 2,
  /** Then what was embedded is kept. */
  embeddingTurnMs: 2_000,
  /** An answer waits for so few images that are not embedded yet. */
  embeddingsWaitedForMax: 64,
  /** And at most so long. */
  embeddingsWaitMsMax: 20_000,
  /** Another search meanwhile. */
  embeddingsPollMs: 200,
  /** Images of one exported search. */
  searchExportImagesMax: 100_000,
  /** Images that a diff of versions names of each kind of change: a page that a model can read. */
  versionDiffImagesMax: 100,

  // Evaluations.

  /** Images of one evaluation: a model runs an hour on them, and their boxes take some 300 MB. */
  evaluationImagesMax: 50_000,
  /** 5,000 images take two seconds in their thread. */
  evaluationMsMax: 10 * 60 * 1000,
  /** Memory of that thread: the largest file of predictions takes half of it. */
  evaluationMegabytesMax: 2_048,
  /** Rows of judged images in one transaction: it holds the lock for some 20 ms. */
  evaluationRowsAtOnceMax: 100,
  /** Mistakes of one image that are kept: whoever mends so many sees the rest. */
  labelMistakesOfImageMax: 100,
  /** The newest evaluations of a project in one list. */
  evaluationsListedMax: 100,
  /** Classes of one evaluation: its confusion matrix takes 200 MB. */
  evaluationClassesMax: 5_000,
  /** Classes of a confusion matrix that is shown whole. */
  evaluationMatrixClassesMax: 20,

  // The log of changes.

  /** Entries of one workspace: a year of a busy team, some 5 MB; older ones go. */
  activityEntriesMax: 20_000,
  /** Entries of one page. */
  activityPageMax: 100,
  /** Images that come one by one within this time of each other are one entry. */
  activityBurstMs: 10 * 60 * 1000,
  /** Names of the first things of an entry. */
  activityNamesMax: 5,
  /** Images of one entry that are kept with it, to be read where it is asked for alone. */
  activityImagesMax: 1_000,
  /** Newest entries of a workspace whose images are kept: at most some 100 MB. */
  activityImagesEntriesMax: 2_000,
  /** Different changes in one transaction; above it an entry says only how many images changed. */
  activityChangesMax: 20,
  /** What something was before and after, as JSON: names and settings. */
  activityValueCharactersMax: 2_000,

  // Transactions of background tasks.

  /** Index terms of one transaction: it holds the lock for some 50 ms. */
  metadataTermsAtOnceMax: 1_000,
  /** Images with their annotations: the lock is held for some 20 ms. */
  forkRowsAtOnceMax: 50,
  /** Images moved: the lock is held for some 20 ms. */
  rebalanceRowsAtOnceMax: 1_000,
  /** Images read at once. */
  rebalanceRowsReadMax: 5_000,
  /** Images whose classes change, with their annotations: the lock is held for some 20 ms. */
  classChangeRowsAtOnceMax: 25,
  /** Their ids that are read at once. */
  classChangeImagesReadMax: 5_000,
  /** Images changed: the lock is held for some 20 ms. */
  metadataRowsAtOnceMax: 100,
  /** Rows deleted: the lock is held for some 20 ms. */
  purgeRowsAtOnceMax: 100,
  /** Expired items may stay an hour longer. */
  purgeIntervalMs: 60 * 60 * 1000,
  /** A version that is not frozen by then was left by a crash. */
  freezeMsMax: 60 * 60 * 1000,
  /** An unreferenced blob may be about to be referenced by an upload. */
  blobGraceMs: 60 * 60 * 1000,

  // Credentials and folders.

  /** Of one workspace. */
  apiKeysMax: 1_000,
  /** Nesting of folders. */
  folderDepthMax: 10,
  /** Custom metadata of an API key, as JSON. */
  customMetadataBytesMax: 16 * 1024,
  /** Requests of one credential: a hundred per second. */
  rateLimitPerMinute: 6_000,
  /** Concurrent requests of one credential. */
  rateLimitAtOnceMax: 50,
  /** The rate of all credentials of a workspace together, as a multiple of that of one. */
  rateLimitKeysOfWorkspace: 10,
  /** Processes on one database tell each other so often what they counted. */
  sharedCallsMs: 2_000,
  /** Credentials and networks whose calls are told, each time and by each process. */
  sharedCallNamesMax: 2_000,
  /** Unknown credentials from one network. */
  refusedPerMinuteMax: 60,

  // Events and inference.

  /** Detections of all events of one call: a row each, in one transaction. */
  visionEventSeenMax: 10_000,
  /** Events of several calls in one transaction: it holds the lock for some 20 ms. */
  visionEventsAtOnceMax: 500,
  /** Their texts together. */
  visionEventCharactersAtOnceMax: 1024 * 1024,
  /** Events that wait in one process, however fast they are written. */
  visionEventsWaitingMax: 5_000,
  /** Where they are written slowly, fewer: for so long a device may wait for its answer. */
  visionEventsWaitSeconds: 5,
  /** So many may wait wherever: five full batches. */
  visionEventsWaitingMin: 500,
  /** Their texts together. */
  visionEventCharactersWaitingMax: 32 * 1024 * 1024,
  /** The longest wait that a device is told, before it is spread. */
  visionEventsWaitSecondsMax: 30,
  /** Events may be a year old; fact of the hosted platform. */
  visionEventAgeMsMax: 366 * 24 * 60 * 60 * 1000,
  /** Events may be a day ahead; fact of the hosted platform. */
  visionEventAheadMsMax: 24 * 60 * 60 * 1000,
  /** Noted once a day: an image that many events show would be written with each. */
  visionEventImageUseMs: 24 * 60 * 60 * 1000,
  /** Events that are removed in one transaction: it holds the lock for some 20 ms. */
  visionEventsPurgedAtOnceMax: 500,
  /** Told to clients that count back from today, where events are kept for good. */
  visionEventsLookbackDays: 36_500,
  /** Events that one page looks through once it has found any: some half a second. */
  visionEventsReadMax: 100_000,
  /** Events from which the fields of custom metadata are told: a tenth of a second. */
  metadataEventsMax: 10_000,
  /** Their texts together. */
  metadataEventsCharactersMax: 64 * 1024 * 1024,
  /** Fields of custom metadata in one answer. */
  metadataFieldsMax: 1_000,
  /** Use cases of one list; producers make them by naming them. */
  useCasesListedMax: 1_000,
  /** Inference records: a quarter, so that it can be compared by month. */
  inferenceAgeMsMax: 90 * 24 * 60 * 60 * 1000,
  /** Records of one call that attaches metadata. */
  inferenceRecordsMax: 1_000,
  /** Records of one statistics query: half a second in its thread. */
  inferenceStatsRecordsMax: 100_000,
  /** Rows of its answer. */
  inferenceStatsRowsMax: 1_000,
  /** Images on one page of the Active Learning queue. */
  activeLearningQueueMax: 50,

  // Video inference.

  /** The status may be polled once a minute (API, Video inference). */
  videoStatusIntervalMs: 60_000,
  /** An hour of 1080p video has some 900 MB. */
  videoBytesMax: 2 * 1024 ** 3,
  /** An hour. */
  videoSecondsMax: 3_600,
  /** An hour at 10 frames per second. */
  videoFramesMax: 36_000,
  /** A decoder that outputs nothing for this time hangs. */
  videoSilenceMsMax: 60_000,
  /** FFmpeg's description of a video has a few hundred bytes. */
  videoProbeBytesMax: 64 * 1024,
  /** Frames in the picture of a job: three rows of three, which hosts show without scaling. */
  videoFramesDrawnMax: 9,
  /** A database or a store that answers later is of no use to those who wait for a page. */
  readinessMsMax: 3_000,
  /** Any number of balancers ask at most so often. */
  readinessKeptMs: 1_000,
  /** Ended jobs are kept as long as the trash. */
  videoJobAgeMsMax: 30 * 24 * 60 * 60 * 1000,

  // Health of a project.

  /** Text of annotations that are parsed for it: a second or two, in a thread. */
  healthCharactersMax: 64_000_000,
  /** Names of images for each kind of odd boxes: enough to look at. */
  healthImagesShownMax: 5,
  /** Images of one group, and boxes of one image, on a page of findings. */
  findingMembersShownMax: 20,
  /** Images of one group on a contact sheet: a pair of each split, and one more. */
  findingImagesDrawnMax: 4,
  /** Small pictures on a map of images: each is decoded. */
  mapPicturesMax: 40,
  /** Images compared with each other: a minute of one core where many look alike, in a thread. */
  healthImagesComparedMax: 100_000,
  /** Images among which outliers and clusters are found: half a minute, in a thread. */
  imagesMappedMax: 100_000,
  /** Of their vectors: 128 numbers more than 1,024 of each image, and as much again to compare. */
  mappedVectorsBytesMax: 128 * 1024 ** 2,
  /** Rows of vectors or images read at a time: some 5 ms. */
  vectorRowsPage: 2_000,
  /** Annotations of near-duplicates that are read and compared at a time. */
  conflictRowsPage: 50,
  /** Comparisons of each kind that are kept for the next page: a map of all takes 3 MB. */
  comparisonsKeptMax: 8,
  /** So long after its last use, they go with their thread. */
  comparisonsKeptMsMax: 30_000,
  /** Changes of single images that share a transaction: others wait some 20 ms for it. */
  imagesChangedAtOnceMax: 32,
  /** So long an import waits for more of them: two commits on a slow disk. */
  imagesChangedWaitMsMax: 20,
  /** New images that are looked at between two commits. */
  imagesDescribedAtOnceMax: 16,
  /** Then it is the turn of others: a slow image takes seconds. */
  describeTurnMs: 500,
  /** Looks at one image that ended the program: its file is the cause. */
  describeTriesMax: 3,
  /** Images that go on coming are looked at after this time all the same. */
  describeHeldBackMsMax: 30_000,
  /** An answer that needs the look of all images waits so long: for some thousand of them. */
  describeWaitMsMax: 20_000,
  /** Another look meanwhile. */
  describePollMs: 50,
  /** After a failure, such as a full disk. */
  describeRetryMs: 60_000,
  /** Refused files that a project remembers: the worst upload that somebody mends by hand. */
  refusedFilesMax: 1_000,

  // Moves between a data folder and PostgreSQL.

  /** Rows of the first page of a table: the next ones grow, unless rows are large. */
  moveFirstRows: 16,
  /** More make pages no quicker. */
  moveRowsMax: 1_000,
  /** Values of a page, beyond which the next one has fewer rows. */
  movePageBytes: 2 * 1024 * 1024,
  /** Images that come into the search index in one transaction. */
  moveIndexedMax: 1_000,
  /** Files on their way, each of them in pieces. */
  moveFilesMax: 8,
  /** Hashes of files that are looked up at once. */
  moveHashesMax: 1_000,
  /** What a killed process held is free after that. */
  moveWaitMs: 5_000,
  moveWaitPollMs: 100,
  /** Between two lines of progress. */
  moveProgressMs: 1_000,
  /** Lost files that a report names. */
  moveFilesNamedMax: 10,
} as const;
