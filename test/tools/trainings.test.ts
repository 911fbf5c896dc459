// What is said of trainings that run.

import { expect, it, onTestFinished } from 'vitest';
import { openScriptedService } from './scripted-service.ts';

const run = { trainingId: 't1', status: 'running', epoch: 3, epochs: 30 };

it.each([
  [
    { ...run, metrics: { seconds_left: 655.4 } },
    '1 training: "running" 1. "t1" has done 3 of 30 epochs, about 11 minutes left, where it does not end early.',
  ],
  [
    { ...run, epoch: 0, epochs: 1, metrics: { seconds_left: 5 } },
    '1 training: "running" 1. "t1" has done 0 of 1 epoch, about 1 minute left, where it does not end early.',
  ],
  [{ ...run, metrics: { loss: 1 } }, '1 training: "running" 1.'],
  [{ ...run, status: 'failed', metrics: { seconds_left: 655.4 } }, '1 training: "failed" 1.'],
])('says how long it takes, where the trainer does: %j', async (training, summary) => {
  const fixture = await openScriptedService();
  onTestFinished(() => fixture.close());
  fixture.on('GET /acme/cells/1/v2/trainings', () => ({ json: { trainings: [training] } }));
  const where = { workspace: 'acme', project: 'cells', version: 1 };
  expect((await fixture.call('trainings_list', where)).summary).toBe(summary);
});
