// The id of a request in a text that is too large to be parsed.

import type { Id } from './line-transport.ts';

/**
 * The id at the top of a JSON object, found without building anything of it; undefined for another
 * value, and for an id that is no string of 200 characters at most and no integer.
 */
export function requestIdIn(text: string): Id | undefined {
  let depth = 0;
  structure.lastIndex = 0;
  for (let match = structure.exec(text); match !== null; match = structure.exec(text)) {
    const [part] = match;
    if (part === '{' || part === '[') depth += 1;
    else if (part === '}' || part === ']') depth -= 1;
    else if (part === '"id"' && depth === 1) {
      const found = idAt(text, structure.lastIndex);
      if (found !== undefined) return found;
    }
    if (depth === 0 || (depth === 1 && part === '[')) return undefined;
  }
  return undefined;
}

/** Brackets, and strings with what they escape. */
const structure = /[[\]{}]|"(?:[^"\\]|\\.)*"/gs;

function idAt(text: string, index: number): Id | undefined {
  value.lastIndex = index;
  const [, given] = value.exec(text) ?? [];
  if (given === undefined) return undefined;
  const id: unknown = JSON.parse(given);
  if (typeof id === 'string') return id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

const value = /\s*:\s*("(?:[^"\\\n]|\\["\\/bfnrt]){0,200}"|-?(?:0|[1-9]\d{0,15})(?=\s*[,}]))/y;
