// Trash: what is in it, and what comes back.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import * as z from 'zod';
import { type Context, check, type FamilyChecks } from '../check.ts';
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
async function trash(context: Context, path: string, type: 'project' | 'version' | 'workflow') {
  const gone = await askFor(context, deleted, { method: 'DELETE', path });
  assert.equal(gone.type, type);
  await refused(context, { path }, 404);
  const { items, sections } = await askFor(context, trashList, {
    path: `/${context.workspace}/trash`,
  });
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

function restore(context: Context, json: object) {
  return askFor(context, restored, { path: `/${context.workspace}/trash/restore`, json });
}

export const trashChecks: FamilyChecks = {
  default: [
    check(
      'a project goes to the trash and comes back',
      ['8.10', '8.11', '8.12', '11.4', '18.1', '18.2'],
      async (context) => {
        const slug = await newProject(context);
        await upload(context, slug, 1);
        const before = await ask(context, { path: at(context, slug) }, 200);
        const json = await trash(context, at(context, slug), 'project');
        await restore(context, json);
        assert.deepEqual(await ask(context, { path: at(context, slug) }, 200), before);
        await refused(context, { path: `/${context.workspace}/trash/restore`, json }, 404);
      },
    ),
    check(
      'a version comes back into a project that is there',
      ['8.10', '8.12'],
      async (context) => {
        const slug = await newProject(context);
        await upload(context, slug, 1);
        const version = await generateVersion(context, slug);
        const path = at(context, slug, `/${version}`);
        const json = await trash(context, path, 'version');
        const project = await trash(context, at(context, slug), 'project');
        await refused(context, { path: `/${context.workspace}/trash/restore`, json }, 409);
        await restore(context, project);
        await restore(context, json);
        await ask(context, { path }, 200);
      },
    ),
    check(
      'a workflow goes to the trash and comes back',
      ['8.10', '8.12', '23.1'],
      async (context) => {
        const workflows = `/${context.workspace}/workflows`;
        const json = {
          name: `conformance-${randomBytes(6).toString('hex')}`,
          config: { specification: { version: '1.0', steps: [] } },
        };
        const made = z.looseObject({
          workflow: z.looseObject({ id: z.string(), url: z.string() }),
        });
        const { workflow } = await askFor(context, made, { path: workflows, json }, 201);
        const path = `${workflows}/${workflow.url}`;
        const gone = await trash(context, path, 'workflow');
        await restore(context, gone);
        const { workflow: shown } = await askFor(context, made, { path });
        assert.deepEqual(z.looseObject({ config: z.unknown() }).parse(shown).config, json.config);
        await trash(context, path, 'workflow');
      },
    ),
    check('what was never deleted is not restored', ['18.2'], async (context) => {
      const path = `/${context.workspace}/trash/restore`;
      await refused(context, { path, json: { type: 'project', id: 'no-such-id' } }, 404);
      await refused(context, { path, json: { type: 'picture', id: 'x' } }, 400);
      await refused(context, { path, json: { type: 'version', id: '1' } }, 400);
      await refused(context, { path, json: {} }, 400);
    }),
  ],
  other: [
    check('the trash of another workspace stays closed', ['18.6'], async (context) => {
      const slug = await newProject(context);
      const json = await trash(context, at(context, slug), 'project');
      const other: Client = context.other ?? context.client;
      const { workspace } = await askFor(other, z.looseObject({ workspace: z.string() }), {
        path: '/',
      });
      assert.notEqual(workspace, context.workspace, 'the other key is of another workspace');
      await refused(other, { path: `/${context.workspace}/trash` }, 403);
      await refused(other, { path: `/${context.workspace}/trash/restore`, json }, 403);
      await refused(other, { path: `/${workspace}/trash/restore`, json }, 404);
      await restore(context, json);
    }),
  ],
};
