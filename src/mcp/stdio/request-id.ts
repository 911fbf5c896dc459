// Finds the id of a request in a text that is too large to be parsed.

export type Id = string | number;

/**
 * The id at the top of a JSON object, found without building anything of it; undefined for another
 * value, and for an id that is no string of 200 characters at most and no integer.
 */
export function requestIdIn(text: string): Id | undefined {
  let depth = 0;
  structure.lastIndex = 0;
  for (let match = structure.exec(text); match !== null; match = structure.exec(text)) {
    const [part] = match;
    if (part === '"') {
      const end = endOfString(text, match.index);
      if (depth === 1 && text.slice(match.index, end) === '"id"') {
        const found = idAt(text, end);
        if (found !== undefined) return found;
      }
      structure.lastIndex = end;
    } else depth += part === '{' || part === '[' ? 1 : -1;
    if (depth === 0 || (depth === 1 && part === '[')) return undefined;
  }
  return undefined;
}

/**
 * The id at the top of a JSON object of which this is the end, where it is among the last members,
 * and only `jsonrpc` and `method` come after it; undefined: not there, or no such id as above.
 */
export function requestIdAtEnd(text: string): Id | undefined {
  const [, given] = lastMembers.exec(text) ?? [];
  return given === undefined ? undefined : idOf(given);
}

/** One brace closes it, so these members are at the top. A quote within a text has a backslash. */
const lastMembers =
  /[{,]\s*"id"\s*:\s*("[^"\\\n]{0,200}"|-?(?:0|[1-9]\d{0,15}))(?:\s*,\s*"(?:jsonrpc|method)"\s*:\s*"[^"\\\n]{0,200}")*\s*\}\s*$/;

const structure = /[[\]{}"]/g;

/** The index after the closing quote: a quote with an even number of backslashes before it. */
function endOfString(text: string, start: number): number {
  for (let at = text.indexOf('"', start + 1); at >= 0; at = text.indexOf('"', at + 1)) {
    let before = at;
    while (text[before - 1] === '\\') before -= 1;
    if ((at - before) % 2 === 0) return at + 1;
  }
  return text.length;
}

function idAt(text: string, index: number): Id | undefined {
  value.lastIndex = index;
  const [, given] = value.exec(text) ?? [];
  return given === undefined ? undefined : idOf(given);
}

function idOf(given: string): Id | undefined {
  const id: unknown = JSON.parse(given);
  if (typeof id === 'string') return id;
  return typeof id === 'number' && Number.isSafeInteger(id) ? id : undefined;
}

const value = /\s*:\s*("(?:[^"\\\n]|\\["\\/bfnrt]){0,200}"|-?(?:0|[1-9]\d{0,15})(?=\s*[,}]))/y;
