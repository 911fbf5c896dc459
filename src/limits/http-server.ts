// Limits of requests to our services.

export const httpServerLimits = {
  // Connections.

  /** Request line and headers together; Node's own default. */
  headerBytesMax: 16 * 1024,
  /** Slower clients only occupy the connection. */
  requestHeadersMsMax: 10_000,
  /** A large body over a slow line. */
  requestMsMax: 300_000,
  /** The same for videos: a day; an upload that stalls is cut off much earlier. */
  uploadMsMax: 24 * 60 * 60 * 1000,
  /** Clients often reuse a connection within this time. */
  keepAliveMsMax: 65_000,
  /** Far below the files that a process may open. */
  connectionsMax: 1_000,
  /** Requests waiting on one connection; browsers send none. */
  pipelinedRequestsMax: 16,
  /** A refused body is still read for this time, so that the client sees the answer. */
  lingerMsMax: 2_000,
  /** A client that reads nothing of an answer for this time is gone. */
  answerIdleMsMax: 30_000,
  /** A service must end within 5 s of a signal, including what follows. */
  shutdownMsMax: 3_000,
  /** Aborted handlers get this time before their store is closed. */
  abortedMsMax: 500,
  /** After a longer body the credential is checked again: it may be revoked by then. */
  credentialRecheckMs: 1_000,
  /** More than any operation has, with lists of names. */
  queryParametersMax: 1_000,

  // Bodies.

  /** A body counts as large from this size. */
  largeBodyBytesMin: 1024 * 1024,
  /** All large bodies in memory: those of four callers. */
  largeBodyBytesAtOnceMax: 256 * 1024 * 1024,
  /** Large bodies of one caller. */
  largeBodyBytesOfCallerMax: 64 * 1024 * 1024,
  /** Large bodies of the keys of one workspace, which may belong to one caller. */
  largeBodyBytesOfGroupMax: 128 * 1024 * 1024,
  /** Size counted for a body without Content-Length. */
  unannouncedBodyBytes: 16 * 1024 * 1024,
  /** First MB of all bodies that arrive slowly. */
  firstBodyBytesAtOnceMax: 256 * 1024 * 1024,
  /** The same of one caller. */
  firstBodyBytesOfCallerMax: 64 * 1024 * 1024,
  /** The same of the keys of one workspace. */
  firstBodyBytesOfGroupMax: 128 * 1024 * 1024,
  /** A client that sends nothing for this time is cut off. */
  bodyIdleMsMax: 15_000,
  /** Minimum rate of a body while others wait, measured over bodyIdleMsMax. */
  heldBodyBytesPerSecondMin: 4 * 1024,
  /** A body before authentication; larger ones send the key in a header. */
  unknownBodyBytesMax: 256 * 1024,
  /** Chunks of a body that may be of any size. */
  bodyPiecesFree: 1_000,
  /** Mean size of further chunks: each is handled separately. */
  bodyPieceBytesMin: 128,
  /** Of a long text as much is read at a time; others come in between. */
  longTextStepBytes: 1024 * 1024,

  // Multipart bodies.

  /**
   * Bytes of an upload after which its pieces are collected; they are in memory until then. With
   * 16 MB, V8 collects its whole heap as often: twice the processor time.
   */
  uploadCollectBytes: 4 * 1024 * 1024,
  /** Six of the largest images, more than a client sends together. */
  multipartBytesMax: 120 * 1024 * 1024,
  /** More than any operation has. */
  multipartFieldsMax: 20,
  /** The images and annotations of a preview. */
  multipartFilesMax: 16,
  /** Metadata and labels are far smaller. */
  multipartFieldBytesMax: 1024 * 1024,
  /** Headers of one part: name, file name and type. */
  multipartHeaderBytesMax: 8 * 1024,
  /** Headers of one part; real ones have two or three. */
  multipartHeadersMax: 16,
  /** A boundary has at most 70 characters (RFC 2046). */
  contentTypeCharactersMax: 300,
} as const;
