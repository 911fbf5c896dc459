// images_set_split: moves images to another split, by their ids or by a query.

import * as z from 'zod';
import { check, withoutNulls } from '../../src/contract/check.ts';
import { imageExtensions } from '../../src/contract/images.ts';
import { invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, lastPart, quoted } from '../format.ts';
import {
  checkSelection,
  describeSelection,
  inParts,
  selectImages,
  selectionArguments,
} from './image-selection.ts';

const { images_set_split: operation } = imageExtensions;

const input = z.strictObject({
  ...operation.pathParameters.shape,
  split: operation.body.shape.split,
  images: operation.body.shape.images.optional(),
  ...selectionArguments,
});

const setSplit = toolFor(operation, {
  title: 'Set split of images',
  description:
    'Moves chosen images to another split. For shares of a project use projects_rebalance_splits.',
  input,
  run: moveImages,
});

export const setSplitTool = {
  ...setSplit,
  embeddedOnly: true as const,
  prepare: (args: unknown) => {
    const { images, query, dry_run } = check(input, withoutNulls(input, args));
    if (images === undefined && query === undefined) {
      throw invalidArgument('images', 'give either images or query');
    }
    checkSelection({ images, query, dry_run });
    return setSplit.prepare(args);
  },
};

async function moveImages(
  { workspace, project, split, images, query, dry_run }: z.output<typeof input>,
  context: ToolContext,
): Promise<ToolResult> {
  const where = { workspace, project };
  const move = async (part: readonly string[]) => {
    const { client, signal } = context;
    const sent = { ...where, split, images: [...part] };
    return (await client.call(operation, sent, { signal })).body.moved;
  };
  if (query === undefined) {
    const ids = [...new Set(images)];
    return moved(project, split, ids, [await move(ids)]);
  }
  const selection = await selectImages({ workspace, query, project }, context);
  const { ids } = selection;
  if (dry_run || ids.length === 0) return describeSelection(selection);
  const parts = await inParts(ids, limits.imagesDeletedMax, move, context);
  return moved(project, split, ids, parts);
}

function moved(
  project: string,
  split: string,
  ids: readonly string[],
  parts: readonly number[],
): ToolResult {
  const total = parts.reduce((sum, part) => sum + part, 0);
  const there = ids.length - total;
  const others = there > 0 ? `; ${there} were there already` : '';
  return {
    summary: `Moved ${count(total, 'image')} of ${quoted(lastPart(project))} to ${split}${others}.`,
    data: { images: ids.length, moved: total, split },
  };
}
