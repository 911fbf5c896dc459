// What may be wrong with a label, by an evaluation, in words.

/** @param {{ kind: string, score: number, label?: string | undefined, found: string }} mistake */
export function mistakeWords({ kind, score, label, found }) {
  const what = {
    overlooked: `${found} has no label`,
    swapped: `${label} is labelled, ${found} is there`,
    badly_placed: `the box of ${label} is elsewhere`,
    duplicate: `${label} is labelled twice`,
  }[kind];
  return `${what ?? spaced(kind)} (${score.toFixed(2)})`;
}

/** `trainedOn` and `false_positives` as words. @param {string} name */
export function spaced(name) {
  return name
    .replaceAll('_', ' ')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ')
    .toLowerCase();
}
