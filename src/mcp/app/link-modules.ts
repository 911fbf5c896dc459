// Links modules for browsers into one script: a page inside a host has no address from which it
// could load any. The modules are our own: only imports and exports of their kinds are understood.

import { posix } from 'node:path';

/** Gives the text of a module by its path below src. */
export type ReadModule = (path: string) => Promise<string>;

interface Module {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly Imported[];
}

interface Imported {
  readonly path: string;
  /** Between the braces; empty: the module is only run. */
  readonly names: string;
}

/**
 * A script that runs the module and, before it, all that it imports, each in a scope of its own.
 * Throws an Error for other imports and exports, and where modules import each other in a circle.
 */
export async function linkModules(entry: string, read: ReadModule): Promise<string> {
  const modules = new Map<string, Module>();
  const add = async (path: string, importers: readonly string[]): Promise<void> => {
    if (modules.has(path)) return;
    if (importers.includes(path)) throw new Error(`${path} is imported in a circle`);
    const module = parsed(path, await read(path));
    for (const { path: imported } of module.imports) await add(imported, [...importers, path]);
    modules.set(path, module);
  };
  await add(entry, []);
  const numbers = new Map([...modules.keys()].map((path, number) => [path, number]));
  const scopes = [...modules.values()].map((module) => scopeOf(module, numbers));
  const script = `(() => {\n'use strict';\nconst modules = [];\n${scopes.join('')}})();\n`;
  // In a page, these would end the script, or begin a comment.
  return script.replaceAll('</script', '<\\/script').replaceAll('<!--', '<\\!--');
}

const importing = /^import (?:\{([^}]*)\} from )?(?:'([^']+)'|"([^"]+)");\n/gm;
const exporting = /^export (?=(?:async )?(?:function|class|const) ([\w$]+))/gm;

function parsed(path: string, text: string): Module {
  const imports = [...text.matchAll(importing)].map(([, names = '', own = '', built = '']) => ({
    // The release has them in other quotes.
    path: posix.join(posix.dirname(path), own || built),
    names,
  }));
  return { path, text, imports };
}

function scopeOf({ path, text, imports }: Module, numbers: ReadonlyMap<string, number>): string {
  const taken = imports
    .filter(({ names }) => names !== '')
    .map(({ path: from, names }) => `const {${renamed(names)}} = modules[${numbers.get(from)}];\n`);
  const given = [...text.matchAll(exporting)].map(([, name]) => name);
  const body = text.replaceAll(importing, '').replaceAll(exporting, '');
  const [left] = /^(?:import|export)\b.*/m.exec(body) ?? [];
  if (left !== undefined) throw new Error(`${path}: cannot be linked: ${left}`);
  const exported = `return { ${given.join(', ')} };\n`;
  return `modules.push((() => {\n${taken.join('')}${body}${exported}})());\n`;
}

/** `a as b` of an import is `a: b` of an object. */
function renamed(names: string): string {
  return names.replaceAll(/ as /g, ': ');
}
