// Reads the data.yaml of a YOLO dataset: the names of its classes, and where the images of each
// split are. Loaded with the first such file.

import { parse, YAMLParseError } from 'yaml';
import type { SplitName } from '../contract/fields.ts';
import { isJsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import type { Labelmap } from './annotation-file.ts';
import { splitOfName } from './path-hints.ts';

export interface DataYaml {
  /** Its `names`, a list or a map from numbers to names; empty where it has none. */
  readonly labelmap: Labelmap;
  /** In the order of the file. */
  readonly places: readonly SplitPlace[];
}

/** A folder of the images of a split, or a text file that lists them. */
export interface SplitPlace {
  readonly split: SplitName;
  /** As the file writes it, with slashes. */
  readonly path: string;
  /** The `path` of the file, below which it lies; may be empty. */
  readonly root: string;
}

/**
 * Throws `refusal(problem)` for text that is not YAML, or names too many places; `problem` quotes
 * nothing of the file.
 */
export function readDataYaml(text: string, refusal: (problem: string) => Error): DataYaml {
  const value = parseYaml(text, refusal);
  if (!isJsonObject(value)) return { labelmap: {}, places: [] };
  const places = placesOf(value);
  if (places.length > limits.yamlSplitPlacesMax) {
    throw refusal(`names more than ${limits.yamlSplitPlacesMax} places of splits`);
  }
  return { labelmap: labelmapOf(value.names), places };
}

function labelmapOf(names: unknown): Labelmap {
  if (!Array.isArray(names) && !isJsonObject(names)) return {};
  const entries: (readonly [string, string])[] = [];
  for (const [key, name] of Object.entries(names)) {
    if (!/^\d+$/.test(key) || typeof name !== 'string' || name.trim() === '') return {};
    entries.push([key, name.trim()]);
  }
  return Object.fromEntries(entries);
}

function placesOf(value: Readonly<Record<string, unknown>>): readonly SplitPlace[] {
  const root = pathIn(value.path) ?? '';
  return Object.entries(value).flatMap(([key, place]) => {
    const split = splitOfName(key);
    if (split === undefined) return [];
    const all: readonly unknown[] = Array.isArray(place) ? place : [place];
    return all.flatMap((one) => {
      const path = pathIn(one);
      return path === undefined ? [] : [{ split, path, root }];
    });
  });
}

function pathIn(value: unknown): string | undefined {
  if (typeof value !== 'string') return undefined;
  const path = value.trim().replaceAll('\\', '/');
  return path === '' || path.length > limits.pathCharactersMax ? undefined : path;
}

/** Parsing time grows with nested brackets; a data.yaml has only a few. */
function checkBrackets(text: string, refusal: (problem: string) => Error): void {
  let count = 0;
  for (const bracket of ['[', '{']) {
    for (let at = text.indexOf(bracket); at >= 0; at = text.indexOf(bracket, at + 1)) {
      count += 1;
      if (count <= limits.yamlBracketsMax) continue;
      throw refusal(`has more than ${limits.yamlBracketsMax} opening brackets`);
    }
  }
}

function parseYaml(text: string, refusal: (problem: string) => Error): unknown {
  checkBrackets(text, refusal);
  try {
    // Failsafe: `no` and `1` are names, not values. Checking unique keys takes quadratic time
    // (20,000 keys: 20 s); without it the last one counts, as in training tools.
    return parse(text, { schema: 'failsafe', uniqueKeys: false, logLevel: 'error' });
  } catch (thrown) {
    const line = thrown instanceof YAMLParseError ? thrown.linePos?.[0].line : undefined;
    throw refusal(`is not valid YAML${line === undefined ? '' : `; see line ${line}`}`);
  }
}
