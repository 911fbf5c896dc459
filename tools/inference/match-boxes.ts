// Compares the boxes that a model found with the true ones.

export interface LabelledBox {
  readonly label: string;
  /** The centre, in pixels. */
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

export interface FoundBox extends LabelledBox {
  readonly confidence: number;
}

export interface Matches {
  readonly labelled: number;
  /** Of the labelled ones: those that a box of their class overlaps by at least half. */
  readonly matched: number;
  readonly missed: number;
  /** Found boxes that match none. */
  readonly extra: number;
}

/** The surest box takes the label that it overlaps most; each label is taken once. */
export function matchBoxes(found: readonly FoundBox[], truth: readonly LabelledBox[]): Matches {
  const free = new Set(truth);
  let matched = 0;
  for (const box of found.toSorted((a, b) => b.confidence - a.confidence)) {
    const best = [...free]
      .filter(({ label }) => label === box.label)
      .map((one) => ({ one, share: overlapOf(box, one) }))
      .toSorted((a, b) => b.share - a.share)[0];
    if (best === undefined || best.share < overlapMin) continue;
    free.delete(best.one);
    matched += 1;
  }
  const { length: labelled } = truth;
  return { labelled, matched, missed: labelled - matched, extra: found.length - matched };
}

/** Pairs of boxes that overlap by at least half, of whichever class: often one object twice. */
export function overlappingPairs(found: readonly LabelledBox[]): number {
  let pairs = 0;
  for (const [index, box] of found.entries()) {
    for (const other of found.slice(index + 1)) if (overlapOf(box, other) >= overlapMin) pairs += 1;
  }
  return pairs;
}

const overlapMin = 0.5;

/** The share of the area of both that they have in common, 0 to 1. */
function overlapOf(a: LabelledBox, b: LabelledBox): number {
  const along = (from: number, long: number, at: number, wide: number) =>
    Math.max(
      0,
      Math.min(from + long / 2, at + wide / 2) - Math.max(from - long / 2, at - wide / 2),
    );
  const common = along(a.x, a.width, b.x, b.width) * along(a.y, a.height, b.y, b.height);
  const all = a.width * a.height + b.width * b.height - common;
  return all > 0 ? common / all : 0;
}
