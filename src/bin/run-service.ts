// A service as a process.

import type { Service } from '../http-server/service.ts';

/** Prints the URL of a service on stdout, and serves until SIGTERM or SIGINT. */
export function runService(service: Service): void {
  process.stdout.write(`${service.url}\n`);
  // What a thread still works on must not keep the process: it was given back.
  const stop = () => void service.close().finally(() => process.exit());
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
}
