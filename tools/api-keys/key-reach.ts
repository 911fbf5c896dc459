// What an API key may do, worked out from its scopes and folders: nobody needs its secret for that.

import { apiKeys } from '../../src/contract/api-keys.ts';
import { folders } from '../../src/contract/folders.ts';
import { embeddedOperations } from '../../src/contract/index.ts';
import type { Answer, Effect, Input, Operation } from '../../src/contract/operation.ts';
import { asRecord } from '../../src/json-object.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, lastPart, quoted } from '../format.ts';

const { api_keys_get: get } = apiKeys;

const operations: readonly Operation[] = Object.values(embeddedOperations);

/** Throws `not_found` for an unknown key, and where the folders of a key cannot be read. */
export async function tryKey(input: Input<typeof get>, context: ToolContext): Promise<ToolResult> {
  const { client, signal } = context;
  const { apiKey } = (await client.call(get, input, { signal })).body;
  const { keyId, scopes, folderIds, disabled = false } = apiKey;
  // Null, or nothing said: everything.
  const isAllowed = ({ scope }: Operation) => scopes?.includes(scope) ?? true;
  const allowed = operations.filter(isAllowed);
  const projects = folderIds ? await projectsOf(folderIds, input.workspace, context) : undefined;
  const figures = `${allowed.length} of ${count(operations.length, 'operation')}`;
  const where =
    projects === undefined ? 'in all projects' : `in ${count(projects.length, 'project')}`;
  const whole =
    projects === undefined
      ? ''
      : ' What concerns the whole workspace, such as keys, it may not do.';
  const state = disabled ? ' It is disabled: every call is refused until it is enabled.' : '';
  return {
    summary: `API key ${quoted(keyId)} may call ${figures}, ${where}.${whole}${state}`,
    data: {
      keyId,
      disabled,
      reads: named(allowed, ['reads']),
      writes: named(allowed, ['adds', 'changes']),
      removes: named(allowed, ['removes']),
      missing_scopes: missing(operations.filter((operation) => !isAllowed(operation))),
      projects: projects ?? 'all',
    },
  };
}

function named(all: readonly Operation[], effects: readonly Effect[]): readonly string[] {
  return all.filter(({ effect }) => effects.includes(effect)).map(({ id }) => id);
}

/** Scope to the number of operations that need it. */
function missing(refused: readonly Operation[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const { scope } of refused) counts[scope] = (counts[scope] ?? 0) + 1;
  return counts;
}

type Folder = Answer<typeof folders.folders_list>['data'][number];

/** The projects of the folders and of those below them. */
async function projectsOf(
  folderIds: readonly string[],
  workspace: string,
  { client, signal }: ToolContext,
): Promise<readonly string[]> {
  const { data } = (await client.call(folders.folders_list, { workspace }, { signal })).body;
  const reached = new Set(folderIds);
  // A folder may stand before the one that holds it.
  for (let before = -1; before !== reached.size; ) {
    before = reached.size;
    for (const folder of data) if (reached.has(parentOf(folder))) reached.add(folder.id);
  }
  const slugs = data.filter(({ id }) => reached.has(id)).flatMap(({ projects = [] }) => projects);
  return [...new Set(slugs.map(slugOf))].toSorted();
}

function parentOf(folder: Folder): string {
  const { parent_id, parentId = parent_id } = folder;
  return typeof parentId === 'string' ? parentId : '';
}

/** Platforms name a project by its id, or describe it. */
function slugOf(project: unknown): string {
  if (typeof project === 'string') return lastPart(project);
  const { slug, id, name } = asRecord(project);
  return lastPart(String(slug ?? id ?? name));
}
