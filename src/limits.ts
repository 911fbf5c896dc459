// Every bound in one place, each with its reason. Units come last in a name.

export const limits = {
  // Images: what a data set may hold.

  /** One image file. Facts of the hosted platform: 20 MB. */
  imageBytesMax: 20 * 1024 * 1024,
  /** Width x height. The hosted platform stops at 16,400 x 10,900; more is a decompression bomb. */
  imagePixelsMax: 16_400 * 10_900,
  /** The longer side of an image, in pixels: what the hosted platform stops at. */
  imageSideMax: 16_400,
  /** Fetching one image that a user pointed at: half a call, so that its caller hears of it. */
  imageFetchMsMax: 30_000,

  // Annotations: files that people bring, so their numbers can be anything.

  /** One annotation file, a COCO file of a large dataset included. */
  annotationBytesMax: 64 * 1024 * 1024,
  /** A Pascal VOC file is about one image; parsing 4 MB of XML takes about two seconds. */
  annotationXmlBytesMax: 4 * 1024 * 1024,
  /** Boxes of one image; the densest public data sets have a few thousand. */
  boxesPerImageMax: 50_000,
  /** One coordinate of a box, in pixels, either sign: far beyond any image, far below overflow. */
  boxCoordinateMax: 10_000_000,
  /** A coordinate as a share of the image; a labelled box may reach out, a pixel is far beyond. */
  boxShareMax: 2,
  /** The name of an image, as the contract has it: paths in names are longer than file names. */
  imageNameCharactersMax: 500,
  /** One class name: it must fit in a line, and a longer one is a sentence. */
  labelCharactersMax: 200,

  // Dataset versions.

  /** The plan cap of the embedded platform for augmentation.image.versions. */
  versionMultiplierMax: 50,
  /** Images that isolate and tile may make of one: more are a typing mistake. */
  piecesPerImageMax: 10_000,
  /** Pixels of these together, without copies: minutes of work. */
  piecePixelsMax: 10_000_000_000,
  /** Mirror images where edges reflect, of an image or its boxes: three are customary. */
  reflectionsMax: 200_000,
  /** Sources that one thread works on at a time: mosaic finds its partners among them. */
  renderSourcesMax: 8,
  /** Images that it makes of them: seconds of work, so that progress shows and others come in. */
  renderImagesMax: 128,
  /** Pixels of those sources together, as stored and as resized: all may be in memory. */
  renderPixelsMax: 64_000_000,
  /** Pixels in work in all threads together, at some 23 bytes each; one larger image goes alone. */
  renderPixelsAtOnceMax: 100_000_000,
  /** A thread that makes images ends when it has had nothing to do for so long. */
  renderIdleMsMax: 10_000,
  /** Rows of pixels that the edges of one outline may cross in a mask: more fill all memory. */
  outlineCrossingsMax: 10_000_000,
  /** Pixels of the boxes of one image that a bb key changes: ten times the largest image. */
  boxPixelsMax: 2_000_000_000,
  /** Rectangles that cutout may draw on one image: more than that hides the whole image. */
  cutoutCountMax: 10_000,
  /** First document's platform: what is in the trash can come back for 30 days. */
  trashRetentionMs: 30 * 24 * 60 * 60 * 1000,
  /** A link to an image or an export: long enough for a slow download to start. */
  linkLifetimeMs: 60 * 60 * 1000,

  /** A contact sheet: as base64, beside its words, below the 1 MB at which hosts cut results. */
  previewBytesMax: 600 * 1024,
  /** Pictures of one preview, and samples of each: more are too small to see on one sheet. */
  previewSourcesMax: 8,
  previewSamplesMax: 8,
  /** Local images of which a preview looks for one with an annotation, before it takes any. */
  previewFilesReadMax: 200,
  /** The pictures of events in a result: beside its words they stay small. */
  eventPreviewBytesMax: 200 * 1024,
  /** Pictures on one such sheet: two rows of three are seen without scrolling. */
  eventPreviewImagesMax: 6,
  /** Detections that are drawn on one image, the surest first: more hide it. */
  eventPreviewBoxesMax: 1_000,
  /** Sheets that are kept in the data folder; older ones go. */
  previewsKeptMax: 100,

  // What one call of the contract may carry.

  /** Facts of the hosted platform: images of one bulk metadata call. */
  metadataUpdatesMax: 1_000,
  /** Facts of the hosted platform: events of one batch. */
  eventBatchMax: 100,
  /** Facts of the hosted platform: members of one annotation list of an image of an event. */
  annotationItemsMax: 1_000,
  /** Facts of the hosted platform: events are taken from a year back to a day ahead. */
  visionEventAgeMsMax: 366 * 24 * 60 * 60 * 1000,
  visionEventAheadMsMax: 24 * 60 * 60 * 1000,
  /** Facts of the hosted platform: pairs of the custom metadata of an event. */
  customMetadataPairsMax: 100,
  /** Events of one page of the Event Store: no client shows more at once. */
  eventsPageMax: 1_000,
  /** A page of large events ends here: one is in memory several times. One event is a page. */
  eventsPageCharactersMax: 16 * 1024 * 1024,
  /** Events of one page where the caller does not say (second document, Limits). */
  eventsPageDefault: 100,

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
  /** A client that met a full store comes back then. */
  fullRetryAfterSeconds: 5,
  /** Batches that a create at a limit waits for: a second or two; clients wait five. */
  urgentBatchesMax: 100,
  /** Files to unlink between two entries in the database. */
  unlinkBatchMax: 200,
  /** Files that cannot be unlinked are passed over for so long; so many end all removal. */
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
  /** Events that are indexed together; queries look through twice as many, in a millisecond. */
  unindexedEventsMax: 512,
  /** Clocks are set by less than this every day. */
  clockLeadMs: 60_000,
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

  /** The contract: video inference status at most once a minute. */
  videoStatusIntervalMs: 60_000,

  // JSON that others send, over HTTP and over MCP.

  /** A JSON body that we accept: an annotation file inside JSON is the largest honest one. */
  jsonBodyBytesMax: 80 * 1024 * 1024,
  /** Members of one JSON body, so that small members cannot exhaust memory (CVE-2026-111768). */
  jsonElementsMax: 2_000_000,
  /** Depth of one JSON body: no honest one comes near, and code that walks it may recurse. */
  jsonDepthMax: 64,
  /** Problems of one input that its error names: more help nobody, and an error stays small. */
  problemsShownMax: 50,

  // Requests to our services.

  /** The request line and all headers of a request together; the same as Node's own default. */
  headerBytesMax: 16 * 1024,
  /** Text fields of one multipart body: more than any operation has. */
  multipartFieldsMax: 20,
  /** Files of one multipart body: as many as a preview has, images and their annotations. */
  multipartFilesMax: 16,
  /** One multipart body: six of the largest images, which nobody sends together. */
  multipartBytesMax: 120 * 1024 * 1024,
  /** One text field of a multipart body: metadata and labels are far smaller. */
  multipartFieldBytesMax: 1024 * 1024,
  /** The headers of one part of a multipart body: a name, a file name and a type. */
  multipartHeaderBytesMax: 8 * 1024,
  /** Time for the headers of a request: slower ones only hold the connection. */
  requestHeadersMsMax: 10_000,
  /** Time for a whole request with a large body, over a slow line. */
  requestMsMax: 300_000,
  /** Likewise where videos come in: a day, as one that stops coming is cut off much earlier. */
  uploadMsMax: 24 * 60 * 60 * 1000,
  /** Bodies take turns once so much of them came: so many at once, in memory until answered. */
  largeBodyBytesMin: 1024 * 1024,
  largeBodiesAtOnceMax: 16,
  /** A client that sends nothing for so long in the middle of a body is cut off. */
  bodyIdleMsMax: 15_000,
  /** A refused body is still read for so long, so that its sender sees the answer. */
  lingerMsMax: 2_000,
  /** A service ends within 5 s of a signal, what follows included. */
  shutdownMsMax: 3_000,
  /** Handlers whose clients were cut off then have so long to end, before their store closes. */
  abortedMsMax: 500,

  // Calls to services.

  /** Time for one upstream call, all attempts together. */
  callTimeoutMs: 60_000,
  /** The most that FOVEA_TIMEOUT_MS may ask for: an hour. */
  callTimeoutMsMax: 3_600_000,
  /** Attempts of one upstream call: what fails four times within a minute is not a hiccup. */
  callAttemptsMax: 4,
  /** The wait before a retry has full jitter, which grows from the first figure to the second. */
  retryDelayMsMin: 200,
  retryDelayMsMax: 5_000,
  /** An answer that we read into memory. */
  answerBytesMax: 64 * 1024 * 1024,
  /** An answer that is an error: its words are in the first part of it. */
  errorAnswerBytesMax: 64 * 1024,
  /** Text of others in an error, in characters: enough to understand it. */
  foreignTextMax: 2_000,
  /** Redirects of a download: more are a loop. */
  redirectsMax: 5,
  /** A file that we download to disk: an export of a large dataset. */
  downloadBytesMax: 20 * 1024 * 1024 * 1024,

  // Tools.

  /** Below the 60 s after which most MCP clients give up. */
  toolWaitMsMax: 45_000,
  /** Gaps between two questions after running work: short work shows soon, long work has peace. */
  pollGapMsMin: 500,
  pollGapMsMax: 5_000,
  /** Looking for an Event Store on this machine: one that is there answers at once. */
  eventStoreProbeMs: 1_000,
  /** The doctor's questions to services: whoever takes longer is not well. */
  doctorTimeoutMs: 5_000,
  /** Files that one folder or glob may stand for: a larger dataset goes folder by folder. */
  expandedFilesMax: 200_000,
  /** Images that one upload sends at the same time: more gains nothing and crowds out others. */
  uploadConcurrency: 4,
  /** Failures, warnings and names that one upload result lists; it counts all of them. */
  uploadProblemsShownMax: 50,
  /** Rows of one list of events: two thirds of a result, so that none is cut off unseen. */
  eventRowsCharactersMax: 40_000,
  /** Pictures in a result come within this time, or its words go without them. */
  eventPreviewMsMax: 15_000,
  /** A slower line to an Event Store than this is given up: 1 GB takes 17 minutes. */
  sendBytesPerSecondMin: 1_000_000,
  /** Ids of uploaded images are listed up to here; of more, a model picks none by hand. */
  uploadIdsShownMax: 20,
  /** A list of image names or of classes: some 200,000 paths. */
  nameListBytesMax: 16 * 1024 * 1024,
  /** A data.yaml: 20,000 class names have 0.6 MB, and 1 MB can take seconds to parse. */
  yamlBytesMax: 1024 * 1024,
  /** An image that is sent with a search, inside JSON. */
  searchImageBytesMax: 10 * 1024 * 1024,

  // MCP over stdio.

  /** One line of JSON-RPC. Files go by path, so an honest one is far smaller. */
  rpcLineBytesMax: 16 * 1024 * 1024,
  /** Members of the arguments of one tool call: long lists go by path as well. */
  toolArgumentElementsMax: 100_000,
  /** Depth of the arguments of one tool call: the settings of a version have four levels. */
  toolArgumentDepthMax: 32,
  /** Text of one tool result, about 20,000 tokens: hosts refuse or spill more than 25,000. */
  resultCharactersMax: 60_000,
  /** Images of one tool result, before base64: hosts cut results of 1 MB, all parts together. */
  resultImageBytesMax: 700 * 1024,
  /** Progress more often than this is noise to a host. */
  progressIntervalMs: 250,
  /** Requests that were read before stdin ended may still be answered for so long. */
  stdinGraceMs: 500,
  /** A stdio server ends within 2 s of the end of stdin or a signal, the grace included. */
  stdioShutdownMsMax: 1_300,

  // The database.

  /** Wait for another process's transaction: longer than any honest one takes. */
  databaseBusyMsMax: 15_000,
  /** A thread that waits for it can be ended so soon: its service stops meanwhile. */
  databaseBusyStepMs: 250,
  /** Tries to overwrite a failed commit: a disk that fails more often in a row fails for good. */
  databaseOverwritesMax: 20,
  /** Prepared statements kept per connection: texts are constants, so more are a mistake. */
  databaseStatementsMax: 200,
  /** What a write-ahead log that a long reader made grow is cut back to. */
  databaseLogBytesMax: 64 * 1024 * 1024,
  /** A file up to here is read whole for damage when it is opened. */
  databaseCheckBytesMax: 16 * 1024 * 1024,

  /** Commands that go to the thread at once: a message for each would cost more than it does. */
  groupCommitSentAtOnceMax: 16,
  /** Commands of one shared transaction: more gain little, and all wait for the last one. */
  groupCommitCommandsMax: 512,
  /** What they write together; one larger command goes alone. */
  groupCommitBytesMax: 4 * 1024 * 1024,
  /** A thread that got nothing for so long does what can wait. */
  groupCommitIdleMs: 100,
  /** Writes may end for so long when their store closes: a service ends within 5 s in all. */
  groupCommitCloseMsMax: 1_000,

  // Blobs.

  /** A blob that nothing points at is kept so long: an upload may be about to point at it. */
  blobGraceMs: 60 * 60 * 1000,
  /** A blob half written that nobody has written to for so long belongs to a dead process. */
  blobUnfinishedMsMax: 60 * 60 * 1000,

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

  // Background work, shared by processes.

  /** Work goes to another process when its own one has not renewed for so long. */
  workLeaseMs: 15_000,
  /** Gaps between two looks for work that another process may have added. */
  workPollMs: 1_000,
  /** Work that ended its process so often would end the next one too. */
  workAttemptsMax: 5,
  /** Running work gets so long to end by itself when its service stops. */
  workStopMsMax: 1_000,

  // Sign-in, the side of the user.

  /** A token is renewed so long before its end, so that no call carries one that just ended. */
  refreshBeforeMs: 5 * 60 * 1000,
  /** A refresh waits so long for the one of another process. */
  refreshWaitMsMax: 30_000,
  refreshLockPollMs: 25,
  /** After a refresh that failed while the token still works, or was of no use. */
  refreshAgainMs: 30_000,
  /** Two ends of a token that are so near are one: it took some time to be told. */
  sameEndMs: 5_000,
  /** A person has so long to sign in. */
  signInMsMax: 10 * 60 * 1000,
  /** One request to an authorization server, and its answer. */
  oauthRequestMsMax: 15_000,
  oauthAnswerBytesMax: 1024 * 1024,
  /** A keychain that asks a person, or hangs. */
  keychainMsMax: 5_000,
  /** Ids and keys of all kinds are far smaller; some servers put whole directories in tokens. */
  sealedFileBytesMax: 1024 * 1024,
  /** Windows keeps 2,560 bytes in one entry. */
  secretChunkCharactersMax: 1_200,
  /** A host may ask its user for so long whether an address is to be opened. */
  askToOpenMsMax: 45_000,

  // Sign-in, the side of the service.

  /** Seconds: first document, tokens; RFC 6749 for codes. */
  oauthLifetimes: {
    accessSeconds: 60 * 60,
    mcpAccessSeconds: 24 * 60 * 60,
    refreshSeconds: 30 * 24 * 60 * 60,
    grantSeconds: 365 * 24 * 60 * 60,
    codeSeconds: 60,
    idTokenSeconds: 60 * 60,
    interactionSeconds: 10 * 60,
    sessionSeconds: 14 * 24 * 60 * 60,
    exchangedSeconds: 5 * 60,
  },
  /** The holder of a refresh token may lose the answer, or race itself, for so long. */
  refreshGraceMs: 30_000,
  /** The document of a client: those of others have less than 2 KB. */
  metadataDocumentBytesMax: 5 * 1024,
  metadataDocumentMsMax: 2_500,
  /** Anybody can name one: so many are fetched at once, whoever asks. */
  metadataDocumentsAtOnceMax: 8,
  /** The body of a form, of the token endpoint too. */
  signInFormBytesMax: 16 * 1024,
  /** So many wrong passwords pause an account and an address. */
  passwordFailuresMax: 5,
  passwordPauseMs: 60_000,
  /** Wrong ones for one account from anywhere, or from one address for any account, likewise. */
  passwordFailuresWideMax: 50,
  /** Accounts and addresses whose wrong passwords are counted at the same time. */
  passwordFailuresRememberedMax: 10_000,
  /** NIST SP 800-63B asks for 8 at least; nothing else about the characters. */
  passwordCharactersMin: 12,
  passwordCharactersMax: 200,
  /** Each takes 32 MiB and one of libuv's four threads; files and names of hosts need the rest. */
  passwordChecksAtOnceMax: 2,
  /** The name of an account or of an application: it stands in one line. */
  displayNameCharactersMax: 100,
  /** Of one application. RFC 6749 has no bound; browsers stop at some 2,000 characters. */
  redirectUrisMax: 20,
  urlCharactersMax: 2_000,
  /** A person stays signed in to the settings pages for a working day. */
  settingsSessionMs: 8 * 60 * 60 * 1000,
  /** A form on them may stay open for so long before it is sent. */
  settingsFormMs: 60 * 60 * 1000,

  // MCP over HTTP.

  /** A revoked token may be good for so long still; an unknown one is asked for again sooner. */
  tokenCacheMs: 5_000,
  tokenCacheMissMs: 1_000,
  tokenCacheEntriesMax: 1_000,
  /** A token of the platform is exchanged anew so long before its end. */
  exchangeBeforeMs: 30_000,
  /** Made-up tokens must not become a flood of questions to the authorization server. */
  tokenChecksAtOnceMax: 32,
  /** One message, or a batch of them. */
  httpBodyBytesMax: 1024 * 1024,
  httpToolArgumentElementsMax: 10_000,
  /** Of one principal. */
  httpCallsPerMinuteMax: 600,
  httpCallsAtOnceMax: 20,
} as const;
