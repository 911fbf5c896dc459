// Bounds: the embedded platform: uploads, search, keys, models, trainings.

export const platformLimits = {
  /** Facts of the hosted platform; likewise the number of files. */
  zipBytesMax: 2 * 1024 ** 3,
  zipFilesMax: 10_000,
  /** Of all entries together, by the bytes that really come out. */
  zipExpandedBytesMax: 20 * 1024 ** 3,
  zipNameCharactersMax: 1_000,
  zipReportRowsShownMax: 200,
  /** Images in work at once: each may take the memory of the largest picture. */
  zipReadersMax: 2,
  uploadLinkMs: 60 * 60 * 1000,
  /** Files of uploads that nobody finished. */
  uploadStrayMs: 24 * 60 * 60 * 1000,
  /** What an upload leaves free of the disk: the database needs some. */
  uploadSpareBytesMin: 64 * 1024 * 1024,
  /** The disk is looked at again after so much of a file: a quarter of what has to stay free. */
  uploadRoomStepBytes: 16 * 1024 * 1024,
  /** A slower one is cut off, looked at once a minute: it keeps its place from others. */
  uploadBytesPerMinuteMin: 256 * 1024,
  uploadRateStepMs: 60_000,
  /** Of one workspace: files that come in at the same time, and links that wait for a file. */
  uploadsRunningMax: 8,
  uploadsWaitingMax: 200,
  /** Entries of a zip file, its folders and the files that macOS adds included. */
  zipEntriesMax: 30_000,
  /** The list of its entries: 30,000 of them with long names have some 4 MB. */
  zipDirectoryBytesMax: 64 * 1024 * 1024,
  /** Extra fields of one entry: times, ids and zip64 take some 100 bytes. */
  zipExtraFieldBytesMax: 4_096,
  /** JSON files for many images in a zip file: each is open as long as it is read. */
  zipDocumentsMax: 200,
  /** All text of a zip file: the annotations of COCO 2017 have 850 MB, in six files. */
  zipTextBytesMax: 1024 ** 3,
  /** One annotation file about one image, unless it is JSON: 9,000 boxes of VOC. */
  zipOwnBytesMax: 1024 * 1024,
  /** Reading one file about one image in its thread: the worst one takes some four seconds. */
  zipFileMsMax: 30_000,
  /** Reading all of them: 10,000 honest ones take a minute or two. */
  zipTextMsMax: 10 * 60 * 1000,
  /** Folders in folders: paths are compared folder by folder. */
  zipFoldersMax: 32,
  /** Of one list, and of all lists of a zip file together. */
  zipClassNamesMax: 10_000,
  zipAllClassNamesMax: 200_000,
  /** A list of class names: a thousand of them have some 10 KB. */
  zipClassListBytesMax: 1024 * 1024,
  /** What is wrong with one file of a zip, in characters. */
  zipProblemCharactersMax: 500,
  searchQueryCharactersMax: 4_000,
  /** Conditions of one query, each word of a text in quotation marks among them. */
  searchTermsMax: 200,
  /** Words and names with a star, of one query: each may look through all names. */
  searchPatternsMax: 20,
  searchDepthMax: 64,
  /** A tag, a class or an id that is looked for: longer than any that is kept. */
  searchValueCharactersMax: 1_000,
  /** Fields of an answer that one call names: there are some twenty. */
  searchFieldsMax: 50,
  /** A line that is looked for in the catalog, and its words: each is held against all projects. */
  catalogQueryCharactersMax: 500,
  catalogWordsMax: 50,
  /** Images in one row of the index: one bit each. */
  searchChunkImages: 4_096,
  searchPageMax: 1_000,
  /** Annotations of one page of what is found, as JSON: they are turned into an answer at once. */
  foundAnnotationsCharactersMax: 4_000_000,
  /** Terms that one prefix may stand for, of all workspaces: of more, own names are looked at. */
  searchPrefixTermsMax: 10_000,
  /** Classes or tags that are read to say what an empty search may have meant: milliseconds. */
  searchKnownNamesMax: 1_000,
  /** Names that are looked at one by one; of more, all names are looked at in one pass. */
  searchNamesMax: 50_000,
  /** Up to so many hits are read and sorted; more are walked in the order of an index. */
  searchSparseMax: 5_000,
  /** Reads that look through a whole project or workspace: of each workspace one at a time. */
  readThreadsMax: 2,
  /** One of them: a million images take a second, on a busy machine ten times as long. */
  readMsMax: 10_000,
  /** Memory of such a thread, in megabytes: a page of large annotations is in it twice. */
  readMegabytesMax: 256,
  /** Of one workspace, behind the one that runs: a client that sends more does not wait for any. */
  readsWaitingMax: 100,
  similarityChunkImages: 256,
  similarityCandidatesMax: 1_000,
  /** A larger BMP has no descriptor: decoding it holds up everybody else. */
  bmpDescribedPixelsMax: 4_000_000,
  searchExportImagesMax: 100_000,
  /** Rows that one transaction changes: it holds the lock for some 20 ms. */
  forkRowsAtOnceMax: 50,
  rebalanceRowsAtOnceMax: 1_000,
  rebalanceRowsReadMax: 5_000,
  metadataRowsAtOnceMax: 100,
  purgeRowsAtOnceMax: 100,
  purgeIntervalMs: 60 * 60 * 1000,
  /** Records of inferences: a quarter of a year beside the one before can be compared monthly. */
  inferenceAgeMsMax: 90 * 24 * 60 * 60 * 1000,
  /** Ended video jobs with their results: as long as what is in the trash. */
  videoJobAgeMsMax: 30 * 24 * 60 * 60 * 1000,
  /** Of one workspace. */
  apiKeysMax: 1_000,
  /** Scopes that are named for a key: there are some fifty. */
  apiKeyScopesMax: 200,
  foldersMax: 1_000,
  folderDepthMax: 10,
  customMetadataBytesMax: 16 * 1024,
  rateLimitPerMinute: 6_000,
  rateLimitAtOnceMax: 50,
  /** All credentials of a workspace together may ask for so many times what one may. */
  rateLimitKeysOfWorkspace: 10,
  /** Unknown credentials from one address. */
  refusedPerMinuteMax: 60,
  modelBytesMax: 1024 ** 3,
  modelSideMax: 2_048,
  modelBoxesMax: 300,
  modelCandidatesMax: 30_000,
  inferenceMsMax: 30_000,
  modelsLoadedMax: 2,
  /** The thread of a larger model ends with it. */
  modelPlaceKeptBytesMax: 64 * 1024 * 1024,
  /** Loading a large one, with a run to see what it gives. */
  modelOpenMsMax: 120_000,
  modelClassesMax: 10_000,
  /** Of one review, or one deletion: all of it or none, in one transaction of some 100 ms. */
  annotationReviewImagesMax: 500,
  imagesDeletedMax: 500,
  /** Of one call that attaches metadata to records. */
  inferenceRecordsMax: 1_000,
  /** Of one question: some half a second in a thread of its own. */
  inferenceStatsRecordsMax: 100_000,
  inferenceStatsRowsMax: 1_000,
  /** The status of a video job at most once a minute (API 28.1). */
  videoStatusIntervalMs: 60_000,
  videoBytesMax: 2 * 1024 ** 3,
  videoSecondsMax: 3_600,
  videoFramesMax: 36_000,
  /** Of each model before the next is loaded, where not all fit: some 2 s to a load of 0.3 s. */
  videoFramesAtOnceMax: 64,
  videoFramesAtOnceBytesMax: 64 * 1024 * 1024,
  /** A decoder that gives nothing for so long hangs. */
  videoSilenceMsMax: 60_000,
  /** What FFmpeg says of a video: a few hundred bytes. */
  videoProbeBytesMax: 64 * 1024,
  /** Jobs of callers whose last look is remembered. */
  videoLooksRememberedMax: 10_000,
  trainerStopMsMax: 60_000,
  trainerLogCharactersMax: 2_000,
  trainerLineCharactersMax: 100_000,
  /** Facts of the hosted platform. */
  epochsMax: 300,
  activeLearningQueueMax: 50,
  thumbSide: 320,
  thumbsRememberedBytesMax: 32 * 1024 * 1024,
  tasksListedMax: 100,
} as const;
