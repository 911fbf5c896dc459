// images_set_metadata_bulk with a query: one change for all images that it finds.

import * as z from 'zod';
import { check, withoutNulls } from '../../src/contract/check.ts';
import { imageId, inWorkspace, open } from '../../src/contract/fields.ts';
import { changesSomething, metadataChange, nothingToChange } from '../../src/contract/images.ts';
import { setAndRemoved } from '../../src/contract/set-and-removed.ts';
import { invalidInput } from '../../src/errors.ts';
import { asRecord } from '../../src/json-object.ts';
import { limits } from '../../src/limits.ts';
import type { Tool, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { waitForTask } from '../follow-up-calls.ts';
import { asGiven, count } from '../format.ts';
import {
  checkSelection,
  describeSelection,
  inParts,
  selectImages,
  selectionArguments,
} from './image-selection.ts';

const change = open({ imageId: imageId.optional(), ...metadataChange });

/** As hosts are shown it. */
const input = z.strictObject({
  ...inWorkspace.shape,
  updates: z
    .array(change)
    .min(1)
    .max(limits.metadataUpdatesMax)
    .describe('A change for each image; with query one, without imageId.'),
  ...selectionArguments,
});

const queryInput = z.strictObject({
  ...inWorkspace.shape,
  query: z.string().min(1),
  dry_run: z.boolean().optional(),
  updates: z
    .array(z.strictObject(metadataChange).refine(changesSomething, nothingToChange))
    .length(1),
});

type QueryInput = z.output<typeof queryInput>;

/** `base` changes images by their ids. */
export function bulkMetadataTool(base: Tool): Tool {
  return {
    ...base,
    input,
    prepare: (args) => {
      const { query, dry_run, ...byIds } = asRecord(withoutNulls(input, args));
      checkSelection({ query, dry_run });
      if (query === undefined) return base.prepare(byIds);
      const checked = check(queryInput, withoutNulls(queryInput, args));
      // The platform would say it of each image.
      const problems = setAndRemoved(checked.updates[0] ?? {}, 'updates[0].');
      if (problems.length > 0) throw invalidInput(problems);
      return { run: (context) => changeFound(base, checked, context) };
    },
  };
}

async function changeFound(
  base: Tool,
  { workspace, query, dry_run, updates: [update = {}] }: QueryInput,
  context: ToolContext,
): Promise<ToolResult> {
  const selection = await selectImages({ workspace, query }, context);
  const { ids } = selection;
  if (ids.length === 0) return describeSelection(selection);
  if (dry_run) {
    const next = {
      tool: base.name,
      arguments: { workspace, query, updates: [update] },
      why: `Changes ${count(ids.length, 'image')}, or what the query finds then.`,
    };
    return { ...describeSelection(selection), next: [next] };
  }
  const start = async (part: readonly string[]) => {
    const updates = part.map((imageId) => ({ imageId, ...update }));
    const { data } = await base.prepare({ workspace, updates }).run(context);
    return String(data.taskId);
  };
  const tasks = await inParts(ids, partSize(update), start, context);
  const [only, ...others] = tasks;
  return {
    summary: `Changing ${count(ids.length, 'image')} that ${asGiven(query)} finds, as ${count(
      tasks.length,
      'task',
    )}.`,
    // One task is named as the call with ids names it.
    data: { images: ids.length, ...(others.length === 0 ? { taskId: only } : { taskIds: tasks }) },
    next: tasks.map((taskId) => waitForTask(workspace, taskId)),
    ...(only !== undefined &&
      others.length === 0 && { work: { kind: 'task', workspace, taskId: only } }),
  };
}

/** What a call may carry bounds the images of a part where the change is long. */
function partSize(update: object): number {
  const bytes = Buffer.byteLength(JSON.stringify(update)) + limits.foreignIdCharactersMax;
  const fitting = Math.floor(limits.metadataBulkBytesMax / bytes);
  return Math.max(1, Math.min(limits.metadataUpdatesMax, fitting));
}
