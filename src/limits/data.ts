// Bounds: what data sets, annotations and versions may hold, and what one call may carry.

export const dataLimits = {
  // Images: what a data set may hold.

  /** One image file. Facts of the hosted platform: 20 MB. */
  imageBytesMax: 20 * 1024 * 1024,
  /** Width x height. The hosted platform stops at 16,400 x 10,900; more is a decompression bomb. */
  imagePixelsMax: 16_400 * 10_900,
  /** The longer side of an image, in pixels: what the hosted platform stops at. */
  imageSideMax: 16_400,
  /**
   * Memory that decoding one image may take beside its file, counted from its header. Most formats
   * are streamed and stay far below it: this is what progressive, interlaced and AVIF files meet.
   * With what a thread takes for itself, a service stays below 300 MB more. Of AVIF it is 4K.
   */
  decodeBytesMax: 160 * 1024 * 1024,
  /** Images that take less share a thread; a larger one has its own, which ends with it. */
  decodeSharedBytesMax: 48 * 1024 * 1024,
  /** Images with more pixels take seconds: they have a thread of their own too. */
  decodeSharedPixelsMax: 50_000_000,
  /** Images that the shared thread works on at once: each may hold one of libuv's four threads. */
  decodeSharedAtOnceMax: 3,
  /** Of one caller and its group: another caller's image never waits for a slow one. */
  decodeSharedOfCallerMax: 2,
  /** Images with a thread of their own at once: one, so that the bound on memory is one for all. */
  decodeAloneAtOnceMax: 1,
  /** Reading one image: the largest take some 3 s on one core, 30 s on a full machine. */
  imageReadMsMax: 60_000,
  /** In WebAssembly, the shared thread ends when it has had nothing to do for so long. */
  imageThreadIdleMsMax: 10_000,
  /** EXIF entries of one image, as pointers lead to them. Cameras write some 100. */
  exifEntriesMax: 1_000,
  /** Of larger images the colour profile is ignored: some profiles take 0.2 us for each pixel. */
  colourProfilePixelsMax: 30_000_000,
  /** Scans of one JPEG: progressive ones have some 10, and each passes over all pixels. */
  jpegScansMax: 100,
  /** Compressed texts of one PNG: each is up to 8 MB in memory; programs write a few. */
  pngTextsMax: 20,
  /** Pages of one TIFF, of which the first is read: each look at the header counts all of them. */
  tiffPagesMax: 10_000,
  /** Small pictures made at a time: each may have a whole image in memory. */
  thumbsAtOnceMax: 2,
  /** For one network: all, since each is short, and the next place is another network's. */
  thumbsOfCallerMax: 2,
  /** Metadata and tags of one image: each becomes terms of the search index, in one transaction. */
  metadataKeysMax: 100,
  metadataKeyCharactersMax: 200,
  /** A value is a fact to filter by; a longer one is a document. */
  metadataValueCharactersMax: 1_000,
  imageTagsMax: 100,
  /** Keys or tags that one change of an image removes. */
  metadataRemovedMax: 1_000,
  /** Fetching one image that a user pointed at: half a call, so that its caller hears of it. */
  imageFetchMsMax: 30_000,

  /** The name of an image, as the contract has it: paths in names are longer than file names. */
  imageNameCharactersMax: 500,

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
  /**
   * Pixels in work in all threads together, at some 9 bytes each (23 in a mosaic): what one request
   * may take of memory. One larger image goes alone.
   */
  renderPixelsAtOnceMax: 30_000_000,
  /** A thread that makes images ends when it has had nothing to do for so long. */
  renderIdleMsMax: 10_000,
  /** Rows of pixels that the edges of one outline may cross in a mask: more fill all memory. */
  outlineCrossingsMax: 10_000_000,
  /** Pixels of the boxes of one image that a bb key changes: ten times the largest image. */
  boxPixelsMax: 2_000_000_000,
  /** Rectangles that cutout may draw on one image: more than that hides the whole image. */
  cutoutCountMax: 10_000,
  /** What is in the trash can come back for 30 days (API 8.12). */
  trashRetentionMs: 30 * 24 * 60 * 60 * 1000,
  /** A link to an image or an export: long enough for a slow download to start. */
  linkLifetimeMs: 60 * 60 * 1000,

  /** A contact sheet: as base64, beside its words, below the 1 MB at which hosts cut results. */
  previewBytesMax: 600 * 1024,
  /** Pictures of one preview, and samples of each: more are too small to see on one sheet. */
  previewSourcesMax: 8,
  previewSamplesMax: 8,
  /**
   * Pixels of one image that a preview works on, at some 9 bytes each; a larger one is made smaller
   * first. No camera below medium format makes more.
   */
  previewPixelsMax: 30_000_000,
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

  // What is kept as it is given.

  /** Groups that may read a folder, and likewise write; and one name of them. */
  folderGroupsMax: 100,
  folderGroupCharactersMax: 200,
  /** Projects of one folder that one call may name: one transaction of some 50 ms. */
  folderProjectsMax: 10_000,
  /** The slug of a project that a call names: as long as the name that it is made of, and more. */
  projectSlugCharactersMax: 300,
  /** An id or a name that others gave a thing of theirs. */
  foreignIdCharactersMax: 256,
  /** The config of a workflow: a large graph of blocks has some 50 KB. */
  workflowConfigBytesMax: 256 * 1024,
  /** Values in it; such a graph has some 5,000. */
  workflowConfigElementsMax: 50_000,
  /** Classes that one rebalance names. */
  rebalanceClassesMax: 1_000,
  /** Classes that Auto Label is told: prompts, or least confidences. */
  autolabelClassesMax: 1_000,
  /** A recipe of a training: hyperparameters and steps of augmentation. */
  trainRecipeBytesMax: 64 * 1024,
  /** What an event says beside its images; the metadata of it is apart. */
  eventDataBytesMax: 256 * 1024,
  /** An event with all that was seen in its images: outlines of a few thousand objects. */
  visionEventBytesMax: 8 * 1024 * 1024,
  visionEventImagesMax: 100,
  /** The body of one call with events. */
  eventBodyBytesMax: 16 * 1024 * 1024,
  /** Values in it: outlines of a thousand objects, or 14,000 boxes; 100,000 names take 50 ms. */
  eventElementsMax: 100_000,
  /** Images of one event of a device: each is a file, or two. */
  eventImagesMax: 1_000,
  /** What was seen in all events of one call: a row each, in one transaction. */
  visionEventSeenMax: 10_000,
  /** A field of the record of an inference. */
  inferenceFieldCharactersMax: 100,
  inferenceValueCharactersMax: 1_000,

  // What one call of the contract may carry.

  /** Facts of the hosted platform: images of one bulk metadata call. */
  metadataUpdatesMax: 1_000,
  /** All updates of it as JSON: they are read again when its task runs. */
  metadataBulkBytesMax: 8 * 1024 * 1024,
  /** Its body, in which what is over that bound is still told by name. */
  metadataBulkBodyBytesMax: 10 * 1024 * 1024,
  /** Values in it: a hundred of each image, which is all that an image may have. */
  metadataBulkElementsMax: 110_000,
  /** Terms that such a call changes in one transaction: it holds the lock for some 50 ms. */
  metadataTermsAtOnceMax: 1_000,
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
  /** A page of large events ends here: it is sent in some 30 ms. One event is a page. */
  eventsPageCharactersMax: 4 * 1024 * 1024,
  /** Values of one comma-separated list of a query of events, and filters on their metadata. */
  eventFilterValuesMax: 200,
  eventMetadataFiltersMax: 32,
  /** Events of one page where the caller does not say (Event Store 16.1). */
  eventsPageDefault: 100,
} as const;
