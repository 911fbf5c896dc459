// Limits of running and training models.

export const modelLimits = {
  /** An ONNX model with its weights is loaded into memory. */
  modelBytesMax: 1024 ** 3,
  /** Pixels of a model input's longer side; 640 is usual. */
  modelSideMax: 2_048,
  /** Detections of one image; the default of common exports. */
  modelBoxesMax: 300,
  /** Boxes that a model outputs before filtering; YOLO at 640 pixels has 8,400. */
  modelCandidatesMax: 30_000,
  /** Above the largest public datasets of trained detectors. */
  modelClassesMax: 10_000,
  /** Numbers of one output, 512 MB: 100 masks of 1333 x 800 pixels are 107 million. */
  modelOutputValuesMax: 128 * 1024 * 1024,
  /** Share of an image by which a keypoint may lie beside it; what is farther is not seen. */
  keypointBeyondShareMax: 0.1,
  /** Keypoints of an object; faces have 478. */
  modelKeypointsMax: 500,
  /** Names of keypoints in a model: some hundred, for each class. */
  keypointNamesCharactersMax: 100_000,
  /** Corners of one outline: enough for a leaf, and few enough to be drawn by hand. */
  outlineCornersMax: 200,
  /** Corners of all outlines of one image: they are told and kept as text. */
  imageCornersMax: 20_000,
  /** Corners as they are traced, before most are left out; a mask of noise has a million. */
  tracedCornersMax: 20_000,
  /** One image, on a slow processor. */
  inferenceMsMax: 30_000,
  /** Each keeps its weights in memory. */
  modelsLoadedMax: 2,
  /** An idle model ends with its thread: most are loaded again in a second. */
  modelIdleMsMax: 30_000,
  /** The thread of a larger model ends with it. */
  modelPlaceKeptBytesMax: 64 * 1024 * 1024,
  /** Loading a large model, with a test run. */
  modelOpenMsMax: 120_000,
  /** A tokenizer of 256,000 words has 34 MB. */
  embedderTokenizerBytesMax: 64 * 1024 * 1024,
  /** Settings of an embedder: some kilobytes; a tokenizer's name its special words one by one. */
  embedderConfigBytesMax: 1024 * 1024,
  /** Tokens of a text that an encoder is given, where its folder does not say; that of CLIP. */
  embedderTokensUsual: 77,
  /** A search is a sentence. */
  embedderTokensMax: 512,
  /** Frames per model before the next is loaded, where not all fit: 2 s to a load of 0.3 s. */
  videoFramesAtOnceMax: 64,
  /** Their memory. */
  videoFramesAtOnceBytesMax: 64 * 1024 * 1024,
  /** A list of class or image names: some 200,000 paths. */
  nameListBytesMax: 16 * 1024 * 1024,
  /** A trainer saves its state before it is killed. */
  trainerStopMsMax: 60_000,
  /** Loading torch from a cold disk. */
  trainerCheckMsMax: 60_000,
  /** The end of a trainer's log, for the error. */
  trainerLogCharactersMax: 2_000,
  /** One line of a trainer's protocol. */
  trainerLineCharactersMax: 100_000,
} as const;
