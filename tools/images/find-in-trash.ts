// Where deleted images are, and which frozen versions still hold them: the embedded platform knows.

import type { images } from '../../src/contract/images.ts';
import type { Input } from '../../src/contract/operation.ts';
import { trash } from '../../src/contract/trash.ts';
import { isOwnPlatform, type ToolContext } from '../../src/mcp/tool.ts';
import { lastPart } from '../format.ts';

/** The facts of the deletion; none where the platform is hosted, or does not tell this caller. */
export async function findInTrash(
  answer: Readonly<Record<string, unknown>>,
  { workspace, project, images: ids }: Input<typeof images.images_delete>,
  { client, settings, signal }: ToolContext,
): Promise<Record<string, unknown>> {
  if (!isOwnPlatform(settings)) return { ...answer };
  try {
    const { body } = await client.call(trash.trash_list, { workspace }, { signal });
    // The newest come first.
    const item = body.items.find(
      ({ type, parentUrl }) => type === 'image' && parentUrl === lastPart(project),
    );
    if (item?.images !== ids.length) return { ...answer };
    const { id, versions = [], scheduledCleanupAt } = item;
    return {
      ...answer,
      trash_id: id,
      kept_until: scheduledCleanupAt,
      held_by_versions: versions,
    };
  } catch {
    signal.throwIfAborted();
    return { ...answer };
  }
}
