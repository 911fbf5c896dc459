// The tool profiles: `full` lists every operation as a tool; `default` and `compact` list those
// that are used most, one tool that finds operations, and three dispatcher tools that call the
// others.

import type { ToolProfile } from '../config.ts';
import { FoveaError, invalidInput, type Problem } from '../errors.ts';
import { isJsonObject } from '../json-object.ts';
import { meantOperation } from './operation-search/word-synonyms.ts';
import type { NextCall } from './tool.ts';
import {
  type ListedTool,
  offeredOperations,
  type ToolListSettings,
  whyNotOffered,
} from './tool-list.ts';
import { cleanText } from './untrusted-text.ts';

export type Arguments = Readonly<Record<string, unknown>>;

type Listed = ReadonlyMap<string, ListedTool>;

/** The operation that a call means, with its own arguments. */
export interface OperationCall {
  readonly name: string;
  readonly args: Arguments;
}

/** The operations that a profile lists, in the order of a dataset's life. */
const profileNames = {
  default: [
    'workspace_get',
    'projects_create',
    'projects_get',
    'projects_health',
    'projects_rebalance_splits',
    'images_upload',
    'images_annotate',
    'images_get',
    'images_tag',
    'images_set_metadata_bulk',
    'workspace_search',
    'versions_generate',
    'versions_get',
    'versions_export',
    'tasks_wait',
    'trainings_start',
    'trainings_list',
    'evaluations_create',
    'evaluations_get',
    'evaluations_compare',
    'evaluations_mend',
    'annotation_review',
    'deployment_set_model',
    'inference_run',
    'trash_restore',
    'events_create',
    'events_attach_file',
    'events_finalize',
    'events_list',
    'events_get',
    'events_count',
    'events_hold',
    'auth_sign_in',
    'auth_status',
    'doctor',
  ],
  compact: [
    'workspace_get',
    'projects_create',
    'projects_get',
    'projects_health',
    'images_upload',
    'workspace_search',
    'versions_export',
    'tasks_wait',
    'trainings_start',
    'events_list',
    'auth_sign_in',
    'doctor',
  ],
} as const satisfies Record<Exclude<ToolProfile, 'full'>, readonly string[]>;

/**
 * Tools beside which a page stands: hosts that show pages list them too, since a page belongs to a
 * tool and is not shown for a dispatcher tool. The settings of `versions_preview` are too long for
 * `compact`.
 */
const pageNames: Readonly<Record<Exclude<ToolProfile, 'full'>, readonly string[]>> = {
  default: ['versions_preview'],
  compact: ['annotation_review', 'evaluations_get'],
};

const operationsFindName = 'operations_find';

/** One dispatcher tool per effect, so that its hints are true of each operation that it calls. */
const dispatchers: Readonly<Record<string, readonly string[]>> = {
  operations_read: ['reads'],
  operations_write: ['adds', 'changes'],
  operations_delete: ['removes'],
};

/** Finds operations; runs as a tool of its own. */
export const operationsFind: ListedTool = {
  ...words(
    'Find operation',
    'Finds operations beyond the tools of this list, by plain words. The best matches come with their arguments, ready for operations_read, operations_write or operations_delete. Says so where no operation does the job.',
  ),
  name: operationsFindName,
  effect: 'reads',
  inputSchema: {
    properties: {
      query: {
        description: 'What is to be done, in plain words; or the name of an operation or toolset.',
        type: 'string',
      },
    },
    required: ['query'],
    type: 'object',
  },
  annotations: {
    readOnlyHint: true,
    destructiveHint: false,
    idempotentHint: true,
    openWorldHint: false,
  },
};

const dispatcherTools: readonly ListedTool[] = [
  dispatcherTool(
    'operations_read',
    'Read',
    'Runs an operation that only reads, by its name from operations_find.',
  ),
  dispatcherTool(
    'operations_write',
    'Write',
    'Runs an operation that adds or changes something, by its name from operations_find.',
  ),
  {
    ...dispatcherTool(
      'operations_delete',
      'Delete',
      'Runs an operation that deletes or ends something, by its name from operations_find.',
    ),
    meta: { 'anthropic/requiresUserInteraction': true },
  },
];

/**
 * The tools that hosts are shown. Beside a profile that lists a part of the operations, a
 * dispatcher tool is listed where it can call at least one operation.
 */
export function listedTools(
  list: readonly ListedTool[],
  settings: ToolListSettings,
): readonly ListedTool[] {
  const offered = offeredOperations(list, settings);
  const { toolProfile } = settings;
  if (toolProfile === 'full') return offered;
  const byName = new Map(offered.map((tool) => [tool.name, tool]));
  const reached = dispatcherTools.filter(
    (entry) =>
      whyNotOffered(entry, settings) === undefined &&
      offered.some(({ effect }) => dispatchers[entry.name]?.includes(effect)),
  );
  const most = profileNames[toolProfile].flatMap((name) => byName.get(name) ?? []);
  const ofPages = offered.filter((tool) => isOfPage(tool, settings));
  return [...most, operationsFind, ...reached, ...ofPages];
}

/**
 * Sees through `operations_read`, `operations_write` and `operations_delete`. Whatever guards a
 * call (scopes, settings, elicitation, idempotency) looks at what comes out of here. Throws
 * `invalid_input` where the arguments name no operation, or one of another effect, and for a tool
 * that this profile does not list; `forbidden` where the settings leave the operation out.
 */
export function resolveOperation(
  name: string,
  args: Arguments,
  listed: Listed,
  settings: ToolListSettings,
): OperationCall {
  if (settings.toolProfile === 'full' || name === operationsFindName) return { name, args };
  if (Object.hasOwn(dispatchers, name)) return dispatchedCall(name, args, listed, settings);
  const known = listed.get(name);
  if (known === undefined || whyNotOffered(known, settings) || isListed(known, settings)) {
    return { name, args };
  }
  // Hosts grant permissions by the names that they were shown: another name would evade them.
  throw otherTool(known, args, `is reached through ${dispatcherFor(known)}`, settings);
}

/** A following call as this profile makes it; undefined: the settings do not offer it. */
export function presentNext(
  next: NextCall,
  listed: Listed,
  settings: ToolListSettings,
): NextCall | undefined {
  const tool = listed.get(next.tool);
  if (tool === undefined || whyNotOffered(tool, settings) !== undefined) return undefined;
  return { ...next, ...presentCall(tool, next.arguments, settings) };
}

/** A call of an operation as this profile makes it. */
export function presentCall(
  tool: Pick<ListedTool, 'name' | 'effect'>,
  args: Arguments,
  settings: ListSettings,
): { readonly tool: string; readonly arguments: Arguments } {
  if (isListed(tool, settings)) {
    return { tool: tool.name, arguments: args };
  }
  return { tool: dispatcherFor(tool), arguments: { operation: tool.name, arguments: args } };
}

/** A sentence of ours; of the operations in it that this profile does not list, it says how. */
export function withWays(sentence: string, listed: Listed, settings: ToolListSettings): string {
  if (settings.toolProfile === 'full') return sentence;
  const told = new Set<string>();
  return sentence.replaceAll(/\ue000[^\ue001]*\ue001|"[^"]*"|[a-z]+(?:_[a-z]+)+/gu, (word) => {
    const tool = listed.get(word);
    const isReached = tool !== undefined && whyNotOffered(tool, settings) === undefined;
    if (!isReached || isListed(tool, settings) || told.has(word)) return word;
    told.add(word);
    return `${word} (by ${dispatcherFor(tool)})`;
  });
}

type ListSettings = Pick<ToolListSettings, 'toolProfile' | 'showsApps'>;

function isListed(tool: Pick<ListedTool, 'name' | 'appOnly'>, settings: ListSettings): boolean {
  const { toolProfile } = settings;
  if (toolProfile === 'full' || tool.name === operationsFindName) return true;
  const isOfProfile = profileNames[toolProfile].some((listed) => listed === tool.name);
  return isOfProfile || isOfPage(tool, settings);
}

function isOfPage({ name, appOnly }: Pick<ListedTool, 'name' | 'appOnly'>, settings: ListSettings) {
  const { showsApps, toolProfile } = settings;
  if (showsApps !== true) return false;
  return appOnly === true || (toolProfile !== 'full' && pageNames[toolProfile].includes(name));
}

/** The tool that reaches an operation. */
function dispatcherFor({ effect }: Pick<ListedTool, 'effect'>): string {
  const [name] = Object.entries(dispatchers).find(([, effects]) => effects.includes(effect)) ?? [];
  if (name === undefined) throw new Error(`no tool reaches the effect ${effect}`);
  return name;
}

function dispatchedCall(
  name: string,
  args: Arguments,
  listed: Listed,
  settings: ToolListSettings,
): OperationCall {
  const { operation, arguments: given, ...stray } = args;
  const tool = namedOperation(operation, listed, settings);
  const inner = { ...asArguments(given), ...stray };
  // Arguments beside `operation` are meant for it: the error says where they belong.
  if (Object.keys(stray).length > 0) {
    throw otherTool(tool, inner, 'takes its arguments inside "arguments"', settings);
  }
  if (!dispatchers[name]?.includes(tool.effect)) {
    const way = `is reached through ${dispatcherFor(tool)}: it ${does(tool)}`;
    throw otherTool(tool, inner, way, settings);
  }
  return { name: tool.name, args: inner };
}

function does({ effect }: ListedTool): string {
  return effect === 'removes' ? 'deletes or ends something' : `${effect} something`;
}

function namedOperation(
  operation: unknown,
  listed: Listed,
  settings: ToolListSettings,
): ListedTool {
  if (typeof operation !== 'string') {
    throw wrong('operation', 'must be the name of an operation; operations_find finds it');
  }
  const named = operation === operationsFindName ? undefined : listed.get(operation);
  // A dispatcher tool is for models.
  const tool = named?.appOnly === true ? undefined : named;
  if (tool === undefined) throw unknownOperation(operation, listed, settings);
  const refused = whyNotOffered(tool, settings);
  if (refused === undefined) return tool;
  throw new FoveaError('forbidden', `The operation "${tool.name}" is not offered: ${refused}.`, {
    hint: 'No other call does it: the settings of this server are those of its user.',
  });
}

function unknownOperation(
  operation: string,
  listed: Listed,
  settings: ToolListSettings,
): FoveaError {
  const known = [...listed.values()].filter((tool) => whyNotOffered(tool, settings) === undefined);
  const near = meantOperation(
    operation,
    known.map(({ name }) => name),
  );
  const shown = JSON.stringify(cleanText(operation).slice(0, 64));
  if (near === undefined) return wrong('operation', `${shown} is none; operations_find finds it`);
  return invalidInput([
    {
      path: 'operation',
      message: `${shown} is none; did you mean "${near}"?`,
      fix: { kind: 'replace', by: near },
    },
  ]);
}

/** JSON text is parsed, as in all arguments. */
function asArguments(given: unknown): Arguments {
  const value = typeof given === 'string' ? parsed(given) : (given ?? {});
  if (isJsonObject(value)) return value;
  throw wrong('arguments', 'must be an object with the arguments of the operation');
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function wrong(path: string, message: string): FoveaError {
  const problem: Problem = { path, message };
  return invalidInput([problem]);
}

/** The operation is right, and the way to it is not: the call that would be right is known. */
function otherTool(
  tool: ListedTool,
  args: Arguments,
  message: string,
  settings: ToolListSettings,
): FoveaError {
  return new FoveaError('invalid_input', `${tool.name} ${message}.`, {
    problems: [{ path: '', message: `${tool.name} ${message}` }],
    corrected: presentCall(tool, args, settings),
  });
}

function words(title: string, description: string) {
  return { title, description, toolset: 'operations', usesFiles: false };
}

function dispatcherTool(name: string, verb: string, description: string): ListedTool {
  const isReading = name === 'operations_read';
  return {
    ...words(`${verb} by operation`, description),
    name,
    effect: dispatchers[name]?.at(-1) ?? 'changes',
    inputSchema: {
      properties: {
        operation: { description: 'Name of the operation.', type: 'string' },
        arguments: {
          description: 'The arguments that operations_find shows for it.',
          type: 'object',
        },
      },
      required: ['operation'],
      type: 'object',
    },
    annotations: {
      readOnlyHint: isReading,
      destructiveHint: !isReading,
      idempotentHint: name !== 'operations_write',
      openWorldHint: true,
    },
  };
}

type Call = Pick<NextCall, 'tool' | 'arguments'>;

export interface AvailableTools {
  /** Whether a tool can be called at all, under whichever name. */
  offers(tool: string): boolean;
  /** A call of a tool as this profile makes it; undefined: it cannot be made. */
  callFor(call: Call): Call | undefined;
}

export function availableTools(
  list: readonly ListedTool[],
  settings: ToolListSettings,
): AvailableTools {
  const listed = new Map(list.map((tool) => [tool.name, tool]));
  const callFor = (call: Call) => presentNext({ ...call, why: '' }, listed, settings);
  return { callFor, offers: (tool) => callFor({ tool, arguments: {} }) !== undefined };
}
