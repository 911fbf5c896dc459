// Bounds: annotation files that people bring, so their numbers can be anything. Counted in the text
// before anything is built of it.

export const annotationLimits = {
  /** One annotation file about one image: 10,000 boxes with outlines have some 4 MB of COCO. */
  annotationBytesMax: 16 * 1024 * 1024,
  /** The same inside JSON: each of its quotes and line ends is two characters there. */
  annotationBodyBytesMax: 32 * 1024 * 1024,
  /** Pascal VOC: 10,000 boxes have some 2 MB, and 3 MB can take three seconds to parse. */
  annotationXmlBytesMax: 3 * 1024 * 1024,
  /** A longer file is parsed in a thread: the worst one of this size takes some milliseconds. */
  annotationInlineBytesMax: 4 * 1024,
  /** Time of a thread for one file: the worst takes three seconds, ten times that when busy. */
  annotationMsMax: 30_000,
  /** Memory of a thread that reads annotation files, in megabytes. */
  annotationThreadMegabytesMax: 150,
  /** Such threads for files that come one by one: one for each core of a small machine. */
  annotationThreadsMax: 2,
  /** A thread ends when it has had nothing to do for so long. */
  annotationThreadIdleMs: 10_000,

  /** Values of one JSON file, its numbers included: 16 MB of honest COCO have half of them. */
  annotationElementsMax: 2_000_000,
  /** Levels of JSON: the points of COCO outlines lie at the seventh. */
  annotationDepthMax: 32,
  /** Members of one JSON object: the formats have a dozen, tools add some of their own. */
  annotationMembersMax: 10_000,
  /** Tags of one XML file, ends included: 10,000 VOC boxes have 160,000, outlines have more. */
  annotationTagsMax: 250_000,
  /** Elements of XML in each other: VOC has four levels. */
  annotationXmlDepthMax: 32,
  /** The characters of one tag of XML with its attributes: VOC has none. */
  annotationTagCharactersMax: 1_000,
  /** Lines of one YOLO file, blank ones included; a box is one. */
  annotationLinesMax: 20_000,
  /** Numbers of one YOLO file: those of 100,000 points, and some more. */
  annotationNumbersMax: 250_000,
  /** Characters of one number, which no digit behind these changes. */
  annotationNumberCharactersMax: 64,
  /** Brackets that open in a data.yaml: names of 20,000 classes have two or three. */
  yamlBracketsMax: 1_000,
  /** Class numbers of a labelmap; the largest public set of boxes has 20,000 classes. */
  labelmapClassesMax: 20_000,

  /** Boxes of one image; the densest public data sets have some thousand. */
  boxesPerImageMax: 10_000,
  /** Points of outlines and keypoints of one image together: ten for each of so many boxes. */
  pointsPerImageMax: 100_000,
  /** Different classes of one image: each is rows of the search index, in one transaction. */
  labelsPerImageMax: 200,
  /** Odd things of one image that are told one by one; all are counted. */
  annotationWarningsMax: 1_000,
  /** One coordinate of a box, in pixels, either sign: far beyond any image, far below overflow. */
  boxCoordinateMax: 10_000_000,
  /** A coordinate as a share of the image; a labelled box may reach out, a pixel is far beyond. */
  boxShareMax: 2,
  /** One class name: it must fit in a line, and a longer one is a sentence. */
  labelCharactersMax: 200,

  // COCO and CreateML files about many images: read in pieces, never whole.

  /** One such file: COCO train2017 has 470 MB. */
  datasetBytesMax: 512 * 1024 * 1024,
  /** Images that it names: COCO train2017 has 118,287; the names are in memory. */
  datasetImagesMax: 500_000,
  /** Annotations of all of them: COCO train2017 has 860,001; each takes 12 bytes of memory. */
  datasetAnnotationsMax: 5_000_000,
  /** Classes of it, in memory as they stand in the file. */
  datasetCategoriesMax: 20_000,
  datasetCategoriesBytesMax: 8 * 1024 * 1024,
  /** One annotation of COCO, one image of CreateML: 100,000 points have 2 MB. */
  datasetPieceBytesMax: 4 * 1024 * 1024,
  /** To find out where what stands in it: 470 MB take 6 s, ten times that on a busy machine. */
  datasetMsMax: 180_000,
  /** Read from the disk at once. */
  datasetReadBytes: 1024 * 1024,
} as const;
