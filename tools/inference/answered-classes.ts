// What a model says of whole images: one class, or several.

import type { inference } from '../../src/contract/inference.ts';
import type { Answer } from '../../src/contract/operation.ts';
import { nameList, quoted, tally } from '../format.ts';

type RunAnswer = Answer<typeof inference.inference_run>;

export interface AnsweredClasses {
  /** As the platform says them. */
  readonly told: Pick<RunAnswer, 'predictions' | 'top' | 'confidence' | 'predicted_classes'>;
  /** The one class, or all that are sure enough. */
  readonly names: readonly string[];
  /** `cat 0.93`, under the picture. */
  readonly title: string;
  /** The same in a sentence of ours. */
  readonly shown: string;
}

/** Undefined: the model answers with boxes. */
export function answeredClasses(answer: RunAnswer): AnsweredClasses | undefined {
  const { predictions, top, confidence, predicted_classes: several } = answer;
  if (top !== undefined) {
    const score = confidence === undefined ? '' : ` ${confidence.toFixed(2)}`;
    return {
      told: { predictions, top, confidence },
      names: [top],
      title: `${top}${score}`,
      shown: `${quoted(top)}${score}`,
    };
  }
  if (several === undefined) return undefined;
  return {
    told: { predictions, predicted_classes: several },
    names: several,
    title: several.length === 0 ? 'none' : several.join(', '),
    shown: several.length === 0 ? 'none is sure enough' : nameList(several),
  };
}

/** `Classes of "a.jpg": cat 0.93.`; of many images how often there is each. */
export function summaryOfClasses(all: readonly AnsweredClasses[], where: string): string {
  const [first, ...others] = all;
  if (first && others.length === 0) return `Classes of ${where}: ${first.shown}.`;
  const counts = new Map<string, number>();
  for (const name of all.flatMap(({ names }) => names)) {
    counts.set(name, (counts.get(name) ?? 0) + 1);
  }
  const said = counts.size === 0 ? 'no class is sure enough' : tally(Object.fromEntries(counts));
  return `Classes of ${where}: ${said}.`;
}
