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
   * Pixels that a thread decodes at the same time in WebAssembly, where all it has are 2 GB: the
   * greediest format (AVIF) takes 18 bytes for each. A larger image is read when no other is.
   */
  wasmPixelsAtOnceMax: 80_000_000,
  /** Small pictures made at a time: each may have a whole image in memory. */
  thumbsAtOnceMax: 2,
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

  // What is kept as it is given.

  /** Groups that may read a folder, and likewise write; and one name of them. */
  folderGroupsMax: 100,
  folderGroupCharactersMax: 200,
  /** Projects of one folder that one call may name. */
  folderProjectsMax: 10_000,
  /** An id or a name that others gave a thing of theirs. */
  foreignIdCharactersMax: 256,
  /** The config of a workflow: a large graph of blocks has some 50 KB. */
  workflowConfigBytesMax: 256 * 1024,
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
  /** What was seen in all events of one call: a row each, in one transaction. */
  visionEventSeenMax: 50_000,
  /** A field of the record of an inference. */
  inferenceFieldCharactersMax: 100,
  inferenceValueCharactersMax: 1_000,

  // What one call of the contract may carry.

  /** Facts of the hosted platform: images of one bulk metadata call. */
  metadataUpdatesMax: 1_000,
  /** All updates of it as JSON: they are read again when its task runs. */
  metadataBulkBytesMax: 8 * 1024 * 1024,
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
  /** A page of large events ends here: one is in memory several times. One event is a page. */
  eventsPageCharactersMax: 16 * 1024 * 1024,
  /** Events of one page where the caller does not say (second document, Limits). */
  eventsPageDefault: 100,
} as const;
