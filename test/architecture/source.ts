// One source file, read into the few facts that the rules judge.

import { type Node, parseSync, visitorKeys } from 'oxc-parser';

export interface Located {
  readonly line: number;
  /** What stands there: a specifier, a dotted name, the text of a comment. */
  readonly text: string;
}

export interface ImportFact extends Located {
  readonly typeOnly: boolean;
  /** Imported names; `*` for the whole module. */
  readonly names: readonly string[];
}

export interface FunctionFact extends Located {
  readonly lines: number;
}

export interface Source {
  /** From the root of the project on, with `/`. */
  readonly path: string;
  readonly text: string;
  readonly lines: readonly string[];
  /** Static, dynamic, type and `require` imports; `text` is empty where the name is computed. */
  readonly imports: readonly ImportFact[];
  readonly reexports: readonly Located[];
  readonly defaultExports: readonly Located[];
  readonly functions: readonly FunctionFact[];
  /** Dotted names such as `process.env`; a bare `process` or `console` stands alone. */
  readonly names: readonly Located[];
  /** Types after `as`, `const` left out. */
  readonly assertions: readonly Located[];
  /** Object literals that are spread into object literals. */
  readonly spreadObjects: readonly Located[];
  /** The values of `shell` members, as written. */
  readonly shells: readonly Located[];
  readonly comments: readonly Located[];
  /** Whether the character at this offset is part of a comment. */
  insideComment(offset: number): boolean;
}

type Mutable<T> = T extends readonly (infer Item)[] ? Item[] : T;
type Facts = {
  -readonly [K in Exclude<keyof Source, 'path' | 'text' | 'lines' | 'insideComment'>]: Mutable<
    Source[K]
  >;
};

/** Reads TypeScript or JavaScript. Throws where the text does not parse. */
export function readSource(path: string, text: string): Source {
  const { program, comments, errors } = parseSync(path, text);
  const [error] = errors;
  if (error) throw new Error(`${path}: ${error.message}`);

  const at = lineCounter(text);
  const facts: Facts = {
    imports: [],
    reexports: [],
    defaultExports: [],
    functions: [],
    names: [],
    assertions: [],
    spreadObjects: [],
    shells: [],
    comments: comments.map(({ value, start }) => ({ line: at(start), text: value })),
  };
  walk(program, undefined, (node, parent) => {
    noteModule(node, facts, at);
    noteFunction(node, parent, facts, at);
    noteName(node, parent, facts, at);
    noteSpread(node, parent, facts, at);
    noteRest(node, text, facts, at);
  });
  return {
    path,
    text,
    lines: text.split('\n'),
    ...facts,
    insideComment: (offset) => comments.some(({ start, end }) => start <= offset && offset < end),
  };
}

type LineAt = (offset: number) => number;

function lineCounter(text: string): LineAt {
  const starts = [0, ...Array.from(text.matchAll(/\n/g), ({ index }) => index + 1)];
  return (offset) => {
    let [low, high] = [0, starts.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((starts[middle] ?? 0) <= offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
}

function walk(
  node: Node,
  parent: Node | undefined,
  visit: (node: Node, parent: Node | undefined) => void,
): void {
  visit(node, parent);
  const members = new Map<string, unknown>(Object.entries(node));
  for (const key of visitorKeys[node.type] ?? []) {
    const member = members.get(key);
    for (const child of Array.isArray(member) ? member : [member]) {
      if (isNode(child)) walk(child, node, visit);
    }
  }
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && 'type' in value && 'start' in value;
}

function noteModule(node: Node, facts: Facts, at: LineAt): void {
  const line = at(node.start);
  const add = (text: string, typeOnly: boolean, names: readonly string[]) =>
    facts.imports.push({ line, text, typeOnly, names });
  switch (node.type) {
    case 'ImportDeclaration':
      add(node.source.value, isTypeImport(node), node.specifiers.map(importedName));
      break;
    case 'ImportExpression':
      add(literalText(node.source), false, ['*']);
      break;
    case 'TSImportType':
      add(node.source.value, true, ['*']);
      break;
    case 'CallExpression':
      if (node.callee.type === 'Identifier' && node.callee.name === 'require') {
        add(node.arguments[0] ? literalText(node.arguments[0]) : '', false, ['*']);
      }
      break;
    case 'ExportAllDeclaration':
    case 'ExportNamedDeclaration':
      if (node.source) {
        add(node.source.value, node.exportKind === 'type', ['*']);
        facts.reexports.push({ line, text: node.source.value });
      }
      break;
    case 'ExportDefaultDeclaration':
      facts.defaultExports.push({ line, text: 'export default' });
      break;
    case 'ExportSpecifier':
      if (moduleName(node.exported) === 'default') {
        facts.defaultExports.push({ line, text: 'as default' });
      }
  }
}

type ImportDeclaration = Extract<Node, { type: 'ImportDeclaration' }>;

function isTypeImport({ importKind, specifiers }: ImportDeclaration): boolean {
  if (importKind === 'type') return true;
  const named = specifiers.map((item) => item.type === 'ImportSpecifier' && item.importKind);
  return named.length > 0 && named.every((kind) => kind === 'type');
}

function importedName(specifier: ImportDeclaration['specifiers'][number]): string {
  return specifier.type === 'ImportSpecifier' ? moduleName(specifier.imported) : '*';
}

function moduleName(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  return literalText(node);
}

function literalText(node: Node): string {
  return node.type === 'Literal' && typeof node.value === 'string' ? node.value : '';
}

function noteFunction(node: Node, parent: Node | undefined, facts: Facts, at: LineAt): void {
  if (
    node.type !== 'FunctionDeclaration' &&
    node.type !== 'FunctionExpression' &&
    node.type !== 'ArrowFunctionExpression'
  ) {
    return;
  }
  // The callback of `describe` is a list of tests, not a function that one reads in one go.
  if (parent?.type === 'CallExpression' && isDescribe(parent.callee)) return;
  const line = at(node.start);
  facts.functions.push({ line, text: functionName(node, parent), lines: at(node.end) - line + 1 });
}

/** `describe`, also as `describe.skipIf(...)` and `describe.each(...)`. */
function isDescribe(callee: Node): boolean {
  return /^describe\b/.test(dottedName(callee.type === 'CallExpression' ? callee.callee : callee));
}

function functionName(node: Node, parent: Node | undefined): string {
  if ('id' in node && node.id && 'name' in node.id) return String(node.id.name);
  if (parent?.type === 'VariableDeclarator') return moduleName(parent.id);
  if (parent && 'key' in parent && isNode(parent.key)) return moduleName(parent.key);
  return 'a function';
}

function noteName(node: Node, parent: Node | undefined, facts: Facts, at: LineAt): void {
  const line = at(node.start);
  if (node.type === 'MemberExpression' && !(parent && node === objectOf(parent))) {
    const text = dottedName(node).replace(/^globalThis\./, '');
    if (text) facts.names.push({ line, text });
  }
  if (node.type === 'NewExpression' && node.arguments.length === 0) {
    const text = dottedName(node.callee).replace(/^globalThis\./, '');
    facts.names.push({ line, text: `new ${text}()` });
  }
  if (isUnpacked(node)) {
    const whole = dottedName(node.init);
    for (const name of node.id.properties) {
      if (name.type === 'Property')
        facts.names.push({ line, text: `${whole}.${moduleName(name.key)}` });
    }
  }
  if (node.type === 'Identifier' && !isMemberOf(node, parent)) {
    facts.names.push({ line, text: node.name });
  }
}

/** `a.b.c`, also for `a['b']` and `a?.b`; empty where a part is computed. */
function dottedName(node: Node): string {
  if (node.type === 'Identifier') return node.name;
  if (node.type === 'ChainExpression') return dottedName(node.expression);
  if (node.type !== 'MemberExpression') return '';
  const object = dottedName(node.object);
  const property = node.computed ? literalText(node.property) : moduleName(node.property);
  return object && property ? `${object}.${property}` : '';
}

type VariableDeclarator = Extract<Node, { type: 'VariableDeclarator' }>;
type ObjectPattern = Extract<Node, { type: 'ObjectPattern' }>;
type Unpacked = VariableDeclarator & { id: ObjectPattern; init: Node };

/** `const { a, b } = whole` */
function isUnpacked(node: Node): node is Unpacked {
  return node.type === 'VariableDeclarator' && node.id.type === 'ObjectPattern' && !!node.init;
}

/** What stands before the dot of a longer name; undefined where the name ends before it. */
function objectOf(node: Node): Node | undefined {
  return node.type === 'MemberExpression' && dottedName(node) ? node.object : undefined;
}

/** Whether an identifier only names a member or stands before a dot, so that it is no bare use. */
function isMemberOf(node: Node, parent: Node | undefined): boolean {
  if (parent && isUnpacked(parent)) return parent.init === node;
  if (parent?.type === 'MemberExpression') return !parent.computed || parent.object === node;
  if (parent?.type === 'Property') return parent.key === node && parent.value !== node;
  return parent !== undefined && 'key' in parent && parent.key === node;
}

function noteSpread(node: Node, parent: Node | undefined, facts: Facts, at: LineAt): void {
  if (node.type !== 'SpreadElement' || parent?.type !== 'ObjectExpression') return;
  if (node.argument.type !== 'ObjectExpression') return;
  facts.spreadObjects.push({ line: at(node.start), text: '' });
}

function noteRest(node: Node, text: string, facts: Facts, at: LineAt): void {
  if (node.type === 'TSAsExpression' || node.type === 'TSTypeAssertion') {
    const type = text.slice(node.typeAnnotation.start, node.typeAnnotation.end);
    if (type !== 'const') facts.assertions.push({ line: at(node.start), text: type });
  }
  if (node.type === 'Property' && moduleName(node.key) === 'shell') {
    const value = text.slice(node.value.start, node.value.end);
    facts.shells.push({ line: at(node.start), text: value });
  }
}
