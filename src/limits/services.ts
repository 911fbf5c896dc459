// Bounds: requests and answers, tools, the database, files, background work.

export const serviceLimits = {
  // JSON that others send, over HTTP and over MCP.

  /** A JSON body that we accept: an annotation file inside JSON is the largest honest one. */
  jsonBodyBytesMax: 80 * 1024 * 1024,
  /** A path to a file, as Linux has it (PATH_MAX). */
  pathCharactersMax: 4_096,
  /** Depth of JSON: no honest one comes near, and code that walks it may recurse. */
  jsonDepthMax: 64,
  /** A JSON body where its operation says nothing else: parsing and checking takes some 10 ms. */
  bodyBytesMax: 1024 * 1024,
  /** Values in it: ten thousand names, and what is said beside them. */
  bodyElementsMax: 12_000,
  /** Members of one of its objects: LVIS has 1,203 classes, and each may be named. */
  bodyMembersMax: 2_000,
  /** Its depth: the settings of a version have four levels. */
  bodyDepthMax: 32,
  /** All of any body but its long texts: 4 MB of short ones take some 20 ms to parse. */
  bodyParsedBytesMax: 4 * 1024 * 1024,
  /** JSON in the texts of one input: models write it there, but never so much of it. */
  jsonTextBytesMax: 1024 * 1024,
  /** Of a long text as much is read at a time; others come in between. */
  longTextStepBytes: 1024 * 1024,
  /** Values that are checked in one go: of more, no more is checked than makes an error. */
  checkedAtOnceMax: 2_000,
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
  /** The Content-Type of a body: a boundary has 70 characters at most (RFC 2046). */
  contentTypeCharactersMax: 300,
  /** The headers of one part of a multipart body: a name, a file name and a type. */
  multipartHeaderBytesMax: 8 * 1024,
  multipartHeadersMax: 16,
  /**
   * A body may come in so many pieces, however small; beyond that, they have so many bytes in the
   * mean. Each is handed on by itself.
   */
  bodyPiecesFree: 1_000,
  bodyPieceBytesMin: 128,
  /** Time for the headers of a request: slower ones only hold the connection. */
  requestHeadersMsMax: 10_000,
  /** Time for a whole request with a large body, over a slow line. */
  requestMsMax: 300_000,
  /** Likewise where videos come in: a day, as one that stops coming is cut off much earlier. */
  uploadMsMax: 24 * 60 * 60 * 1000,
  /** A body is large once so much of it came. */
  largeBodyBytesMin: 1024 * 1024,
  /** All large bodies in memory until they are answered: what four callers may have. */
  largeBodyBytesAtOnceMax: 256 * 1024 * 1024,
  /** Of one caller, and of the keys of one workspace, which may all be one caller's. */
  largeBodyBytesOfCallerMax: 64 * 1024 * 1024,
  largeBodyBytesOfGroupMax: 128 * 1024 * 1024,
  /** What a large body counts that does not say how long it is: else one would take it all. */
  unannouncedBodyBytes: 16 * 1024 * 1024,
  /** The first MB of all bodies that do not come at once, likewise. */
  firstBodyBytesAtOnceMax: 256 * 1024 * 1024,
  firstBodyBytesOfCallerMax: 64 * 1024 * 1024,
  firstBodyBytesOfGroupMax: 128 * 1024 * 1024,
  /** A client that sends nothing for so long in the middle of a body is cut off. */
  bodyIdleMsMax: 15_000,
  /** One that others wait for must come on at this rate, looked at in steps of the idle time. */
  heldBodyBytesPerSecondMin: 4 * 1024,
  /** The body of somebody who is not known before it: larger ones bring the key in a header. */
  unknownBodyBytesMax: 256 * 1024,
  /** Who took longer than this for a body is looked at again: the key may be revoked by then. */
  credentialRecheckMs: 1_000,
  /** Nothing was read of an answer for so long: whoever waits for one reads. */
  answerIdleMsMax: 30_000,
  /** An idle connection, which goes sooner where others want one: clients often use it again. */
  keepAliveMsMax: 65_000,
  /** Parameters of a query: more than any operation has, with lists of names. */
  queryParametersMax: 1_000,
  /** Proxies that are believed one after the other; the next address is taken for the client's. */
  proxiesInRowMax: 20,
  /** More than this process has room for: far below the files that it may have open. */
  connectionsMax: 1_000,
  /** Requests of one connection that wait for the answer to another one; browsers send none. */
  pipelinedRequestsMax: 16,
  /** A refused body is still read for so long, so that its sender sees the answer. */
  lingerMsMax: 2_000,
  /** A service ends within 5 s of a signal, what follows included. */
  shutdownMsMax: 3_000,
  /** Handlers whose clients were cut off then have so long to end, before their store closes. */
  abortedMsMax: 500,

  // Calls to services.

  /** Time for one upstream call, all attempts together. */
  callTimeoutMs: 60_000,
  /** An unused connection to a service: many calls at once leave many of them. */
  pooledConnectionIdleMsMax: 10_000,
  /** The most that FOVEA_TIMEOUT_MS may ask for: an hour. */
  callTimeoutMsMax: 3_600_000,
  /** Attempts of one upstream call: what fails four times within a minute is not a hiccup. */
  callAttemptsMax: 4,
  /** The wait before a retry has full jitter, which grows from the first figure to the second. */
  retryDelayMsMin: 200,
  retryDelayMsMax: 5_000,
  /** Until a proxy has a connection: it waits for the service in turn, longer than we would. */
  proxyConnectMsMax: 30_000,
  /** To ask which addresses a name has that a proxy will reach: it may be known to that alone. */
  proxyLookupMsMax: 3_000,
  /** An answer that we read into memory. */
  answerBytesMax: 64 * 1024 * 1024,
  /** An answer that is an error: its words are in the first part of it. */
  errorAnswerBytesMax: 64 * 1024,
  /** Text of others in an error, in characters: enough to understand it. */
  foreignTextMax: 2_000,
  /** A URL that is kept: signed ones are long, and no server takes longer ones. */
  urlCharactersMax: 8_192,
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
  /** A glob: a long path, with some lists of names in braces. */
  globCharactersMax: 4_096,
  /** Patterns that the braces of one glob stand for: each name is held against all of them. */
  globAlternativesMax: 100,
  /** Folders in folders that one glob names. */
  globPartsMax: 64,
  /** Names held against the parts of a glob: some seconds of looking. */
  globLooksMax: 5_000_000,
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
  /** Values of one line: twice what the arguments of a call may have, whose refusal says more. */
  rpcElementsMax: 200_000,
  /** Members of one object in it: those of the largest labelmap. */
  rpcMembersMax: 20_000,
  /** Lines on stdin in a second that are no messages and are logged one by one, not counted. */
  strayLinesToldMax: 20,
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
  /** How long a thread waits at a time: it can be ended in between, while its service stops. */
  databaseBusyStepMs: 250,
  /** Long answers are read in parts of this time; writing what was read takes longer. */
  databaseSliceMsMax: 5,
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
  /** A version whose images are not frozen by then was left so by a crash. */
  freezeMsMax: 60 * 60 * 1000,
  /** A blob half written that nobody has written to for so long belongs to a dead process. */
  blobUnfinishedMsMax: 60 * 60 * 1000,

  // Background work, shared by processes.

  /** Work goes to another process when its own one has not renewed for so long. */
  taskLeaseMs: 15_000,
  /** Gaps between two looks for work that another process may have added. */
  taskQueuePollMs: 1_000,
  /** Work that ended its process so often would end the next one too. */
  taskAttemptsMax: 5,
  /** Running work gets so long to end by itself when its service stops. */
  taskStopMsMax: 1_000,
} as const;
