// Which tools of the built list a server offers, by its settings and its transport, and the
// defaults of their arguments.

import { hasOwnOperations, type Settings } from '../config.ts';
import { invalidInput } from '../errors.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';

/** The four hints, all explicit. */
export interface ToolHints {
  readonly readOnlyHint: boolean;
  readonly destructiveHint: boolean;
  readonly idempotentHint: boolean;
  readonly openWorldHint: boolean;
}

/** The JSON Schema of the arguments, flat: an object with properties. */
export interface ArgumentsSchema {
  readonly type: string;
  readonly properties: Readonly<Record<string, unknown>>;
  readonly required?: readonly string[] | undefined;
}

/** One entry of tools/list, with members that hosts do not get. */
export interface ListedTool {
  readonly name: string;
  readonly toolset: string;
  /** An `Effect`: the list is read from JSON. */
  readonly effect: string;
  /** What an OAuth token must allow. */
  readonly scope?: string;
  /** Whether it cannot do without files of this machine. */
  readonly usesFiles: boolean;
  /** Arguments that name files of this machine. */
  readonly fileArguments?: readonly string[];
  /** Whether hosted platforms have no such operation. */
  readonly embeddedOnly?: boolean;
  /** Whether pages in hosts with MCP Apps alone call it. */
  readonly appOnly?: boolean;
  readonly title: string;
  readonly description: string;
  readonly inputSchema: ArgumentsSchema;
  readonly annotations: ToolHints;
  /** As hosts get it in `_meta`. */
  readonly meta?: Readonly<Record<string, unknown>>;
}

export type ToolListSettings = Pick<
  Settings,
  'workspace' | 'project' | 'toolsets' | 'readOnly' | 'toolProfile'
> &
  Partial<Pick<Settings, 'baseUrl' | 'isOurs'>> & {
    /** Whether the host shows pages beside answers (MCP Apps); false unless given. */
    readonly showsApps?: boolean;
  };

/**
 * The operations that the settings let through, in the order of the list, whether a host is shown
 * them or reaches them; a parameter with a default in the settings is optional. The workspace is
 * that of the credential, so it stands last and is optional: a model need not say it.
 */
export function offeredOperations(
  list: readonly ListedTool[],
  settings: ToolListSettings,
): readonly ListedTool[] {
  const defaults = defaultArguments(settings);
  return list
    .filter((tool) => whyNotOffered(tool, settings) === undefined)
    .map((tool) => withOptional(withWorkspaceLast(tool), ['workspace', ...Object.keys(defaults)]));
}

/** The part of a list that is of use to hosts elsewhere: no files of this machine. */
export function withoutLocalFiles(list: readonly ListedTool[]): readonly ListedTool[] {
  return list
    .filter(({ usesFiles }) => !usesFiles)
    .map((tool) => {
      const { inputSchema, fileArguments = [] } = tool;
      const left = Object.entries(inputSchema.properties).filter(
        ([name]) => !fileArguments.includes(name),
      );
      return { ...tool, inputSchema: { ...inputSchema, properties: Object.fromEntries(left) } };
    });
}

/** Throws `invalid_input` where FOVEA_TOOLSETS names an unknown toolset. */
export function checkToolsets(list: readonly ListedTool[], toolsets: readonly string[] = []): void {
  const known = [...new Set(list.map((tool) => tool.toolset))];
  const unknown = toolsets.filter((name) => !known.includes(name));
  if (unknown.length === 0) return;
  throw invalidInput(
    unknown.map((name) => {
      const near = suggestSpelling(name, known);
      const right = near ? `did you mean "${near}"?` : `the toolsets are ${known.join(', ')}`;
      return { path: 'FOVEA_TOOLSETS', message: `"${name}" is no toolset; ${right}` };
    }),
  );
}

/** Why the settings do not offer a tool; undefined: they do. */
export function whyNotOffered(tool: ListedTool, settings: ToolListSettings): string | undefined {
  // Dispatcher tools belong to no toolset: each call is checked by the operation that it names.
  const reachesOthers = tool.toolset === 'operations';
  if (reachesOthers && settings.toolProfile === 'full')
    return 'it belongs to other profiles than FOVEA_TOOL_PROFILE=full';
  // Read-only users have to sign in too; that changes no data.
  if (settings.readOnly && !tool.annotations.readOnlyHint && tool.toolset !== 'auth') {
    return 'FOVEA_READ_ONLY leaves only tools that read';
  }
  if (tool.appOnly && settings.showsApps !== true) {
    return 'pages in hosts with MCP Apps alone call it';
  }
  if (tool.embeddedOnly && !hasOwnOperations(settings)) {
    return 'the platform at FOVEA_BASE_URL did not say at the start that it is a fovea platform, and others do not have this';
  }
  if (!reachesOthers && settings.toolsets && !settings.toolsets.includes(tool.toolset)) {
    return `FOVEA_TOOLSETS leaves out the toolset "${tool.toolset}"`;
  }
  return undefined;
}

/**
 * The arguments, with the defaults of the settings where the tool requires a parameter that the
 * model left out. A project given as `workspace/project` names its workspace. The default project
 * belongs to the default workspace and never to another one.
 */
export function fillDefaults(
  tool: ListedTool,
  args: Readonly<Record<string, unknown>>,
  settings: ToolListSettings,
): Readonly<Record<string, unknown>> {
  const required = tool.inputSchema.required ?? [];
  const { workspace, project } = defaultArguments(settings);
  const filled = { ...args };
  const owner = required.includes('workspace') ? ownerOf(filled.project) : undefined;
  if (owner !== undefined) filled.workspace ??= owner;
  if (workspace !== undefined && required.includes('workspace')) filled.workspace ??= workspace;
  const isOtherWorkspace = workspace !== undefined && (filled.workspace ?? workspace) !== workspace;
  if (project !== undefined && required.includes('project') && !isOtherWorkspace) {
    filled.project ??= project;
  }
  return filled;
}

/** A project may be given as `workspace/project`, also of another workspace than the default. */
function ownerOf(project: unknown): string | undefined {
  if (typeof project !== 'string') return undefined;
  const [owner, slug, ...rest] = project.split('/');
  return owner && slug && rest.length === 0 ? owner : undefined;
}

function defaultArguments({ workspace, project }: ToolListSettings) {
  return { ...(workspace && { workspace }), ...(project && { project }) };
}

function withWorkspaceLast(tool: ListedTool): ListedTool {
  const { workspace, ...left } = tool.inputSchema.properties;
  if (workspace === undefined) return tool;
  return { ...tool, inputSchema: { ...tool.inputSchema, properties: { ...left, workspace } } };
}

function withOptional(tool: ListedTool, optional: readonly string[]): ListedTool {
  const { required = [], ...schema } = tool.inputSchema;
  const left = required.filter((name) => !optional.includes(name));
  const inputSchema = left.length > 0 ? { ...schema, required: left } : schema;
  return { ...tool, inputSchema };
}

/**
 * Toolsets that belong to the machine of the server: its sign-in, its health, and its Event Store,
 * which has one key and no users.
 */
const localToolsets: ReadonlySet<string> = new Set(['auth', 'doctor', 'events']);

/** The tools that need neither files nor services of this machine. */
export function toolsOverHttp(list: readonly ListedTool[]): readonly ListedTool[] {
  return withoutLocalFiles(list).filter(({ toolset }) => !localToolsets.has(toolset));
}
