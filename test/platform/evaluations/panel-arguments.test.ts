// An argument without effect is refused, with what would take it.

import { expect, it } from 'vitest';
import {
  checkPanelArguments,
  checkTagArguments,
} from '../../../src/platform/evaluations/panel-arguments.ts';

const which = { workspace: 'acme', project: 'cells', evaluationId: 'one' };

it.each([
  [{ panel: 'per_class', class: 'cat' }, 'class: has no effect on the panel per_class'],
  [{ only: 'misses' }, 'only: has no effect on the panel summary: images, label_mistakes take it'],
  [{ panel: 'images', scoreMin: 0.9 }, 'scoreMin: has no effect on the panel images'],
  [{ panel: 'recommendations', picture: true }, 'picture: has no effect on'],
  [{ panel: 'confidence_sweep', limit: 5 }, 'limit: has no effect on the panel confidence_sweep'],
] as const)('refuses %j', (given, words) => {
  expect(() => checkPanelArguments({ ...which, ...given })).toThrow(words);
});

it.each([
  { panel: 'confidence_sweep', class: 'cat', picture: true },
  { panel: 'images', class: 'cat', only: 'misses', picture: true, limit: 5, offset: 5 },
  { panel: 'label_mistakes', class: 'cat', only: 'swapped', scoreMin: 0.9 },
  { panel: 'summary', picture: false, offset: 0 },
] as const)('takes %j', (given) => {
  expect(() => checkPanelArguments({ ...which, ...given })).not.toThrow();
});

it('refuses a score of errors that have none, when images are tagged', () => {
  const tag = { ...which, tag: 'look' };
  expect(() => checkTagArguments({ ...tag, only: 'misses', scoreMin: 0.9 })).toThrow(
    'scoreMin: has no effect on misses: mistakes of labels take it',
  );
  expect(() => checkTagArguments({ ...tag, only: 'swapped', scoreMin: 0.9 })).not.toThrow();
  expect(() => checkTagArguments({ ...tag, scoreMin: 0.9 })).not.toThrow();
});
