// How often detections of a class are right at a score, as the labels tell it: by isotonic
// regression, since a surer detection is not less often right.

export interface JudgedDetection {
  readonly classIndex: number;
  readonly score: number;
  readonly isRight: boolean;
}

/** Detections that are right equally often. */
interface Block {
  readonly scoreLeast: number;
  readonly right: number;
  readonly all: number;
}

/** Of a class and a score: more than 0 and less than 1, since a few detections prove little. */
export function classPrecision(
  detections: readonly JudgedDetection[],
): (classIndex: number, score: number) => number {
  const byClass = Map.groupBy(detections, ({ classIndex }) => classIndex);
  const blocks = new Map([...byClass].map(([classIndex, some]) => [classIndex, blocksOf(some)]));
  return (classIndex, score) => {
    const found = blocks.get(classIndex)?.find(({ scoreLeast }) => scoreLeast <= score);
    const { right, all } = found ?? { right: 0, all: 0 };
    return (right + 1) / (all + 2);
  };
}

/** The surest first (pool adjacent violators). */
function blocksOf(detections: readonly JudgedDetection[]): readonly Block[] {
  const blocks: Block[] = [];
  for (const { score, isRight } of detections.toSorted((one, other) => other.score - one.score)) {
    let last: Block = { scoreLeast: score, right: isRight ? 1 : 0, all: 1 };
    for (let before = blocks.at(-1); before !== undefined; before = blocks.at(-1)) {
      const isSurer = before.scoreLeast > score;
      if (isSurer && before.right * last.all > last.right * before.all) break;
      last = { ...last, right: before.right + last.right, all: before.all + last.all };
      blocks.pop();
    }
    blocks.push(last);
  }
  return blocks;
}
