// Trash: what is in it, and what comes back.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { check, type FamilyChecks, type Kit } from '../check.ts';
import type { Client } from '../client.ts';
import { ask, askFor, at, newProject, refused, upload } from '../steps.ts';
import { generateVersion } from './projects.ts';

const item = z.looseObject({
  id: z.string().min(1),
  type: z.string(),
  name: z.string(),
  deletedAt: z.iso.datetime(),
  scheduledCleanupAt: z.iso.datetime(),
  parentId: z.string().optional(),
});
const trashList = z.looseObject({
  items: z.array(item),
  sections: z.looseObject({
    projects: z.array(item),
    versions: z.array(item),
    workflows: z.array(item),
  }),
});
const deleted = z.looseObject({ deleted: z.literal(true), type: z.string(), id: z.string() });
const restored = z.looseObject({ restored: z.literal(true), type: z.string(), id: z.string() });

/** Deletes what is at this path, and finds it in the trash. */
async function trash(kit: Kit, path: string, type: 'project' | 'version' | 'workflow') {
  const gone = await askFor(kit, deleted, { method: 'DELETE', path });
  assert.equal(gone.type, type);
  await refused(kit, { path }, 404);
  const { items, sections } = await askFor(kit, trashList, { path: `/${kit.workspace}/trash` });
  const found = items.filter(({ id, parentId }) => {
    return id === gone.id && (parentId === undefined || parentId === gone.parentId);
  });
  assert.equal(found.length, 1, 'it is in the trash once');
  assert.equal(found[0]?.type, type);
  const section = sections[`${type}s`];
  assert.ok(
    section.some(({ id }) => id === gone.id),
    `it is in the section of ${type}s`,
  );
  return { id: gone.id, type, ...(found[0]?.parentId && { parentId: found[0].parentId }) };
}

function restore(kit: Kit, json: object) {
  return askFor(kit, restored, { path: `/${kit.workspace}/trash/restore`, json });
}

export const trashChecks: FamilyChecks = {
  default: [
    check(
      'a project goes to the trash and comes back',
      ['8.10', '8.11', '8.12', '11.4', '18.1', '18.2'],
      async (kit) => {
        const slug = await newProject(kit);
        await upload(kit, slug, 1);
        const before = await ask(kit, { path: at(kit, slug) }, 200);
        const json = await trash(kit, at(kit, slug), 'project');
        await restore(kit, json);
        assert.deepEqual(await ask(kit, { path: at(kit, slug) }, 200), before);
        await refused(kit, { path: `/${kit.workspace}/trash/restore`, json }, 404);
      },
    ),
    check('a version comes back into a project that is there', ['8.10', '8.12'], async (kit) => {
      const slug = await newProject(kit);
      await upload(kit, slug, 1);
      const version = await generateVersion(kit, slug);
      const path = at(kit, slug, `/${version}`);
      const json = await trash(kit, path, 'version');
      const project = await trash(kit, at(kit, slug), 'project');
      await refused(kit, { path: `/${kit.workspace}/trash/restore`, json }, 409);
      await restore(kit, project);
      await restore(kit, json);
      await ask(kit, { path }, 200);
    }),
    check('a workflow goes to the trash and comes back', ['8.10', '8.12', '23.1'], async (kit) => {
      const workflows = `/${kit.workspace}/workflows`;
      const json = {
        name: `conformance-${randomBytes(6).toString('hex')}`,
        config: { specification: { version: '1.0', steps: [] } },
      };
      const made = z.looseObject({
        workflow: z.looseObject({ id: z.string(), url: z.string() }),
      });
      const { workflow } = await askFor(kit, made, { path: workflows, json }, 201);
      const path = `${workflows}/${workflow.url}`;
      const gone = await trash(kit, path, 'workflow');
      await restore(kit, gone);
      const { workflow: shown } = await askFor(kit, made, { path });
      assert.deepEqual(z.looseObject({ config: z.unknown() }).parse(shown).config, json.config);
      await trash(kit, path, 'workflow');
    }),
    check('what was never deleted is not restored', ['18.2'], async (kit) => {
      const path = `/${kit.workspace}/trash/restore`;
      await refused(kit, { path, json: { type: 'project', id: 'no-such-id' } }, 404);
      await refused(kit, { path, json: { type: 'image', id: 'x' } }, 400);
      await refused(kit, { path, json: { type: 'version', id: '1' } }, 400);
      await refused(kit, { path, json: {} }, 400);
    }),
  ],
  other: [
    check('the trash of another workspace stays closed', ['18.6'], async (kit) => {
      const slug = await newProject(kit);
      const json = await trash(kit, at(kit, slug), 'project');
      const other: Client = kit.other ?? kit.client;
      const { workspace } = await askFor(other, z.looseObject({ workspace: z.string() }), {
        path: '/',
      });
      assert.notEqual(workspace, kit.workspace, 'the other key is of another workspace');
      await refused(other, { path: `/${kit.workspace}/trash` }, 403);
      await refused(other, { path: `/${kit.workspace}/trash/restore`, json }, 403);
      await refused(other, { path: `/${workspace}/trash/restore`, json }, 404);
      await restore(kit, json);
    }),
  ],
};
