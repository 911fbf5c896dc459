// Limits of the requests and answers of the API.

export const contractLimits = {
  // JSON in requests.

  /** The largest real body is an annotation file inside JSON. */
  jsonBodyBytesMax: 80 * 1024 * 1024,
  /** Real JSON is far below, and recursive code may walk it. */
  jsonDepthMax: 64,
  /** Default of an operation: parsing and checking takes some 10 ms. */
  bodyBytesMax: 1024 * 1024,
  /** JSON values of a body by default: ten thousand names, and a little more. */
  bodyElementsMax: 12_000,
  /** Members of one object: LVIS has 1,203 classes, and each may be named. */
  bodyMembersMax: 2_000,
  /** Its depth: the settings of a version have four levels. */
  bodyDepthMax: 32,
  /** All of any body but its long texts: 4 MB of short ones take some 20 ms to parse. */
  bodyParsedBytesMax: 4 * 1024 * 1024,
  /** JSON in the texts of one input: models write it there, but never so much of it. */
  jsonTextBytesMax: 1024 * 1024,
  /** Values that are checked in one go: of more, no more is checked than makes an error. */
  checkedAtOnceMax: 2_000,
  /** Problems of one input that its error names: more do not help, and an error stays small. */
  problemsShownMax: 50,

  // Images and their metadata.

  /** Metadata of one image: each key becomes a term of the search index, in one transaction. */
  metadataKeysMax: 100,
  /** A key is a short name. */
  metadataKeyCharactersMax: 200,
  /** A value is a fact to filter by; a longer one is a document. */
  metadataValueCharactersMax: 1_000,
  /** Tags of one image become terms of the search index, like metadata. */
  imageTagsMax: 100,
  /** Keys or tags removed by one change of an image: ten times what it can have. */
  metadataRemovedMax: 1_000,
  /** Names may contain paths, which are longer than file names. */
  imageNameCharactersMax: 500,
  /** Images of one bulk metadata call; fact of the hosted platform. */
  metadataUpdatesMax: 1_000,
  /** All its updates as JSON: they are read again when the task runs. */
  metadataBulkBytesMax: 8 * 1024 * 1024,
  /** A little above, so that errors can name what exceeds the limit. */
  metadataBulkBodyBytesMax: 10 * 1024 * 1024,
  /** A hundred values of each image, which is the maximum of an image. */
  metadataBulkElementsMax: 110_000,
  /** Images of one review: one transaction of some 100 ms. */
  annotationReviewImagesMax: 500,
  /** Chosen images of one annotation job: one transaction of some 20 ms. */
  annotationJobImagesMax: 2_000,
  /** What a person says of an image, or is asked to do: a paragraph. */
  reviewTextCharactersMax: 1_000,
  /** Images of one deletion: one transaction of some 100 ms. */
  imagesDeletedMax: 500,
  /** Images of the disk that are added in one transaction: it takes some 10 ms. */
  diskImagesAtOnceMax: 32,
  /** A longer annotation is sent on its own: this one has 200 boxes of Pascal VOC. */
  diskAnnotationBytesMax: 64 * 1024,
  /** So much text of so many annotations, and a labelmap. */
  diskImagesBodyBytesMax: 4 * 1024 * 1024,

  // Projects, folders, keys and other items.

  /** Groups that may read or write a folder; companies have dozens. */
  folderGroupsMax: 100,
  /** A group name must fit in a line. */
  folderGroupCharactersMax: 200,
  /** Projects of a folder in one call: one transaction of some 50 ms. */
  folderProjectsMax: 10_000,
  /** Above the length of the names from which slugs are made. */
  projectSlugCharactersMax: 300,
  /** Ids and names that other systems assigned. */
  foreignIdCharactersMax: 256,
  /** A large workflow graph has some 50 KB. */
  workflowConfigBytesMax: 256 * 1024,
  /** JSON values of it; a large graph has some 5,000. */
  workflowConfigElementsMax: 50_000,
  /** Classes that one rebalance names; LVIS has 1,203. */
  rebalanceClassesMax: 1_000,
  /** Prompts or confidences by class for Auto Label. */
  autolabelClassesMax: 1_000,
  /** Hyperparameters and augmentation steps take a few KB. */
  trainRecipeBytesMax: 64 * 1024,
  /** Scopes of one key; there are some fifty. */
  apiKeyScopesMax: 200,
  /** Folders of a workspace: they are listed in one answer. */
  foldersMax: 1_000,
  /** A field name of an inference record. */
  inferenceFieldCharactersMax: 100,
  /** A field value of an inference record. */
  inferenceValueCharactersMax: 1_000,
  /** Fact of the hosted platform. */
  epochsMax: 300,
  /** Signed URLs are long, but no server accepts longer ones. */
  urlCharactersMax: 8_192,

  // Search.

  /** A query is typed by a person or a model. */
  searchQueryCharactersMax: 4_000,
  /** A tag, class or id to search for: longer than any that is stored. */
  searchValueCharactersMax: 1_000,
  /** Requested fields of an answer; there are some twenty. */
  searchFieldsMax: 50,
  /** A line of text, matched against all public projects. */
  catalogQueryCharactersMax: 500,
  /** A query image inside JSON. */
  searchImageBytesMax: 10 * 1024 * 1024,

  // Versions and previews.

  /** Plan limit of the embedded platform for augmentation.image.versions. */
  versionMultiplierMax: 50,
  /** More rectangles hide the whole image. */
  cutoutCountMax: 10_000,
  /** More images are too small to see on one sheet. */
  previewSourcesMax: 8,
  /** More boxes hide the image on which they are drawn. */
  drawnBoxesMax: 300,
  /** Of one image; all of them are read with its predictions. */
  refusedPredictionsMax: 1_000,
  /** What a model is less sure of is mostly wrong: a person would refuse all of it. */
  predictionConfidenceMin: 0.1,
  /** More samples of each are too small to see on one sheet. */
  previewSamplesMax: 8,
  /** Pieces of one image: more are too small to be seen in a sheet. */
  previewPiecesMax: 64,

  /** A bucket has 63 characters, a key 1,024 bytes. */
  objectsUrlCharactersMax: 1_100,

  // Vision events.

  /** The data of an event beside images and metadata. */
  eventDataBytesMax: 256 * 1024,
  /** An event with the outlines of a few thousand objects. */
  visionEventBytesMax: 8 * 1024 * 1024,
  /** Images of one event in the cloud. */
  visionEventImagesMax: 100,
  /** One call with events: two of the largest. */
  eventBodyBytesMax: 16 * 1024 * 1024,
  /** JSON values: outlines of a thousand objects; 100,000 names take 50 ms. */
  eventElementsMax: 100_000,
  /** Images of one device event: each is a file or two. */
  eventImagesMax: 1_000,
  /** Events of one batch; fact of the hosted platform. */
  eventBatchMax: 100,
  /** Members of one annotation list of an event image; fact of the hosted platform. */
  annotationItemsMax: 1_000,
  /** Custom metadata of an event; fact of the hosted platform. */
  customMetadataPairsMax: 100,
  /** Events of one page of the Event Store: no client shows more at once. */
  eventsPageMax: 1_000,
  /** Kinds that one query of vision events names; fact of the hosted platform. */
  queriedEventTypesMax: 20,

  /** A box with a shorter side shows too little for a detector to learn from. */
  healthTinyPixels: 4,
  /** Groups, images or files of one page of findings. */
  findingsPageMax: 100,
  /** Predictions of one evaluation, a file or a folder: what one file of a request may have. */
  predictionFilesBytesMax: 20 * 1024 * 1024,
  /** Rows of one page of a panel of an evaluation. */
  evaluationPageMax: 100,
  /** Mistakes of one image in such a page: more are counted. */
  evaluationMistakesShownMax: 10,
  /** Images whose labels one call mends: each takes a few milliseconds of the platform. */
  evaluationMendImagesMax: 1_000,
  /** Images that are named in its answer. */
  evaluationMendImagesShownMax: 20,
  /** Classes that one call renames or removes: more than most datasets have. */
  classesChangedMax: 1_000,
} as const;
