// All values of a request header.

import type { IncomingMessage } from 'node:http';

/**
 * All values of a header, in the order in which they came; undefined where there is none. As
 * `headersDistinct` has them, without a look at all other headers. `name` in lower case.
 */
export function headerValues({ rawHeaders }: IncomingMessage, name: string): string[] | undefined {
  let values: string[] | undefined;
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const given = rawHeaders[at];
    if (given?.length !== name.length || given.toLowerCase() !== name) continue;
    const value = rawHeaders[at + 1] ?? '';
    if (values) values.push(value);
    else values = [value];
  }
  return values;
}
