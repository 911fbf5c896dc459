// How many images of each split the filter by tags of a version lets through.

import type { SplitName } from '../../src/contract/fields.ts';
import { search } from '../../src/contract/search.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { queryWithin } from '../images/project-query.ts';

interface Wanted {
  readonly workspace: string;
  readonly project: string;
  /** By tag: whether an image needs it, or must not have it. */
  readonly tags: Readonly<Record<string, boolean>>;
}

type SplitCounts = Readonly<Record<SplitName, number>>;

/** Undefined where the service does not count all that such a search finds. */
export async function countTagged(
  { workspace, project, tags }: Wanted,
  { client, signal }: ToolContext,
): Promise<SplitCounts | undefined> {
  const terms = Object.entries(tags).map(
    ([tag, isNeeded]) => `${isNeeded ? '' : '-'}tag:${JSON.stringify(tag)}`,
  );
  const countOf = async (split: SplitName) => {
    const query = queryWithin(project, [`split:${split}`, ...terms].join(' '));
    const asked = { workspace, query, fields: ['id'], pageSize: 1 };
    const found = await client.call(search.workspace_search, asked, { signal }).catch(unknown);
    return found?.body.totalIsExact === false ? undefined : found?.body.total;
  };
  const counts = await Promise.all([countOf('train'), countOf('valid'), countOf('test')]);
  signal.throwIfAborted();
  const [train, valid, test] = counts;
  if (train === undefined || valid === undefined || test === undefined) return undefined;
  return { train, valid, test };
}

/** Counting is an extra: what refuses it leaves all else as it is. */
function unknown(): undefined {
  return undefined;
}
