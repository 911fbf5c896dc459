// A page and an operation at one address: whoever prefers HTML gets the page.

import type { Endpoint } from './endpoint.ts';

/**
 * The endpoints, where a page and an operation of the same method and path have become one that
 * answers by the header Accept (RFC 9110 section 12.5.1), and says so with Vary.
 */
export function joinByAccept(
  operations: readonly Endpoint[],
  pages: readonly Endpoint[],
): Endpoint[] {
  const left = new Set(pages);
  const joined = operations.map((operation) => {
    const page = pages.find(
      ({ method, path }) => method === operation.method && path === operation.path,
    );
    if (page === undefined) return operation;
    left.delete(page);
    return byAccept(operation, page);
  });
  return [...joined, ...left];
}

function byAccept(operation: Endpoint, page: Endpoint): Endpoint {
  return {
    ...operation,
    answer: (exchange) => {
      exchange.response.setHeader('vary', 'Accept');
      const chosen = prefersHtml(exchange.request.headers.accept) ? page : operation;
      return chosen.answer(exchange);
    },
  };
}

/** Whether HTML is wanted more than JSON; programs that take anything want JSON. */
function prefersHtml(accept = '*/*'): boolean {
  const ranges = accept.split(',').map(readRange);
  return quality(ranges, 'text/html') > quality(ranges, 'application/json');
}

interface MediaRange {
  readonly type: string;
  readonly quality: number;
}

function readRange(text: string): MediaRange {
  const [type = '', ...parameters] = text.split(';').map((part) => part.trim().toLowerCase());
  const weight = parameters.find((parameter) => parameter.startsWith('q='));
  const quality = weight === undefined ? 1 : Number(weight.slice(2));
  return { type, quality: Number.isFinite(quality) ? quality : 0 };
}

/** That of the most specific range which has the type in it; 0: it is not wanted. */
function quality(ranges: readonly MediaRange[], type: string): number {
  const [main = ''] = type.split('/');
  for (const wanted of [type, `${main}/*`, '*/*']) {
    const range = ranges.find((one) => one.type === wanted);
    if (range) return range.quality;
  }
  return 0;
}
