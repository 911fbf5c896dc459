// A call whose background work has failed since is made anew, not told again as if it still ran.

import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { createLog } from '../../src/log.ts';
import { type Idempotency, openIdempotency } from '../../src/mcp/idempotency/idempotency.ts';
import { tools } from '../../tools/index.ts';
import { type Fixture, openScriptedService } from '../tools/scripted-service.ts';

let fixture: Fixture;
let idempotency: Idempotency;
/** What the service says of the work that was started. */
let task: object;
let version: object;

const where = { workspace: 'acme', project: 'cells' };
const training = { ...where, version: 1 };
const frozen = { ...where, preprocessing: {}, augmentation: {} };

beforeEach(async () => {
  fixture = await openScriptedService();
  idempotency = await openIdempotency({
    path: join(fixture.folder, 'journal.sqlite'),
    clock: systemClock,
    log: createLog('error'),
    windowSeconds: 120,
    reconcilerOf: async () => undefined,
  });
  fixture.on('POST /acme/cells/1/v2/trainings', (_request, n) => ({
    json: { jobId: 't1', trainingId: `run-${n}`, status: 'queued' },
  }));
  fixture.on('GET /acme/asynctasks/t1', () => ({ json: { taskId: 't1', ...task } }));
  fixture.on('POST /acme/cells/generate', (_request, n) => ({ json: { version: n + 1 } }));
  fixture.on('GET /acme/cells/1', () => ({
    json: { version: { id: 'acme/cells/1', ...version } },
  }));
});

afterEach(async () => {
  await idempotency.close();
  await fixture.close();
});

async function call(name: string, args: Record<string, unknown>, key?: string) {
  const tool = tools.find((one) => one.name === name);
  if (tool === undefined) throw new Error(`There is no tool ${name}.`);
  const made = { tool, args, principal: 'one', key };
  const identified = await idempotency.identify(made, fixture.context);
  return identified.recorded ?? identified.run(() => fixture.call(name, args));
}

function listed() {
  const all = { project: undefined, tool: undefined, since: undefined, until: undefined };
  const wanted = { workspace: 'acme', ...all, beforeId: undefined, countMax: 10 };
  return idempotency.list('one', wanted);
}

describe('a task', () => {
  test.each(['failed', 'cancelled'])('%s: the same call is made anew', async (status) => {
    task = { status };
    await call('trainings_start', training);
    expect((await call('trainings_start', training)).data).toMatchObject({ trainingId: 'run-1' });
    expect(await listed()).toMatchObject({ total: 2 });
  });

  test.each(['created', 'running', 'completed'])('%s: its call is told again', async (status) => {
    task = { status };
    await call('trainings_start', training);
    const again = await call('trainings_start', training);
    expect(again.data).toMatchObject({ trainingId: 'run-0' });
    expect(again.summary).toContain('nothing was done again');
    expect(again.summary).not.toContain('failed');
  });

  test('that cannot be read counts as not failed', async () => {
    await call('trainings_start', training);
    fixture.on('GET /acme/asynctasks/t1', () => ({ status: 404, json: { error: 'gone' } }));
    expect((await call('trainings_start', training)).data).toMatchObject({ trainingId: 'run-0' });
  });

  test('failed, with a key of the host: told again, and that it failed', async () => {
    task = { status: 'failed' };
    await call('trainings_start', training, 'k');
    const again = await call('trainings_start', training, 'k');
    expect(again.data).toMatchObject({ trainingId: 'run-0' });
    expect(again.summary).toContain('The work that it started has failed since.');
  });
});

describe('a version', () => {
  test('that failed is generated anew', async () => {
    version = { generating: false, error: 'no space' };
    await call('versions_generate', frozen);
    expect((await call('versions_generate', frozen)).data).toMatchObject({ version: 2 });
  });

  test('that is being generated is told again', async () => {
    version = { generating: true };
    await call('versions_generate', frozen);
    const again = await call('versions_generate', frozen);
    expect(again.data).toMatchObject({ version: 1 });
    expect(again.summary).toContain('nothing was done again');
  });
});
