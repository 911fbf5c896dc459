// What hosts and the interfaces of their models accept of a tool list, as rules; each says where it
// is from. A host refuses the whole list, or drops a tool, where one rule is broken.

import { nodesOf, type OfferedTool, type SchemaNode } from './schema-nodes.ts';
import { toStrict } from './strict-mode.ts';

export interface Rule {
  readonly says: string;
  /** Where the interface says so, or where it was seen to refuse. */
  readonly source: string;
  /** What breaks the rule; empty: nothing. */
  broken(tools: readonly OfferedTool[]): readonly string[];
}

export interface Dialect {
  readonly name: string;
  readonly rules: readonly Rule[];
}

const geminiSchema = 'https://ai.google.dev/api/caching#Schema';
const vertexFunction =
  'https://cloud.google.com/vertex-ai/docs/reference/rest/v1beta1/FunctionDeclaration';
const openAiSchemas =
  'https://platform.openai.com/docs/guides/structured-outputs#supported-schemas';

/** Function declarations of Gemini: OpenAPI's part of JSON Schema, and no more. */
export const gemini: Dialect = {
  name: 'Gemini',
  rules: [
    onNames('a name has 64 characters of its set at most', vertexFunction, /^[a-z_][\w.-]{0,63}$/i),
    {
      // Its command line puts the server's name before.
      says: 'a name with the prefix of the host has 64 characters at most',
      source: 'https://zuplo.com/learn/mcp/compatibility/clients/gemini-cli',
      broken: (tools) => longer(tools, 'mcp_fovea_', 64),
    },
    onNodes('parameters have names of letters, digits and _', vertexFunction, (node) =>
      node.level > 1
        ? []
        : Object.keys(node.properties).filter((key) => !/^[a-z_]\w{0,63}$/i.test(key)),
    ),
    onKeywords(
      'only keywords of the subset',
      'https://github.com/modelcontextprotocol/servers/issues/1624',
      [
        'type',
        'format',
        'title',
        'description',
        'nullable',
        'enum',
        'items',
        'properties',
        'required',
        'anyOf',
        'minItems',
        'maxItems',
        'minProperties',
        'maxProperties',
        'minLength',
        'maxLength',
        'pattern',
        'minimum',
        'maximum',
        'default',
        'example',
      ],
    ),
    onNodes(
      'one type, said at every node',
      'https://github.com/microsoft/playwright-mcp/issues/1429',
      ({ keywords }) => (typeof keywords.type === 'string' ? [] : ['type']),
    ),
    onNodes(
      'an array says what its items are',
      'https://github.com/taylorwilsdon/google_workspace_mcp/issues/443',
      ({ keywords }) => (keywords.type === 'array' && !keywords.items ? ['items'] : []),
    ),
    onNodes('values to choose from are texts, and not empty', geminiSchema, ({ keywords }) =>
      listOf(keywords.enum)
        .filter((value) => typeof value !== 'string' || value === '')
        .map(String),
    ),
    onNodes(
      'what is required is a property of the same object',
      'https://github.com/Kilo-Org/kilocode/pull/11955',
      ({ keywords, properties }) =>
        listOf(keywords.required)
          .map(String)
          .filter((key) => !Object.hasOwn(properties, key)),
    ),
    onNodes(
      'only objects have properties',
      'https://github.com/anomalyco/opencode/pull/11888',
      ({ keywords }) => (keywords.properties && keywords.type !== 'object' ? ['properties'] : []),
    ),
  ],
};

/** Strict mode, after what hosts do to a schema for it; free maps are left to the usual mode. */
export const openAiStrict: Dialect = {
  name: 'OpenAI strict mode',
  rules: [
    onNames('a name has 64 letters, digits, _ and - at most', openAiSchemas, /^[\w-]{1,64}$/),
    {
      says: '128 tools at most in one request',
      source: 'https://platform.openai.com/docs/api-reference/chat/create#chat-create-tools',
      broken: (tools) => (tools.length > 128 ? [`${tools.length} tools`] : []),
    },
    strictly('an object at the root, which is no union', ({ level, keywords }) =>
      level > 1 || (keywords.type === 'object' && !keywords.anyOf) ? [] : ['root'],
    ),
    strictly('only keywords of the subset', ({ keywords }) =>
      Object.keys(keywords).filter((keyword) => !strictKeywords.includes(keyword)),
    ),
    strictly('every object is closed, and requires all that it has', ({ keywords, properties }) => {
      if (!isObject(keywords)) return [];
      const required = listOf(keywords.required);
      const left = Object.keys(properties).filter((key) => !required.includes(key));
      return keywords.additionalProperties === false ? left : ['additionalProperties', ...left];
    }),
    // The bound was 5 before it was 10, and is so still where the interface is offered by others.
    strictly('5 levels at most', ({ level }) => (level > 5 ? [`level ${level}`] : [])),
    inEach('5,000 properties at most', 5_000, ({ properties }) => Object.keys(properties).length),
    inEach(
      '1,000 values to choose from at most',
      1_000,
      ({ keywords }) => listOf(keywords.enum).length,
    ),
    inEach(
      '120,000 characters of names and values at most',
      120_000,
      ({ keywords, properties }) =>
        [...Object.keys(properties), ...listOf(keywords.enum)].join('').length,
    ),
    strictly('a choice of more than 250 has 15,000 characters at most', ({ keywords }) => {
      const values = listOf(keywords.enum);
      return values.length > 250 && values.join('').length > 15_000 ? ['enum'] : [];
    }),
  ],
};

/** Cursor leaves out what has a longer name. */
export const cursor: Dialect = {
  name: 'Cursor',
  rules: [
    {
      says: 'a name with the name of the server has 60 characters at most',
      source: 'https://github.com/awslabs/mcp/issues/1283',
      broken: (tools) => longer(tools, 'fovea:', 60),
    },
  ],
};

/** How many tools Cursor sends: the first 40, in later versions 80. */
export const cursorToolsMax = {
  says: 'no more than 40 tools, or the rest is not sent',
  source: 'https://github.com/anyproto/anytype-mcp/issues/5',
  tools: 40,
} as const;

/** Claude, and whatever offers it. */
export const claude: Dialect = {
  name: 'Claude',
  rules: [
    onNames(
      'a name has 64 letters, digits, _ and - at most',
      'https://github.com/github/copilot-cli/issues/1879',
      /^[\w-]{1,64}$/,
    ),
    onNodes(
      'keys of properties have 64 characters of their set at most',
      'https://github.com/anthropics/claude-code/issues/79418',
      ({ properties }) => Object.keys(properties).filter((key) => !/^[\w.-]{1,64}$/.test(key)),
    ),
    onNodes(
      'no union at the root',
      'https://github.com/makenotion/notion-mcp-server/issues/341',
      ({ level, keywords }) =>
        level > 1
          ? []
          : ['anyOf', 'oneOf', 'allOf'].filter((name) => Object.hasOwn(keywords, name)),
    ),
  ],
};

const strictKeywords = [
  'type',
  'description',
  'title',
  'enum',
  'const',
  'properties',
  'required',
  'items',
  'anyOf',
  'additionalProperties',
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
];

function onNames(says: string, source: string, allowed: RegExp): Rule {
  const broken = (tools: readonly OfferedTool[]) =>
    tools.map(({ name }) => name).filter((name) => !allowed.test(name));
  return { says, source, broken };
}

function onNodes(
  says: string,
  source: string,
  broken: (node: SchemaNode) => readonly string[],
): Rule {
  return {
    says,
    source,
    broken: (tools) =>
      tools.flatMap(nodesOf).flatMap((node) => broken(node).map((what) => `${node.path}: ${what}`)),
  };
}

function onKeywords(says: string, source: string, allowed: readonly string[]): Rule {
  return onNodes(says, source, ({ keywords }) =>
    Object.keys(keywords).filter((keyword) => !allowed.includes(keyword)),
  );
}

/** On the schemas that strict mode gets to see. */
function strictly(says: string, broken: (node: SchemaNode) => readonly string[]): Rule {
  const rule = onNodes(says, openAiSchemas, broken);
  return { ...rule, broken: (tools) => rule.broken(tools.flatMap((tool) => toStrict(tool) ?? [])) };
}

/** On the sum over a whole schema. */
function inEach(says: string, most: number, count: (node: SchemaNode) => number): Rule {
  const broken = (tools: readonly OfferedTool[]) =>
    tools.flatMap((tool) => {
      const sum = nodesOf(tool).reduce((total, node) => total + count(node), 0);
      return sum > most ? [`${tool.name}: ${sum}`] : [];
    });
  return { says, source: openAiSchemas, broken };
}

function longer(tools: readonly OfferedTool[], prefix: string, most: number): readonly string[] {
  return tools.map(({ name }) => `${prefix}${name}`).filter((name) => name.length > most);
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function isObject({ type }: Readonly<Record<string, unknown>>): boolean {
  return type === 'object' || listOf(type).includes('object');
}
