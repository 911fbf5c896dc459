// Workflows over HTTP: kept as they are given, and to the trash and back.

import { afterAll, beforeAll, expect, it } from 'vitest';
import { trash } from '../../src/contract/trash.ts';
import { workflows } from '../../src/contract/workflows.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { refusal } from './labelled-projects.ts';

const workspace = 'acme';
const config = {
  specification: { version: '1.0', inputs: [{ type: 'Image' }], steps: [], outputs: null },
};
let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

async function create(name: string) {
  const { call } = platform.client;
  const { status, body } = await call(workflows.workflows_create, { workspace, name, config });
  expect(status).toBe(201);
  return body.workflow;
}

it('gives back what it was given, and lists all without their contents', async () => {
  const { call } = platform.client;
  const made = await create('Count cells');
  expect(made).toMatchObject({ name: 'Count cells', url: 'count-cells' });
  const at = { workspace, workflow: made.url };
  expect((await call(workflows.workflows_get, at)).body.workflow).toEqual({ ...made, config });
  expect((await create('Count cells')).url).toBe('count-cells-2');
  const { body } = await call(workflows.workflows_list, { workspace });
  expect(body.workflows.map(({ url }) => url)).toEqual(['count-cells', 'count-cells-2']);
  expect(body.workflows[0]).toEqual(made);
});

it('goes to the trash, keeps its slug there, and comes back', async () => {
  const { call } = platform.client;
  const made = await create('Short lived');
  const at = { workspace, workflow: made.url };
  const { body } = await call(workflows.workflows_delete, at);
  expect(body).toEqual({ deleted: true, type: 'workflow', id: made.id });
  expect((await refusal(call(workflows.workflows_get, at))).status).toBe(404);
  expect((await refusal(call(workflows.workflows_delete, at))).status).toBe(404);
  expect((await create('Short lived')).url).toBe('short-lived-2');
  const { body: listed } = await call(trash.trash_list, { workspace });
  expect(listed.sections?.workflows).toMatchObject([
    { type: 'workflow', id: made.id, url: 'short-lived' },
  ]);
  const restore = { workspace, type: 'workflow', id: made.id } as const;
  expect((await call(trash.trash_restore, restore)).body).toMatchObject({ restored: true });
  expect((await call(workflows.workflows_get, at)).body.workflow).toMatchObject({ config });
  expect((await refusal(call(trash.trash_restore, restore))).status).toBe(404);
});

it('is not there for another workspace', async () => {
  const other = await platform.otherWorkspace();
  const made = await create('Private');
  const { call } = other.client;
  const at = { workspace: other.slug, workflow: made.url };
  expect((await refusal(call(workflows.workflows_get, at))).status).toBe(404);
  expect((await refusal(call(workflows.workflows_delete, at))).status).toBe(404);
  await platform.client.call(workflows.workflows_delete, { workspace, workflow: made.url });
  const restore = { workspace: other.slug, type: 'workflow', id: made.id } as const;
  expect((await refusal(call(trash.trash_restore, restore))).status).toBe(404);
  const { body } = await call(trash.trash_list, { workspace: other.slug });
  expect(body.items).toEqual([]);
});
