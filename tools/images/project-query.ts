// A query of workspace_search that is bound to one project.

import { invalidArgument } from '../../src/errors.ts';
import { lastPart } from '../format.ts';

/**
 * Throws `invalid_input` for a bracket that closes none: it would end those around the query, and
 * what follows would not be bound.
 */
export function queryWithin(project: string, query: string): string {
  checkBrackets(query);
  // Without OR no brackets are needed, in which an order of the results could not stand.
  const bound = /\bOR\b/i.test(query) ? `(${query})` : query;
  return `project:${lastPart(project)} ${bound}`;
}

function checkBrackets(query: string): void {
  let depth = 0;
  let isQuoted = false;
  for (let at = 0; at < query.length; at += 1) {
    const character = query[at];
    if (isQuoted && character === '\\') at += 1;
    else if (character === '"') isQuoted = !isQuoted;
    else if (!isQuoted && character === '(') depth += 1;
    else if (!isQuoted && character === ')') depth -= 1;
    if (depth < 0) throw invalidArgument('query', `at character ${at + 1}: closes no bracket`);
  }
  if (depth > 0 || isQuoted) {
    const what = isQuoted ? 'quotation mark' : 'bracket';
    throw invalidArgument('query', `ends before its ${what} is closed`);
  }
}
