// Runs a service until the process is told to stop.

import type { Service } from '../http-server/serve.ts';

/** Prints the URL of a service on stdout, and serves until SIGTERM or SIGINT. */
export function runService(service: Service): void {
  process.stdout.write(`${service.url}\n`);
  // Work of threads must not delay the end: unfinished tasks were given back.
  const stop = () => void service.close().finally(() => process.exit());
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
