// Why the end states of the two days may differ. All other differences are faults of ours.

export interface Accepted {
  /** Of the names of rows. */
  readonly rows: RegExp;
  readonly reason: string;
}

export const acceptedDifferences: readonly Accepted[] = [
  {
    rows: /, image [^:]+: sequence_(number|size)$/,
    reason: 'The client numbers the images of a folder; a zip file has no such numbers.',
  },
  {
    rows: /, job evening: |, batch evening: numJobs$/,
    reason: 'The client names a job with each annotation of a folder; a zip file names none.',
  },
  {
    rows: /^tasks: zip completed$/,
    reason: 'The client sends a folder image by image; images_upload_zip sends it as one zip file.',
  },
  {
    rows: /^inference statistics.*: (class_count|avg_confidence|median_confidence)$/,
    reason:
      'Some methods of the client send an image that they have made smaller by their own means.',
  },
  {
    rows: /^workflow /,
    reason: 'No tool makes workflows.',
  },
  {
    rows: /^use case [^,]*: name$/,
    reason: 'No tool renames a use case.',
  },
];
