// Tools of the versions toolset: frozen snapshots of a dataset.

import * as z from 'zod';
import type { Answer } from '../src/contract/operation.ts';
import { versions } from '../src/contract/versions.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { count, quoted, splitList } from './format.ts';
import { versionsDiff } from './versions/diff-versions.ts';
import { exportVersion } from './versions/export.ts';
import { generateInput, prepareGeneration } from './versions/generate.ts';
import { versionsList } from './versions/list-versions.ts';

const exportInput = z.strictObject({
  ...versions.versions_export.pathParameters.shape,
  save_to: z.string().optional().describe('Path of the .zip to write, or its folder.'),
  overwrite: z.boolean().optional().describe('Replace a file that is there.'),
});

export const versionTools: readonly Tool[] = [
  versionsList,
  versionsDiff,
  fromOperation(versions.versions_get, {
    title: 'Get version',
    description:
      'Describes a version: images per split, settings, state, exports that are ready, and its model. To wait until it is ready use tasks_wait.',
    summarize: ({ version: found }, { project, version }) =>
      `Version ${version} of ${quoted(project)} ${stateOf(found)}.`,
  }),
  fromOperation(versions.versions_delete, {
    title: 'Delete version',
    description:
      'Moves a version to the trash for 30 days. The images of the project stay. trash_restore undoes it.',
    summarize: (_answer, { project, version }) =>
      `Version ${version} of ${quoted(project)} is in the trash.`,
    next: ({ id, parentId }, { workspace }) =>
      id === undefined || parentId === undefined
        ? []
        : [
            {
              tool: 'trash_restore',
              arguments: { workspace, type: 'version', id, parentId },
              why: 'Undoes this.',
            },
          ],
  }),
  toolFor(versions.versions_export, {
    title: 'Export version',
    description:
      'Exports a version as a zip file in the format of a trainer: on this machine with save_to, else as a download link. For what a search finds use search_export_start.',
    // It may start the export, and writes a file here.
    effect: 'adds',
    idempotent: true,
    fileArguments: ['save_to', 'overwrite'],
    input: exportInput,
    run: exportVersion,
  }),
  {
    ...toolFor(versions.versions_generate, {
      title: 'Generate version',
      input: generateInput,
      description:
        'Freezes a project as a numbered version: preprocessing changes all images, augmentation adds random copies of train images. Try versions_preview and dry_run first. Runs in the background: see tasks_wait.',
      run: (input, context) => prepareGeneration(input).run(context),
    }),
    // Hosts see a part of the accepted settings; all settings are checked at once.
    prepare: prepareGeneration,
  },
];

type Version = Answer<typeof versions.versions_get>['version'];

function stateOf({ images = 0, splits, generating, error }: Version): string {
  if (generating) return 'is still being generated';
  if (error !== undefined) return 'could not be generated: "error" says why';
  return `has ${count(images, 'image')}${splits ? ` (${splitList(splits)})` : ''}`;
}
