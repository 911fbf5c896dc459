// images_delete with a query: deletes what was counted, and asks about the count first.

import * as z from 'zod';
import { check, withoutNulls } from '../../src/contract/check.ts';
import { inProject } from '../../src/contract/fields.ts';
import { invalidArgument } from '../../src/errors.ts';
import { asRecord } from '../../src/json-object.ts';
import { limits } from '../../src/limits.ts';
import type { ConfirmationPrompt, PreparedCall, Tool, ToolContext } from '../../src/mcp/tool.ts';
import { confirmImageDeletion } from '../confirmation-prompts.ts';
import { asGiven, count, lastPart, nameList, quoted } from '../format.ts';
import {
  checkSelection,
  describeSelection,
  type ImageSelection,
  inParts,
  selectImages,
  selectionArguments,
} from './image-selection.ts';

const queryInput = z.strictObject({
  ...inProject.shape,
  query: z.string().min(1),
  dry_run: z.boolean().optional(),
  confirm: z.string().optional(),
});

type QueryInput = z.output<typeof queryInput>;

/** `base` deletes images by their ids. */
export function deleteImagesTool(base: Tool): Tool {
  const { images, ...others } = base.input.shape;
  const input = base.input.extend({
    ...others,
    images: images.optional(),
    ...selectionArguments,
    confirm: z.string().describe('Repeat the project here; with query project/count.'),
  });
  return {
    ...base,
    input,
    prepare: (args) => {
      const { query, dry_run, ...byIds } = asRecord(withoutNulls(input, args));
      checkSelection({ images: byIds.images, query, dry_run });
      if (query === undefined) return base.prepare(byIds);
      return prepareByQuery(base, check(queryInput, withoutNulls(queryInput, args)));
    },
  };
}

function prepareByQuery(base: Tool, input: QueryInput): PreparedCall {
  const { workspace, query, dry_run, confirm } = input;
  const project = lastPart(input.project);
  /** What was asked about last: only this is deleted. */
  let selected: ImageSelection | undefined;
  const select = async (context: ToolContext) => {
    selected = await selectImages({ workspace, query, project }, context);
    return selected;
  };
  return {
    elicit: async (context) => {
      const { elicitation } = context;
      const found = await select(context);
      if (dry_run || found.ids.length === 0) return undefined;
      if (confirm !== undefined || !elicitation.canConfirm) checkCount(input, found);
      if (!elicitation.canConfirm) return undefined;
      const call = { tool: base.name, input: { workspace, project, query } };
      await elicitation.confirm(call, async () => promptFor(input, await select(context), context));
      return undefined;
    },
    run: async (context) => {
      const found = selected ?? (await select(context));
      const { ids } = found;
      if (ids.length === 0) return describeSelection(found);
      if (dry_run) return counted(base, input, found);
      const remove = (part: readonly string[]) =>
        base.prepare({ workspace, project, images: part, confirm: project }).run(context);
      const [first] = await inParts(ids, limits.imagesDeletedMax, remove, context);
      const figure = count(ids.length, 'image');
      // Each part is an item of the trash: only of a single one the facts are those of all.
      const whole = ids.length <= limits.imagesDeletedMax ? first : undefined;
      return {
        ...whole,
        summary: `Deleted ${figure} of ${quoted(project)} that ${asGiven(query)} found.`,
        data: { ...whole?.data, images: ids.length },
      };
    },
  };
}

/** Only who knows the count means what the query finds. */
function confirmationOf({ project }: QueryInput, { ids }: ImageSelection): string {
  return `${lastPart(project)}/${ids.length}`;
}

function checkCount(input: QueryInput, found: ImageSelection): void {
  const expected = confirmationOf(input, found);
  if (input.confirm === expected) return;
  const message = `must be "${expected}": the project, and how many images the query finds; nothing was changed`;
  throw invalidArgument('confirm', message);
}

function counted(base: Tool, input: QueryInput, found: ImageSelection) {
  const { workspace, project, query } = input;
  const confirm = confirmationOf(input, found);
  const next = {
    tool: base.name,
    arguments: { workspace, project, query, confirm },
    why: 'Deletes them, once the user agreed.',
  };
  return { ...describeSelection(found), next: [next] };
}

async function promptFor(
  { workspace, project, query }: QueryInput,
  { ids, shown, digest }: ImageSelection,
  context: ToolContext,
): Promise<ConfirmationPrompt> {
  const deletion = { workspace, project, images: [...ids] };
  const { message } = await confirmImageDeletion(deletion, context);
  const names = shown.map(({ id, name }) => (typeof name === 'string' ? name : String(id)));
  return {
    message: `${message} They are what ${asGiven(query)} finds: ${nameList(names)}.`,
    facts: { digest },
  };
}
