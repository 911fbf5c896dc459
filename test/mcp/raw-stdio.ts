// Drives the test server, or what is under test, by raw lines of JSON-RPC.

import { fileURLToPath } from 'node:url';
import { nodeFor } from '../fixtures/under-test.ts';
import { type RawServer, startRawServer } from './raw-server.ts';

export const serverFile = fileURLToPath(
  new URL('../fixtures/sample-tools-process.ts', import.meta.url),
);

/** The process of small tools, or of another file. */
export function startServer(
  environment: Record<string, string> = {},
  file: string = serverFile,
): RawServer {
  return startRawServer(file, environment, nodeFor(file));
}
