// Loaded into Fovea before its own code: counts the calls of each function, and the bytes that are
// hashed, from one message of the parent to the next.

import { createHash } from 'node:crypto';
import { type Profiler, Session } from 'node:inspector/promises';

/** Since the recording before. */
export interface Recording {
  /** Calls by file and function: `src/errors.ts asFoveaError`. */
  readonly calls: Readonly<Record<string, number>>;
  readonly hashedBytes: number;
}

const session = new Session();
session.connect();
await session.post('Profiler.enable');
await session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: false });

let hashedBytes = 0;
const hash = Object.getPrototypeOf(createHash('sha256'));
const { update } = hash;
hash.update = function count(data: string | Uint8Array, ...rest: unknown[]) {
  hashedBytes += data.length;
  return update.call(this, data, ...rest);
};

process.on('message', async (root: string) => {
  const { result } = await session.post('Profiler.takePreciseCoverage');
  const calls = Object.fromEntries(result.flatMap((script) => callsIn(script, root)));
  process.send?.({ calls, hashedBytes } satisfies Recording);
  hashedBytes = 0;
});
process.channel?.unref();

function callsIn({ url, functions }: Profiler.ScriptCoverage, root: string): [string, number][] {
  const file = url.slice(root.length);
  if (!url.startsWith(root) || !/^(src|tools)\//.test(file)) return [];
  return functions.map(({ functionName, ranges: [range] }) => [
    `${file} ${functionName || `at ${range?.startOffset}`}`,
    range?.count ?? 0,
  ]);
}
