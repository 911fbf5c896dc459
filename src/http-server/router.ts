// Which endpoint a method and a path mean. Static segments win over parameters.

import findMyWay from 'find-my-way';
import { invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';

const methods = ['GET', 'POST', 'PATCH', 'DELETE', 'PUT'] as const;
export type RoutedMethod = (typeof methods)[number];

/** Whatever answers a method and a path such as `/{workspace}/{project}`. */
export interface Routed {
  readonly method: RoutedMethod;
  readonly path: string;
  /** Keeps the first segment of its path from being a parameter of others. */
  readonly reserves?: boolean;
}

export interface Match<Endpoint> {
  readonly endpoint: Endpoint;
  /** Percent-decoded; a decoded slash stays inside its parameter. */
  readonly parameters: Readonly<Record<string, string>>;
}

export interface Router<Endpoint> {
  /** The endpoint of a request: of a HEAD that of its GET. Throws `invalid_input` for no path. */
  match(method: string, path: string): Match<Endpoint> | undefined;
  /** The methods that a path has; none when it means nothing. */
  allowed(path: string): readonly string[];
}

/** A router for these endpoints. Two with the same method and path are a mistake, and throw. */
export function createRouter<Endpoint extends Routed>(
  endpoints: readonly Endpoint[],
): Router<Endpoint> {
  const routes = findMyWay({
    ignoreTrailingSlash: true,
    maxParamLength: limits.headerBytesMax,
  });
  const known = new Map<unknown, Endpoint>();
  const reserved = new Set(
    endpoints.flatMap(({ reserves, path }) => (reserves ? firstSegment(path) : [])),
  );
  for (const endpoint of endpoints) {
    const mark = () => {};
    known.set(mark, endpoint);
    routes.on(endpoint.method, endpoint.path.replaceAll(/\{(\w+)\}/g, ':$1'), mark);
  }
  const find = (method: RoutedMethod, path: string): Match<Endpoint> | undefined => {
    const found = routes.find(method, path);
    const endpoint = known.get(found?.handler);
    const parameters = Object.entries(found?.params ?? {}).map(([k, v]): [string, string] => [
      k,
      v ?? '',
    ]);
    if (!endpoint || parameters.some(([, value]) => value === '')) return undefined;
    if (endpoint.path.startsWith('/{') && reserved.has(decodedFirstSegment(path))) return undefined;
    return { endpoint, parameters: Object.fromEntries(parameters) };
  };
  const match = (method: string, path: string) => {
    checkPath(path);
    const routed = method === 'HEAD' ? 'GET' : methods.find((name) => name === method);
    return routed && find(routed, path);
  };
  // What most requests ask for is looked up once.
  const plain = new Map(
    endpoints
      .filter(({ path }) => !/[{%]/.test(path))
      .map(({ method, path }) => [`${method} ${path}`, match(method, path)]),
  );
  return {
    match: (method, path) => plain.get(`${method} ${path}`) ?? match(method, path),
    allowed: (path) =>
      methods
        .filter((method) => find(method, path))
        .flatMap((method) => (method === 'GET' ? ['GET', 'HEAD'] : [method])),
  };
}

function checkPath(path: string): void {
  const right = 'expected a path that starts with a slash and is percent-encoded UTF-8';
  if (!path.startsWith('/')) throw invalidArgument('path', right);
  try {
    decodeURIComponent(path);
  } catch {
    throw invalidArgument('path', right);
  }
}

/** The text that a path of an endpoint begins with; nothing where that is a parameter. */
function firstSegment(path: string): string[] {
  const [, first = ''] = path.split('/');
  return first === '' || first.startsWith('{') ? [] : [first];
}

/** Of a path that checkPath has passed. */
function decodedFirstSegment(path: string): string {
  return decodeURIComponent(path.split('/', 2)[1] ?? '');
}
