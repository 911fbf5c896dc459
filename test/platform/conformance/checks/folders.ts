// Project folders.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { ask, askFor, askForNothing, newProject, refused } from '../steps.ts';

const aFolder = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  projects: z.array(z.string()),
});
const folderList = z.looseObject({ data: z.array(aFolder) });

/** A folder of this run, deleted in the end. */
async function withFolder(
  context: Context,
  settings: object,
  use: (id: string, path: string) => Promise<void>,
): Promise<void> {
  const groups = `/${context.workspace}/groups`;
  const name = `conformance-${randomBytes(6).toString('hex')}`;
  const made = z.looseObject({ id: z.string().min(1) });
  const { id } = await askFor(context, made, { path: groups, json: { name, ...settings } }, 201);
  const path = `${groups}/${id}`;
  try {
    await use(id, path);
  } finally {
    await context.client.send({ method: 'DELETE', path });
  }
}

async function projectsOf(context: Context, id: string): Promise<readonly string[]> {
  const path = `/${context.workspace}/groups`;
  const { data } = await askFor(context, folderList, { path, query: { groupId: id } });
  const [folder] = data;
  assert.equal(data.length, 1, 'groupId gives one folder');
  assert.equal(folder?.id, id);
  return folder?.projects ?? [];
}

export const folderChecks: FamilyChecks = {
  default: [
    check(
      'a folder is made, listed, changed and deleted',
      ['14.1', '14.2', '14.3', '14.4', '2.5'],
      (context) =>
        withFolder(context, {}, async (id, path) => {
          const groups = `/${context.workspace}/groups`;
          const { data } = await askFor(context, folderList, { path: groups });
          assert.ok(
            data.some((folder) => folder.id === id),
            'the list has the new folder',
          );
          const name = `renamed-${id}`;
          const query = { returnUpdated: 'true' };
          const changed = await askFor(context, folderList, { path, query, json: { name } });
          assert.deepEqual(
            changed.data.map((folder) => folder.name),
            [name],
          );
          await ask(context, { path, json: { external_id: 'e-1' } }, 200);
          await refused(context, { path, json: { name: '' } }, 400);
          await refused(context, { path, json: { parent_id: id } }, 400);
          await refused(context, { path: groups, json: {} }, 400);
          await askForNothing(context, { method: 'DELETE', path });
          await refused(context, { method: 'DELETE', path }, 404);
          await refused(context, { path: groups, query: { groupId: id } }, 404);
        }),
    ),
    check('projects go into a folder and out of it', ['14.5'], async (context) => {
      const [one, two] = [await newProject(context), await newProject(context)];
      await withFolder(context, { projects: [one] }, async (id, path) => {
        const patch = { method: 'PATCH', path: `${path}/projects` } as const;
        await askForNothing(context, { ...patch, json: { projects: [two] } });
        assert.deepEqual([...(await projectsOf(context, id))].sort(), [one, two].sort());
        await refused(context, { ...patch, json: { projects: [one, 'no-such-project'] } }, 400);
        await askForNothing(context, { ...patch, json: { projects: [one], operation: 'remove' } });
        assert.deepEqual(await projectsOf(context, id), [two]);
        await refused(context, { ...patch, json: {} }, 400);
      });
    }),
  ],
  other: [
    check('a folder of another workspace is not there', ['2.5'], (context) =>
      withFolder(context, {}, async (id) => {
        const other = context.other ?? context.client;
        const { workspace } = await askFor(other, z.looseObject({ workspace: z.string() }), {
          path: '/',
        });
        assert.notEqual(workspace, context.workspace, 'the other key is of another workspace');
        const path = `/${workspace}/groups/${id}`;
        await refused(other, { path, json: { name: 'mine' } }, 404);
        await refused(other, { method: 'DELETE', path }, 404);
      }),
    ),
  ],
};
