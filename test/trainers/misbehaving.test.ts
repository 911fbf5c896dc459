// Trainers that fail or lie: what is said of them, and that nothing of them is kept.

import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { projects } from '../../src/contract/projects.ts';
import { trainingExtensions } from '../../src/contract/trainings.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { endOfTraining, recipeTrainer, scriptOf, smallVersion } from './test-trainers.ts';

/** What a trainer does, what is said of it, and what its log has. */
const cases: readonly [name: string, script: string, error: RegExp, log: RegExp][] = [
  [
    'fails with words',
    "process.stderr.write('x'.repeat(9000) + ' out of memory'); process.exit(3);",
    /^The trainer "trainer\.mjs" ended with exit code 3; "log" in trainings_list has its last words\.$/,
    /^x{1986} out of memory$/,
  ],
  ['is killed', "process.kill(process.pid, 'SIGKILL');", /was ended by a signal/, /^$/],
  ['writes nothing', '', /output\/metrics\.json is not there/, /^$/],
  [
    'writes no model',
    "finish(); fs.rmSync(job.output + '/model.onnx');",
    /output\/model\.onnx is not there/,
    /^$/,
  ],
  [
    'measures nothing',
    'finish({ map50: 0.5 });',
    /metrics\.json needs precision, recall, each from 0 to 1/,
    /^$/,
  ],
  [
    'boasts',
    'finish({ map50: 66, precision: 0.5, recall: 0.5 });',
    /metrics\.json needs map50, each from 0 to 1/,
    /^$/,
  ],
  [
    'writes metrics that are no JSON',
    "finish(); fs.writeFileSync(job.output + '/metrics.json', 'map50: 1');",
    /metrics\.json is not JSON/,
    /^$/,
  ],
  [
    'writes metrics without end',
    "finish(); fs.writeFileSync(job.output + '/metrics.json', ' '.repeat(70_000));",
    /metrics\.json is too large/,
    /^$/,
  ],
  [
    'points at a file of somebody else',
    "finish(); fs.rmSync(job.output + '/model.onnx'); " +
      "fs.symlinkSync('/etc/passwd', job.output + '/model.onnx');",
    /output\/model\.onnx is not there/,
    /^$/,
  ],
  [
    'writes a model that is none',
    "finish(); fs.writeFileSync(job.output + '/model.onnx', 'weights');",
    /output\/model\.onnx cannot be run here/,
    /^$/,
  ],
];

it('says of each what is wrong, and keeps nothing of it', async () => {
  const { trainer, remove } = await recipeTrainer();
  onTestFinished(remove);
  const platform = await startTestPlatform({ trainer });
  onTestFinished(() => platform.close());
  const { client, data } = platform;
  const at = await smallVersion(client, 'trained');
  for (const [name, script, error, log] of cases) {
    const input = { ...at, ...scriptOf(script) };
    const { trainingId } = (await client.call(trainingExtensions.trainings_start, input)).body;
    const { task, training } = await endOfTraining(client, at, trainingId);
    expect(task, name).toMatchObject({ status: 'failed', error: expect.stringMatching(error) });
    expect(training).toMatchObject({ status: 'failed', error: task.error, modelIds: [] });
    expect(training.log, name).toMatch(log);
  }
  expect(await readdir(join(data, 'scratch'))).toEqual([]);
  expect((await client.call(projects.models_list, at)).body.models).toEqual([]);
});
