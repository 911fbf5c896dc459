// A page and an operation at one address: clients that prefer HTML get the page.

import type { Endpoint } from './endpoint.ts';

/**
 * The endpoints; a page and an operation of the same method and path become one endpoint, which
 * chooses by the Accept header (RFC 9110 section 12.5.1) and sends Vary.
 */
export function negotiateContent(
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
    return negotiated(operation, page);
  });
  return [...joined, ...left];
}

function negotiated(operation: Endpoint, page: Endpoint): Endpoint {
  return {
    ...operation,
    answer: (context) => {
      context.response.setHeader('vary', 'Accept');
      const chosen = prefersHtml(context.request.headers.accept) ? page : operation;
      return chosen.answer(context);
    },
  };
}

/** Whether HTML is preferred to JSON; a client that accepts anything gets JSON. */
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

/** The quality of the most specific range that matches the type; 0: not acceptable. */
function quality(ranges: readonly MediaRange[], type: string): number {
  const [main = ''] = type.split('/');
  for (const wanted of [type, `${main}/*`, '*/*']) {
    const range = ranges.find(({ type }) => type === wanted);
    if (range) return range.quality;
  }
  return 0;
}
