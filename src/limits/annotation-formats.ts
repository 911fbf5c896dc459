// Limits of annotation files and dataset files, which may contain anything. Counted in the text
// before objects are built from it.

export const annotationFormatLimits = {
  // One annotation file about one image.

  /** 10,000 boxes with outlines take some 4 MB of COCO. */
  annotationBytesMax: 16 * 1024 * 1024,
  /** The same file inside JSON, where each quote and line end takes two characters. */
  annotationBodyBytesMax: 32 * 1024 * 1024,
  /** 10,000 boxes of Pascal VOC take some 2 MB; parsing 3 MB can take three seconds. */
  annotationXmlBytesMax: 3 * 1024 * 1024,
  /** Longer files are parsed in a thread; the worst file of this size takes milliseconds. */
  annotationInlineBytesMax: 4 * 1024,
  /** The worst file takes three seconds in its thread, ten times that on a busy machine. */
  annotationMsMax: 30_000,
  /** Memory of a thread that reads annotation files: enough for the largest file. */
  annotationThreadMegabytesMax: 150,
  /** One for each core of a small machine. */
  annotationThreadsMax: 2,
  /** An idle thread ends: it is quickly started again. */
  annotationThreadIdleMs: 10_000,
  /** 16 MB of real COCO have half as many JSON values. */
  annotationElementsMax: 2_000_000,
  /** The points of COCO outlines are at depth seven. */
  annotationDepthMax: 32,
  /** The formats define a dozen members; tools add some. */
  annotationMembersMax: 10_000,
  /** XML tags: 10,000 boxes of VOC have 160,000; outlines have more. */
  annotationTagsMax: 250_000,
  /** VOC has four levels. */
  annotationXmlDepthMax: 32,
  /** One XML tag with its attributes; VOC has no attributes. */
  annotationTagCharactersMax: 1_000,
  /** YOLO has one box per line; blank lines count too. */
  annotationLinesMax: 20_000,
  /** Numbers of a YOLO file: those of 100,000 points, and some more. */
  annotationNumbersMax: 250_000,
  /** More digits do not change a number. */
  annotationNumberCharactersMax: 64,
  /** Opening brackets of a data.yaml; the names of 20,000 classes need two or three. */
  yamlBracketsMax: 1_000,
  /** Folders and lists of splits in a data.yaml: most have three, some one for each camera. */
  yamlSplitPlacesMax: 1_000,
  /** Files of a dataset that name splits: one, or one for each part. */
  yamlSplitFilesMax: 20,
  /** The largest public box dataset has 20,000 classes. */
  labelmapClassesMax: 20_000,
  /** The densest public datasets have some thousand. */
  boxesPerImageMax: 10_000,
  /** Intersection over union of two boxes that are one: two people draw none so alike. */
  duplicateBoxOverlapMin: 0.95,
  /** Boxes that one is compared with: more begin at nearly one place only by intent. */
  duplicateBoxNeighboursMax: 200,
  /** Points of outlines and keypoints of an image: ten for each of 10,000 boxes. */
  pointsPerImageMax: 100_000,
  /** Classes of one image: each is rows of the search index, in one transaction. */
  labelsPerImageMax: 200,
  /** Warnings of one image that are listed; all are counted. */
  annotationWarningsMax: 1_000,
  /** Pixels, either sign: far beyond any image, far below overflow. */
  boxCoordinateMax: 10_000_000,
  /** A relative coordinate: boxes may reach out of the image, pixel values are far larger. */
  boxShareMax: 2,
  /** A class name must fit in a line. */
  labelCharactersMax: 200,

  // COCO and CreateML files about many images, read in chunks.

  /** COCO train2017 has 470 MB. */
  datasetBytesMax: 512 * 1024 * 1024,
  /** COCO train2017 has 118,287; their names are in memory. */
  datasetImagesMax: 500_000,
  /** COCO train2017 has 860,001; each takes 12 bytes of memory. */
  datasetAnnotationsMax: 5_000_000,
  /** Classes of a file; the largest public dataset has 20,000. */
  datasetCategoriesMax: 20_000,
  /** The classes are in memory as they stand in the file. */
  datasetCategoriesBytesMax: 8 * 1024 * 1024,
  /** One annotation of COCO or image of CreateML; 100,000 points take 2 MB. */
  datasetPieceBytesMax: 4 * 1024 * 1024,
  /** Indexing 470 MB takes 6 s, ten times that on a busy machine, and a reserve. */
  datasetMsMax: 180_000,
  /** Bytes per disk read: more is not faster. */
  datasetReadBytes: 1024 * 1024,
} as const;
