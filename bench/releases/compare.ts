// What the figures of two releases, taken in pairs, say: no worse, worse, or open.

import { formatTable, median } from '../measure/text-table.ts';

export interface Figures {
  readonly name: string;
  readonly better: 'less' | 'more';
  readonly digits: number;
  /** One of each pair, in their order; a single one is exact, such as a count. */
  readonly before: readonly number[];
  readonly after: readonly number[];
}

export type Verdict = 'no worse' | 'within the spread' | 'WORSE';

export interface Compared {
  /** After through before: the median of the pairs, the least and the most of them. */
  readonly ratio: number;
  readonly least: number;
  readonly most: number;
  /** What holds the true median with 95 % certainty. */
  readonly low: number;
  readonly high: number;
  readonly verdict: Verdict;
}

/** Fewer pairs leave a median open: all of them lie on one side of it too often. */
export const pairsMin = 6;

/**
 * More than 5 % worse counts where the spread of the pairs leaves no doubt; less than that holds
 * where it leaves none. Throws where the figures are no pairs, or too few for a judgement.
 */
export function compare({ better, before, after }: Figures): Compared {
  const ratios = before.map((value, at) => (after[at] ?? Number.NaN) / value);
  const isWhole = after.length === before.length && ratios.every((ratio) => ratio > 0);
  if (!isWhole) throw new Error('each figure before needs one after it, and none is 0');
  const sorted = ratios.toSorted((a, b) => a - b);
  const rank = rankOfInterval(sorted.length);
  const [least, most] = [sorted[0] ?? Number.NaN, sorted.at(-1) ?? Number.NaN];
  const [low, high] = [sorted[rank] ?? least, sorted[sorted.length - 1 - rank] ?? most];
  // The least and the most that it may cost.
  const [cheap, dear] = better === 'less' ? [low, high] : [1 / high, 1 / low];
  const verdict = dear <= costMax ? 'no worse' : cheap > costMax ? 'WORSE' : 'within the spread';
  return { ratio: median(ratios), least, most, low, high, verdict };
}

export const verdictsExplained = `no worse: costs 1.05 times as much at most, with 95 % certainty
within the spread: the pairs differ too much to tell
WORSE: costs more than 1.05 times as much, with 95 % certainty`;

/** A table of all figures, and whether any is worse. */
export function report(all: readonly Figures[]): { table: string; isWorse: boolean } {
  const compared = all.map((figures) => ({ figures, ...compare(figures) }));
  const rows = compared.map(({ figures, ratio, least, most, low, high, verdict }) => [
    figures.name,
    median(figures.before).toFixed(figures.digits),
    median(figures.after).toFixed(figures.digits),
    ratio.toFixed(2),
    figures.before.length === 1 ? 'exact' : `${least.toFixed(2)}..${most.toFixed(2)}`,
    figures.before.length === 1 ? 'exact' : `${low.toFixed(2)}..${high.toFixed(2)}`,
    verdict,
  ]);
  const header = ['', 'before', 'after', 'after/before', 'of pairs', '95 % of median', ''];
  return {
    table: formatTable([header, ...rows]),
    isWorse: compared.some(({ verdict }) => verdict === 'WORSE'),
  };
}

/** Of the cost before. */
const costMax = 1.05;
/** On each side of the interval. */
const doubtMax = 0.025;

/**
 * How many values at each end of so many lie outside of the interval: as many as lie on one side of
 * the true median with a chance of 2.5 % at most, as heads of so many coins.
 */
function rankOfInterval(count: number): number {
  if (count === 1) return 0;
  if (count < pairsMin) throw new Error(`${count} pairs are too few: ${pairsMin} or more`);
  let chance = 0.5 ** count;
  let sum = 0;
  for (let outside = 0; ; outside += 1) {
    sum += chance;
    if (sum > doubtMax) return outside - 1;
    chance = (chance * (count - outside)) / (outside + 1);
  }
}
