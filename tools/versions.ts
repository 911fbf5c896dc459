// Tools of the versions family: frozen snapshots of a dataset.

import * as z from 'zod';
import { versions } from '../src/contract/versions.ts';
import { fromOperation, type Tool, toolFor } from '../src/mcp/tool.ts';
import { exportVersion } from './export.ts';
import { count, quoted, splitList } from './words.ts';

const exportInput = z.strictObject({
  ...versions.versions_export.pathParameters.shape,
  save_to: z.string().optional().describe('A .zip path, or an existing folder.'),
  overwrite: z.boolean().optional().describe('True: replace an existing file.'),
});

export const versionTools: readonly Tool[] = [
  fromOperation(versions.versions_get, {
    title: 'Get version',
    description:
      'Use this to see the images, splits and settings of a version, and if it is ready.',
    summarize: ({ version: { images = 0, splits, generating } }, { project, version }) => {
      const figures = `${count(images, 'image')}${splits ? ` (${splitList(splits)})` : ''}`;
      const state = generating ? 'is still being generated' : `has ${figures}`;
      return `Version ${version} of ${quoted(project)} ${state}.`;
    },
  }),
  fromOperation(versions.versions_delete, {
    title: 'Delete version',
    description: 'Moves a version to the trash for 30 days; trash_restore brings it back.',
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
      'Use this to get a version as a zip for training; give save_to to have it on disk, else you get a short-lived link. Not ready in time: call it again.',
    // It starts the export where there is none, and writes a file here.
    effect: 'adds',
    idempotent: true,
    input: exportInput,
    run: exportVersion,
  }),
  fromOperation(versions.versions_generate, {
    title: 'Generate version',
    description:
      'Use this to freeze the dataset for training. Preprocessing applies to all images, then augmentation to train only: image.versions N makes N images of each, the original and N-1 random copies. Pass {} for neither. Runs in the background.',
    summarize: ({ version }, { project }) =>
      `Version ${version} of ${quoted(project)} is being generated.`,
    next: ({ version }, { workspace, project }) => [
      {
        tool: 'tasks_wait',
        arguments: { workspace, project, version: Number(version) },
        why: 'Waits until it is ready.',
      },
      {
        tool: 'versions_export',
        arguments: { workspace, project, version: Number(version), format: 'coco' },
        why: 'Then gives it as a file.',
      },
    ],
  }),
];
