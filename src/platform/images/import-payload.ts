// What an import of many images is started with, from a zip file or from an object store.

import type { SplitName } from '../../contract/fields.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { ImportPayload } from '../background-tasks/import-dataset.ts';
import { batchNameAt } from './upload-image.ts';

/** Of the input of an import. */
interface ImportInput {
  readonly split?: SplitName | undefined;
  readonly batchName?: string | undefined;
  readonly tags?: readonly string[] | undefined;
}

/** `since`: when the task is made, in milliseconds since 1970. */
export function importPayload(
  { split = 'train', batchName, tags = [] }: ImportInput,
  { workspace, name }: Principal,
  { projectId, since }: { readonly projectId: string; readonly since: number },
): ImportPayload {
  return {
    workspaceId: workspace.id,
    projectId,
    since: String(since),
    split,
    batchName: batchName ?? batchNameAt(since),
    tags: tags.join(','),
    startedBy: name,
  };
}
