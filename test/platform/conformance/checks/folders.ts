// Project folders.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { check, type FamilyChecks, type Kit } from '../check.ts';
import { ask, askFor, askForNothing, newProject, refused } from '../steps.ts';

const aFolder = z.looseObject({
  id: z.string().min(1),
  name: z.string(),
  projects: z.array(z.string()),
});
const folderList = z.looseObject({ data: z.array(aFolder) });

/** A folder of this run, deleted in the end. */
async function withFolder(
  kit: Kit,
  settings: object,
  use: (id: string, path: string) => Promise<void>,
): Promise<void> {
  const groups = `/${kit.workspace}/groups`;
  const name = `conformance-${randomBytes(6).toString('hex')}`;
  const made = z.looseObject({ id: z.string().min(1) });
  const { id } = await askFor(kit, made, { path: groups, json: { name, ...settings } }, 201);
  const path = `${groups}/${id}`;
  try {
    await use(id, path);
  } finally {
    await kit.client.send({ method: 'DELETE', path });
  }
}

async function projectsOf(kit: Kit, id: string): Promise<readonly string[]> {
  const path = `/${kit.workspace}/groups`;
  const { data } = await askFor(kit, folderList, { path, query: { groupId: id } });
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
      (kit) =>
        withFolder(kit, {}, async (id, path) => {
          const groups = `/${kit.workspace}/groups`;
          const { data } = await askFor(kit, folderList, { path: groups });
          assert.ok(
            data.some((folder) => folder.id === id),
            'the list has the new folder',
          );
          const name = `renamed-${id}`;
          const query = { returnUpdated: 'true' };
          const changed = await askFor(kit, folderList, { path, query, json: { name } });
          assert.deepEqual(
            changed.data.map((folder) => folder.name),
            [name],
          );
          await ask(kit, { path, json: { external_id: 'e-1' } }, 200);
          await refused(kit, { path, json: { name: '' } }, 400);
          await refused(kit, { path, json: { parent_id: id } }, 400);
          await refused(kit, { path: groups, json: {} }, 400);
          await askForNothing(kit, { method: 'DELETE', path });
          await refused(kit, { method: 'DELETE', path }, 404);
          await refused(kit, { path: groups, query: { groupId: id } }, 404);
        }),
    ),
    check('projects go into a folder and out of it', ['14.5'], async (kit) => {
      const [one, two] = [await newProject(kit), await newProject(kit)];
      await withFolder(kit, { projects: [one] }, async (id, path) => {
        const patch = { method: 'PATCH', path: `${path}/projects` } as const;
        await askForNothing(kit, { ...patch, json: { projects: [two] } });
        assert.deepEqual([...(await projectsOf(kit, id))].sort(), [one, two].sort());
        await refused(kit, { ...patch, json: { projects: [one, 'no-such-project'] } }, 400);
        await askForNothing(kit, { ...patch, json: { projects: [one], operation: 'remove' } });
        assert.deepEqual(await projectsOf(kit, id), [two]);
        await refused(kit, { ...patch, json: {} }, 400);
      });
    }),
  ],
  other: [
    check('a folder of another workspace is not there', ['2.5'], (kit) =>
      withFolder(kit, {}, async (id) => {
        const other = kit.other ?? kit.client;
        const { workspace } = await askFor(other, z.looseObject({ workspace: z.string() }), {
          path: '/',
        });
        assert.notEqual(workspace, kit.workspace, 'the other key is of another workspace');
        const path = `/${workspace}/groups/${id}`;
        await refused(other, { path, json: { name: 'mine' } }, 404);
        await refused(other, { method: 'DELETE', path }, 404);
      }),
    ),
  ],
};
