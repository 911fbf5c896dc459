// Which arguments have an effect: others are refused, since an answer that ignores one misleads.

import type { evaluations } from '../../contract/evaluations.ts';
import type { Input } from '../../contract/operation.ts';
import { invalidArgument } from '../../errors.ts';

type GetInput = Input<typeof evaluations.evaluations_get>;
type TagInput = Input<typeof evaluations.evaluations_tag>;
type Panel = NonNullable<GetInput['panel']>;

const paged = ['per_class', 'by_size', 'confusion_matrix', 'images', 'label_mistakes'] as const;

const panelsOf = {
  class: ['confidence_sweep', 'images', 'label_mistakes'],
  only: ['images', 'label_mistakes'],
  found: ['images'],
  scoreMin: ['label_mistakes'],
  picture: ['confusion_matrix', 'confidence_sweep', 'images', 'label_mistakes'],
  limit: paged,
  offset: paged,
} as const satisfies Partial<Record<keyof GetInput, readonly Panel[]>>;

/** Throws `invalid_input` with the panels that take the argument, or what it goes with. */
export function checkPanelArguments({ panel = 'summary', ...given }: GetInput): void {
  for (const [name, panels] of Object.entries(panelsOf)) {
    const value = Object.entries(given).find(([key]) => key === name)?.[1];
    const isGiven = value !== undefined && value !== false && value !== 0;
    if (!isGiven || panels.some((one) => one === panel)) continue;
    throw invalidArgument(
      name,
      `has no effect on the panel ${panel}: ${panels.join(', ')} take it`,
    );
  }
  if (given.found === undefined) return;
  if (given.class === undefined) throw invalidArgument('found', 'goes with class, the label');
  if (given.only !== undefined) throw invalidArgument('found', 'goes without only: it is a cell');
}

/** Throws `invalid_input`. */
export function checkTagArguments({ only, scoreMin = 0 }: TagInput): void {
  if (scoreMin === 0 || (only !== 'misses' && only !== 'false_positives')) return;
  throw invalidArgument('scoreMin', `has no effect on ${only}: mistakes of labels take it`);
}
