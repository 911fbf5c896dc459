// Limits of comparing vectors.

export const vectorSearchLimits = {
  /** Numbers of a vector: published encoders give up to 1,664; more could overflow a product. */
  vectorDimensionsMax: 4_096,
  /** Vectors compared in one call of the kernel: their products stay in the processor's cache. */
  vectorsComparedAtOnce: 4_096,
  /** Vectors that are read for one search and forgotten: 20 ms; for more all are kept in memory. */
  vectorsReadMax: 10_000,
  /** Reading a million for the first time takes some seconds; then a search takes a tenth. */
  vectorReadMsMax: 60_000,
  /** A comparison of 100,000 images takes a minute of one core, and more on a busy machine. */
  comparisonMsMax: 5 * 60_000,
  /** Memory of those that are kept: four million of 512 numbers. */
  vectorsKeptBytesMax: 2 * 1024 ** 3,
  /** The same on PostgreSQL, where they are read each time: some 2 s. */
  serverVectorsReadMax: 200_000,
  /** Of these at a time: comparing them holds the thread for a few milliseconds. */
  serverVectorsPage: 2_000,
  /** A thread tells how far a comparison is in such steps: a bar moves smoothly. */
  comparisonShareStep: 0.005,
  /** An outlier is far from the mean of so many: a few copies of it do not hide it. */
  outlierNeighbours: 5,
  /** Of fewer vectors none is far from all others. */
  outlierVectorsMin: 10,
  /**
   * Quartiles of fewer images are chance. Among 20 of BCCD a blank one is told in each of 1,000
   * draws, and 0.6 % of the others; among 10, it was 1 to 3 % of the others.
   */
  sharpnessImagesMin: 20,
  /** Tukey's usual 1.5 tells 7 of BCCD's 364 photos, and this 2. */
  sharpnessFenceFactor: 2,
  /** Between quartiles; copies of one picture have less: JPEG of quality 20 moves it by so much. */
  sharpnessSpreadMin: 0.25,
  /** Up to so many, each is compared with all others: 5 s where they have 512 numbers. */
  outlierVectorsExactMax: 10_000,
  /** Of more, these tell which distances are usual: a quartile is right to 2 % of the vectors. */
  outlierSampleMax: 1_000,
  /** Numbers that are multiplied for distances to all others: some 20 s. */
  outlierProductsMax: 150_000_000_000,
  /** Cells around a vector in which its nearest others are looked for, and of each so many. */
  outlierCellsLookedIn: 4,
  /** Around a descriptor: they have 99 % of the copies that are cropped by a tenth. */
  descriptorCellsSearched: 8,
  vectorCellMembersMax: 2_048,
  /** Pairs that take some 10 ms. */
  vectorsComparedBetweenTurns: 1_000_000,
  /** Numbers by which images are clustered: the rest of them is mostly noise. */
  clusterComponents: 8,
  /** Vectors by which clusters are found; all are then given to the nearest. */
  clusterSampleMax: 10_000,
  /** More are not told apart on a map. */
  clustersMax: 8,
} as const;
