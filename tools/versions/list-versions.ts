// versions_list: the versions of a project, the newest first.

import * as z from 'zod';
import type { Answer } from '../../src/contract/operation.ts';
import { projects } from '../../src/contract/projects.ts';
import { asRecord } from '../../src/json-object.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import { count, quoted } from '../format.ts';
import { pageOf, pageShape } from '../list-page.ts';

const { projects_get } = projects;

export const versionsList = toolFor(projects_get, {
  name: 'versions_list',
  toolset: 'versions',
  title: 'List versions',
  description:
    'Lists the versions of a project, the newest first: images per split, state, exports that are ready, names of the steps. versions_get gives the settings of one.',
  input: z.strictObject({ ...projects_get.pathParameters.shape, ...pageShape }),
  run: async ({ workspace, project, ...wanted }, { client, signal }) => {
    const { body } = await client.call(projects_get, { workspace, project }, { signal });
    const all = body.versions.toSorted(
      ({ created: one = 0 }, { created: other = 0 }) => other - one,
    );
    const { shown, page } = pageOf(all, wanted);
    return {
      summary: `${quoted(project)} has ${count(all.length, 'version')}.`,
      data: { versions: shown.map(inShort) },
      page,
    };
  },
});

type Version = Answer<typeof projects_get>['versions'][number];

/** Without classes, and of the settings the names alone. */
function inShort(version: Version) {
  const { classes: _, colors: __, preprocessing, augmentation, ...facts } = asRecord(version);
  return {
    ...facts,
    preprocessing: Object.keys(asRecord(preprocessing)),
    augmentation: Object.keys(asRecord(augmentation)),
  };
}
