// The text of a search, whose errors are those of an argument.

import { type FoveaError, invalidArgument } from '../errors.ts';
import { QueryText as AnyQueryText } from './grammar/query-text.js';

export type QueryText = AnyQueryText<FoveaError>;

/** `path`: the argument that has the text. */
export function queryTextOf(text: string, path: string): QueryText {
  return new AnyQueryText(text, (message, hint) => invalidArgument(path, message, hint));
}
