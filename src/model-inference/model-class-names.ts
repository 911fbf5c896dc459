// The names of the classes of a model, as exporters write them.

import { limits } from '../limits.ts';
import { quotedName } from '../quoted-name.ts';

/** Names that cannot be used. */
export interface WrongNames {
  /** Goes on after "has names of classes that". */
  readonly problem: string;
}

export type ClassNames = readonly string[] | WrongNames;

export function areNames(names: ClassNames | undefined): names is readonly string[] {
  return Array.isArray(names);
}

/**
 * Names in the order of the class numbers, from the text of the metadata member `names`: a list or
 * a dictionary, as Python prints it (`{0: 'cat', 1: "dog's"}`) or as JSON. Wrong where it is
 * neither, where numbers are left out, or where names are empty, too long, or given twice.
 */
export function readClassNames(text: string): ClassNames {
  const source = text.trim();
  const isList = source.startsWith('[') && source.endsWith(']');
  const isDictionary = source.startsWith('{') && source.endsWith('}');
  const unreadable = { problem: 'are no list or dictionary of Python, and no JSON' };
  if (!isList && !isDictionary) return unreadable;
  const names: string[] = [];
  let rest = source.slice(1, -1).trim();
  while (rest !== '') {
    const found = (isList ? entryOfList : entryOfDictionary).exec(rest);
    if (found?.groups === undefined) return unreadable;
    const { key, single, double } = found.groups;
    if (!isList && Number(key) !== names.length) {
      return { problem: `have the number ${Number(key)} where ${names.length} belongs` };
    }
    names.push(unescaped(single ?? double ?? ''));
    rest = rest.slice(found[0].length);
  }
  return checked(names);
}

/** One name on each line, as in `coco.names`; empty lines at the end are none. */
export function readNameLines(text: string): ClassNames {
  return checked(
    text
      .trimEnd()
      .split(/\r?\n/)
      .map((line) => line.trim()),
  );
}

const quoted = /(?:'(?<single>(?:[^'\\]|\\.)*)'|"(?<double>(?:[^"\\]|\\.)*)")/;
const end = /\s*(?:,\s*|$)/;
const entryOfList = new RegExp(`^${quoted.source}${end.source}`);
const entryOfDictionary = new RegExp(
  `^(?:"|')?(?<key>\\d{1,6})(?:"|')?\\s*:\\s*${quoted.source}${end.source}`,
);

function unescaped(text: string): string {
  return text
    .replaceAll(/\\u([0-9a-fA-F]{4})/g, (_, code) => String.fromCharCode(Number.parseInt(code, 16)))
    .replaceAll(/\\(.)/g, '$1');
}

function checked(names: readonly string[]): ClassNames {
  const { length } = names;
  if (length === 0) return { problem: 'are none' };
  if (length > limits.modelClassesMax) {
    return { problem: `are ${length}; at most ${limits.modelClassesMax} are taken` };
  }
  const unfit = names.findIndex(
    (name) =>
      name === '' || name.length > limits.labelCharactersMax || /[\p{Cc}\p{Cs}]/u.test(name),
  );
  if (unfit >= 0) return { problem: `are empty, too long or of several lines (number ${unfit})` };
  const places = new Map<string, number>();
  for (const [place, name] of names.entries()) {
    const first = places.get(name);
    if (first !== undefined) {
      return { problem: `have ${quotedName(name)} twice, as ${first} and ${place}` };
    }
    places.set(name, place);
  }
  return names.map((name) => name.toWellFormed());
}
