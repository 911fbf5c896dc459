// The names of the classes of a model, as exporters write them.

import { limits } from '../limits.ts';

/**
 * Names in the order of the class numbers, from the text of the metadata member `names`: a list or
 * a dictionary, as Python prints it (`{0: 'cat', 1: "dog's"}`) or as JSON. Undefined where it is
 * neither, where numbers are left out, or where names are empty, too long, or given twice.
 */
export function readClassNames(text: string): readonly string[] | undefined {
  const source = text.trim();
  const isList = source.startsWith('[') && source.endsWith(']');
  const isDictionary = source.startsWith('{') && source.endsWith('}');
  if (!isList && !isDictionary) return undefined;
  const names: string[] = [];
  let rest = source.slice(1, -1).trim();
  while (rest !== '') {
    const found = (isList ? entryOfList : entryOfDictionary).exec(rest);
    if (found?.groups === undefined) return undefined;
    const { key, single, double } = found.groups;
    if (!isList && Number(key) !== names.length) return undefined;
    names.push(unescaped(single ?? double ?? ''));
    rest = rest.slice(found[0].length);
  }
  return checked(names);
}

/** One name on each line, as in `coco.names`; empty lines at the end are none. */
export function readNameLines(text: string): readonly string[] | undefined {
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

function checked(names: readonly string[]): readonly string[] | undefined {
  const areFit = names.every(
    (name) =>
      name !== '' && name.length <= limits.labelCharactersMax && !/[\p{Cc}\p{Cs}]/u.test(name),
  );
  const areDifferent = new Set(names).size === names.length;
  const { length } = names;
  if (length === 0 || length > limits.modelClassesMax || !areFit || !areDifferent) return undefined;
  return names.map((name) => name.toWellFormed());
}
