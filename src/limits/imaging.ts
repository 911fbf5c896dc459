// Limits of reading and drawing images.

export const imagingLimits = {
  /** One image file; fact of the hosted platform. */
  imageBytesMax: 20 * 1024 * 1024,
  /** The maximum of the hosted platform; more is a decompression bomb. */
  imagePixelsMax: 16_400 * 10_900,
  /** Pixels of the longer side; fact of the hosted platform. */
  imageSideMax: 16_400,
  /**
   * Memory that decoding one image may take beside its file, counted from its header. Most formats
   * are streamed and stay far below it: this is what progressive, interlaced and AVIF files meet.
   * With what a thread takes for itself, a service stays below 300 MB more. Of AVIF it is 4K.
   */
  decodeBytesMax: 160 * 1024 * 1024,
  /**
   * Of a file that takes no decoder, header and structure are read in the calling thread. The bytes
   * that take longest (chunks of one byte, letters of a mark) hold it up for some 15 ms then.
   */
  imageReadHereBytesMax: 256 * 1024,
  /** Smaller images share a thread; a larger one gets its own, which ends with it. */
  decodeSharedBytesMax: 48 * 1024 * 1024,
  /** Images with more pixels take seconds: they get a thread of their own too. */
  decodeSharedPixelsMax: 50_000_000,
  /** Images that the shared thread decodes concurrently: each may use a libuv thread. */
  decodeSharedAtOnceMax: 3,
  /** Of one caller or group: the image of another caller never waits for a slow one. */
  decodeSharedOfCallerMax: 2,
  /** One, so that one memory limit holds for all. */
  decodeAloneAtOnceMax: 1,
  /** The largest images take some 3 s on one core, 30 s on a busy machine. */
  imageReadMsMax: 60_000,
  /** In WebAssembly, the idle shared thread ends to free memory. */
  imageThreadIdleMsMax: 10_000,
  /**
   * Of a thread that works on pixels, for new JavaScript objects, of which few live long. V8 would
   * take up to 48 MB, more with every image, and free pixels late.
   */
  pixelThreadYoungMegabytesMax: 12,
  /** EXIF entries of one image, as pointers lead to them. Cameras write some 100. */
  exifEntriesMax: 1_000,
  /** The colour profile of a larger image is ignored: some take 0.2 us for each pixel. */
  colourProfilePixelsMax: 30_000_000,
  /** Progressive JPEGs have some 10 scans, and each passes over all pixels. */
  jpegScansMax: 100,
  /** Each compressed text of a PNG takes up to 8 MB; programs write a few. */
  pngTextsMax: 20,
  /** Only the first page is read, but each header read counts all of them. */
  tiffPagesMax: 10_000,
  /** Larger BMPs get no similarity descriptor: decoding them blocks the thread. */
  bmpDescribedPixelsMax: 4_000_000,
  /**
   * Between descriptors of near-duplicates, brightness aside: copies are up to 14 apart, different
   * images of one microscope series 29 and more (measured on BCCD; see patternsOf).
   */
  nearDuplicateDistanceMax: 16,
  /** Compression moves a descriptor by 2 to 4: below twice that, an image has no pattern. */
  plainPatternMin: 8,
  /** Images that are laid over one: of more that look like it, none is like all others. */
  candidatesOfImageMax: 3,
  /** Correlation of descriptors: cropped by a tenth it is 0.83 or more, moved by a twelfth 0.5. */
  candidateLikenessMin: 0.5,
  /**
   * Correlation and distance of what two images both show. Of BCCD, cropped by a tenth 98 % have
   * this, and of 66,066 pairs of its images 5: all but one are one place.
   */
  overlapLikenessMin: 0.91,
  overlapDistanceMax: 27,
  /** Coefficients that make up a picture: one with fewer could be laid over many others. */
  detailedCoefficientsMin: 6,
  /** Images that one may be compared with to find copies of it, or all on average: some 20 s. */
  copiesComparedOfOneMax: 5_000,
  /** Up to so many, the descriptor of each is compared with all others: 2 s. */
  descriptorsComparedExactMax: 10_000,
  /** Coarse pictures kept meanwhile: 12 kB each. */
  picturesDrawnMax: 2_000,
  /** Some 10 ms each. */
  descriptorsComparedAtOnce: 1_000_000,
  picturesAlignedAtOnce: 50,
  /** A contact sheet in base64, beside text, below the 1 MB at which hosts cut results. */
  previewBytesMax: 600 * 1024,
} as const;
