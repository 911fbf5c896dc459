// What is said of the model that an evaluation judges: who reads figures must know of what.

import { expect, it, onTestFinished } from 'vitest';
import { openScriptedService } from './scripted-service.ts';

const trained = {
  project: 'cells',
  version: 3,
  trainingId: 't1',
  modelType: 'fasterrcnn',
  split: 'train',
};

it.each([
  [
    { model: 'cells/3/t1', trained },
    'model "cells/3/t1" (training "t1", "fasterrcnn", by split train of version 3 of "cells")',
  ],
  [{ model: 'local' }, 'model "local" (what it was trained on is not known)'],
])('names the model and its training: %j', async (judged, words) => {
  const fixture = await openScriptedService();
  onTestFinished(() => fixture.close());
  const ids = { evaluationId: 'e1', taskId: 'e1', url: 'https://example.com/e1' };
  fixture.on('POST /acme/cells/evaluations', () => ({ json: { ...ids, ...judged } }));
  const where = { workspace: 'acme', project: 'cells' };
  const { summary } = await fixture.call('evaluations_create', { ...where, version: 4 });
  expect(summary).toBe(`Evaluation "e1" of ${words} by split test of version 4 is queued.`);
  const figures = { ap: 0.5, ap50: 0.75, f1: 0.7, confidence: 0.4 };
  fixture.on('GET /acme/cells/evaluations/e1', () => ({
    json: { ...ids, ...judged, ...figures, status: 'completed', created: 1, panel: 'summary' },
  }));
  const shown = await fixture.call('evaluations_get', { ...where, evaluationId: 'e1' });
  expect(shown.summary).toBe(
    `Evaluation of "cells", summary: AP 0.500, AP50 0.750, F1 0.700 at confidence 0.4. Of ${words}.`,
  );
});
