// Reserves stdout for JSON-RPC. Once this is imported, other writes to process.stdout (such as
// console.log of a library) go to stderr.

import { EventEmitter } from 'node:events';

/** The stream that answers are written to. */
export interface Output {
  /** False: more should come only after `drain`. */
  write(text: string): boolean;
  on(event: 'drain', listener: () => void): unknown;
  on(event: 'error', listener: (error: Error) => void): unknown;
}

/** The real stdout. Only the transport may have it. */
export const protocolOutput: Output = takeStdout();

function takeStdout(): Output {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const events = new EventEmitter<{ error: [Error]; drain: [] }>();
  // It breaks once, and again with each later write.
  events.on('error', () => undefined);
  stdout.on('error', (error) => events.emit('error', error));
  stdout.on('drain', () => events.emit('drain'));
  // A host that stops reading the log must not end the process.
  stderr.on('error', () => undefined);
  Object.defineProperty(stdout, 'write', { value: stderr.write.bind(stderr) });
  return Object.assign(events, { write: (text: string) => write(text) });
}
