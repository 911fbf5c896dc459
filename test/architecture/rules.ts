// Every rule that a machine can hold about the tree: what it finds, why, and what to do instead.

import { posix } from 'node:path';
import type { ImportFact, Located, Source } from './source.ts';
import { floors, packageHomes, sizes, toolImports } from './tables.ts';

export interface Finding {
  readonly line: number;
  readonly message: string;
}

export interface Rule {
  readonly name: string;
  /** The reason and the remedy, in one sentence. */
  readonly why: string;
  find(source: Source): readonly Finding[];
}

/** Findings as `path:line: what. why`. */
export function judge(rule: Rule, source: Source): readonly string[] {
  return rule
    .find(source)
    .map(({ line, message }) => `${source.path}:${line}: ${message}. ${rule.why}`);
}

export const rules: readonly Rule[] = [
  {
    name: 'floors',
    why: 'An import goes down or stays in its folder, so that a part can be read and replaced without those above it: move the shared piece to a lower floor, or let the two meet over HTTP.',
    find: (source) => source.imports.flatMap((fact) => floorProblem(source.path, fact)),
  },
  {
    name: 'tools are thin',
    why: 'Tools only say what the model can do: use an operation through the client of the context, and import no more of src than contract, mcp/tool.ts, errors.ts, limits.ts and types of clients.',
    find: ({ path, imports }) =>
      within(path, ['tools']) ? imports.flatMap((fact) => toolProblem(path, fact)) : [],
  },
  {
    name: 'package homes',
    why: 'Each package has one home, so that it can be replaced in one folder: call the home folder instead, or give a new package its line in test/architecture/tables.ts.',
    find: ({ path, imports }) =>
      isShipped(path) ? imports.flatMap((fact) => homeProblem(path, fact)) : [],
  },
  {
    name: 'imports are plain',
    why: 'Who uses what must show in the text: write the name of an imported module as a literal.',
    find: ({ path, imports }) =>
      isShipped(path)
        ? imports.filter(({ text }) => text === '').map(at('a computed module name'))
        : [],
  },
  {
    name: 'no re-exports',
    why: 'A thing has one address: import it from the file that defines it.',
    find: ({ reexports }) => reexports.map(at('re-exports')),
  },
  {
    name: 'no default exports',
    why: 'A thing has one name everywhere: export it by name.',
    find: ({ path, defaultExports }) =>
      path.endsWith('.config.ts') ? [] : defaultExports.map(at('a default export')),
  },
  {
    name: 'environment in config',
    why: 'Settings are read and checked once, in src/config.ts: take what you need as a parameter.',
    find: usesOf(/^process\.env(\.|$)|^process$/, [
      'src/config.ts',
      'src/environment.ts',
      'src/machine.ts',
    ]),
  },
  {
    name: 'command line in bin',
    why: 'Only the entry of a process knows how it was called: read it in src/bin, pass the words on.',
    find: usesOf(/^process\.argv(\.|$)/, ['src/machine.ts', 'src/bin']),
  },
  {
    name: 'time through the clock',
    why: 'Tests set the time, so only src/clock.ts reads it: take a Clock as a parameter.',
    find: usesOf(/^Date\.now$|^performance(\.|$)|^new Date\(\)$|^process\.hrtime/, [
      'src/clock.ts',
    ]),
  },
  {
    name: 'stdout belongs to JSON-RPC',
    why: 'One stray line on stdout ends an MCP session: log through src/log.ts, which writes to stderr.',
    find: usesOf(/^process\.stdout(\.|$)|^console(\.|$)/, ['src/mcp', 'src/bin']),
  },
  {
    name: 'no shell',
    why: 'A shell reads its input as commands: use spawn or execFile with a list of arguments.',
    find: ({ path, imports, shells }) => [
      ...imports.filter(importsShell).map(at('a way into the shell through')),
      ...(isShipped(path) ? shells.filter(({ text }) => text !== 'false') : []).map(at('shell:')),
    ],
  },
  {
    name: 'light imports',
    why: 'An import of node:http loads undici, z.core the texts of fifty languages: use src/network/http-module.ts, zod/v4/core.',
    find: (source) => [
      ...(isShipped(source.path) ? source.imports.filter(loadsUndici).map(at('an import of')) : []),
      ...usesOf(/^z\.core\./, [])(source),
    ],
  },
  {
    name: 'no type assertions',
    why: 'An assertion silences the compiler where it is needed most: narrow with a check, or let a schema parse the value.',
    find: ({ assertions }) => assertions.map(at('a value asserted as')),
  },
  {
    name: 'no spread object literals',
    why: 'A literal spread into a literal only saves lines: write its members there.',
    find: ({ spreadObjects }) => spreadObjects.map(at('an object literal spread into another')),
  },
  {
    name: 'short functions',
    why: 'A function is read on one screen: split it by what its parts do.',
    find: ({ functions }) =>
      functions
        .filter(({ lines }) => lines > sizes.functionLinesMax)
        .map(({ line, text, lines }) => ({
          line,
          message: `${text} has ${lines} lines, ${sizes.functionLinesMax} is the most`,
        })),
  },
  {
    name: 'short files',
    why: 'A file holds one thing: split it where its parts can be named.',
    find: ({ lines }) => {
      const count = lines.at(-1) === '' ? lines.length - 1 : lines.length;
      const message = `the file has ${count} lines, ${sizes.fileLinesMax} is the most`;
      return count > sizes.fileLinesMax ? [{ line: sizes.fileLinesMax + 1, message }] : [];
    },
  },
  {
    name: 'short comments',
    why: 'Two files fit side by side at this width: break the comment (the formatter sees to the code).',
    find: (source) => longComments(source),
  },
  {
    name: 'a first comment',
    why: 'A stranger must see what belongs in the file: open it with one to three lines saying what it is for.',
    find: ({ path, lines, comments }) => {
      if (!path.includes('/')) return [];
      const first = lines[0]?.startsWith('#!') ? 2 : 1;
      const opens = comments.some(({ line }) => line === first || line === first + 1);
      return opens ? [] : [{ line: first, message: 'no comment on the first line' }];
    },
  },
  {
    name: 'no leftovers',
    why: 'What is left to do is an issue, where it can be found: do it now, or file it and delete the note.',
    find: ({ comments }) =>
      comments
        .filter(({ text }) => /\b(TODO|FIXME|XXX|HACK)\b/.test(text))
        .map(({ line }) => ({ line, message: 'a note left behind' })),
  },
];

/** Rules over the name and the text of every file, prose and settings included. */
export const textRules: readonly Rule[] = [
  {
    name: 'plain SQL parameters',
    why: 'Node 22.16 refuses numbered parameters: write ? and give the value again.',
    find: matching(/[=(,><]\s*\?\d/, 'a numbered parameter in SQL'),
  },
  {
    name: 'telling folder names',
    why: 'Nobody can predict what is in such a folder: name it after the thing that it holds.',
    find: ({ path }) =>
      posix
        .dirname(path)
        .split('/')
        .filter((folder) => /^(utils?|helpers?|common|shared|misc|lib)$/i.test(folder))
        .map((folder) => ({ line: 1, message: `a folder called ${folder}` })),
  },
  {
    name: 'no machine paths',
    why: 'The project must work on every machine: use a path from the root of the project.',
    find: matching(
      /(?<![\w.:/-])\/(work\/(main|shared|\.)|root\/)/,
      'an absolute path of one machine',
    ),
  },
  {
    name: 'no registry hosts',
    why: 'Whose registry a machine uses is its own setting: leave hosts out (.npmrc keeps them out of the lock file).',
    find: matching(
      /"resolved["]:|^\s*(@[\w-]+:)?registry\s*=|https?:\/\/[^\s"'/]*(registry|mirror|artifactory|nexus)/im,
      'a package registry or mirror is named',
    ),
  },
];

function at(what: string): (fact: Located) => Finding {
  return ({ line, text }) => ({ line, message: text ? `${what} ${text}` : what });
}

function within(path: string, parts: readonly string[]): boolean {
  return parts.some((part) => path === part || path.startsWith(`${part}/`));
}

function isShipped(path: string): boolean {
  return within(path, ['src', 'tools']);
}

/** The part to which a file belongs and its floor; undefined for a file that has none. */
function standing(path: string) {
  for (const { floor, parts, together = false } of floors) {
    const part = parts.find((part) => within(path, [part]));
    if (part) return { part, floor, together };
  }
  return undefined;
}

function target(path: string, { text }: ImportFact): string | undefined {
  return text.startsWith('.') ? posix.join(posix.dirname(path), text) : undefined;
}

function floorProblem(path: string, fact: ImportFact): readonly Finding[] {
  const to = target(path, fact);
  if (to === undefined || to === 'package.json') return [];
  const below = standing(to);
  const here = standing(path) ?? (path.includes('/') ? undefined : { part: '', floor: 9 });
  if (!here || !below) {
    const stray = here ? to : path;
    return [{ line: fact.line, message: `${stray} stands on no floor` }];
  }
  if (below.floor < here.floor || below.part === here.part) return [];
  if (below.floor === here.floor && below.together) return [];
  const message = `${here.part} (floor ${here.floor}) imports ${to} (floor ${below.floor})`;
  return [{ line: fact.line, message }];
}

function toolProblem(path: string, fact: ImportFact): readonly Finding[] {
  const to = target(path, fact);
  if (to === undefined || !within(to, ['src'])) return [];
  if (within(to, toolImports.values)) return [];
  if (fact.typeOnly && within(to, toolImports.types)) return [];
  const kind = fact.typeOnly ? 'the types of' : 'the values of';
  return [{ line: fact.line, message: `a tool imports ${kind} ${to}` }];
}

function homeProblem(path: string, { text, line }: ImportFact): readonly Finding[] {
  if (text === '' || text.startsWith('.')) return [];
  const name = text
    .split('/')
    .slice(0, text.startsWith('@') ? 2 : 1)
    .join('/');
  const homes = packageHomes[name];
  if (homes === undefined) {
    return name.startsWith('node:') ? [] : [{ line, message: `${name} has no home` }];
  }
  if (within(path, homes)) return [];
  return [{ line, message: `${name} is imported outside ${homes.join(', ')}` }];
}

function usesOf(pattern: RegExp, homes: readonly string[]): Rule['find'] {
  return ({ path, names }) =>
    isShipped(path) && !within(path, homes)
      ? names.filter(({ text }) => pattern.test(text)).map(at('the use of'))
      : [];
}

function importsShell({ text, names }: ImportFact): boolean {
  const shellNames = ['exec', 'execSync', '*'];
  return /^(node:)?child_process$/.test(text) && names.some((name) => shellNames.includes(name));
}

function loadsUndici({ text, typeOnly }: ImportFact): boolean {
  return /^(node:)?http$/.test(text) && !typeOnly;
}

function longComments({ lines, insideComment }: Source): readonly Finding[] {
  const findings: Finding[] = [];
  let offset = 0;
  for (const [index, line] of lines.entries()) {
    if (line.length > sizes.columnsMax && insideComment(offset + sizes.columnsMax)) {
      findings.push({ line: index + 1, message: `a comment runs to column ${line.length}` });
    }
    offset += line.length + 1;
  }
  return findings;
}

function matching(pattern: RegExp, message: string): Rule['find'] {
  return ({ lines }) =>
    lines.flatMap((line, index) => (pattern.test(line) ? [{ line: index + 1, message }] : []));
}
