// Makes a failing request smaller for as long as it still fails.

import type { WireRequest } from './malformed-requests.ts';

/** Requests that may be sent for it. */
const triesMax = 25;

export async function shrink(
  request: WireRequest,
  stillFails: (request: WireRequest) => Promise<boolean>,
): Promise<WireRequest> {
  let best = request;
  let tries = 0;
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const smaller of smallerOnes(best)) {
      if (tries >= triesMax) return best;
      tries += 1;
      if (!(await stillFails(smaller))) continue;
      best = smaller;
      isSmaller = true;
      break;
    }
  }
  return best;
}

function smallerOnes(request: WireRequest): readonly WireRequest[] {
  const [path = '', query] = request.target.split(/\?(.*)/s);
  const pairs = query?.split('&') ?? [];
  return [
    ...(pairs.length > 0 ? [{ ...request, target: path }] : []),
    ...pairs.slice(0, 20).map((_, at) => ({
      ...request,
      target: `${path}?${pairs.toSpliced(at, 1).join('&')}`,
    })),
    ...Object.keys(request.headers).map((name) => ({
      ...request,
      headers: Object.fromEntries(Object.entries(request.headers).filter(([one]) => one !== name)),
    })),
    ...smallerBodies(request.body).map((body) => ({ ...request, body })),
  ];
}

function smallerBodies(body: Buffer | undefined): readonly Buffer[] {
  if (body === undefined || body.length === 0) return [];
  const halves = body.length > 400 ? [body.subarray(0, body.length / 2)] : [];
  try {
    const value: unknown = JSON.parse(body.toString());
    return [...fewerMembers(value), ...halves];
  } catch {
    return halves;
  }
}

function fewerMembers(value: unknown): readonly Buffer[] {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return [];
  const entries = Object.entries(value);
  const half = Math.ceil(entries.length / 2);
  const made = (kept: typeof entries) => Buffer.from(JSON.stringify(Object.fromEntries(kept)));
  if (entries.length > 40) return [made(entries.slice(0, half)), made(entries.slice(half))];
  return entries.slice(0, 20).map((_, at) => made(entries.toSpliced(at, 1)));
}

/** In one line, so that it can be made again. */
export function describe({ asker, method, target, headers, body }: WireRequest): string {
  const given = body === undefined ? '' : ` ${JSON.stringify(body.toString('utf8', 0, 200))}`;
  const size = body !== undefined && body.length > 200 ? ` (of ${body.length} bytes)` : '';
  return `${asker} ${method} ${target.slice(0, 300)} ${JSON.stringify(headers).slice(0, 300)}${given}${size}`;
}
