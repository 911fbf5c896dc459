// Keeps stdout for JSON-RPC. Once this is imported, whatever else writes to process.stdout (a
// library's console.log) goes to stderr.

import { Writable } from 'node:stream';

/** The real stdout. Only the transport may have it. */
export const protocolOutput: Writable = takeStdout();

function takeStdout(): Writable {
  const { stdout, stderr } = process;
  const write = stdout.write.bind(stdout);
  const output = new Writable({
    write: (chunk, encoding, done) => {
      write(chunk, encoding, done);
    },
  });
  stdout.on('error', (error) => output.destroy(error));
  // A host that stops reading the log must not end the process.
  stderr.on('error', () => undefined);
  Object.defineProperty(stdout, 'write', { value: stderr.write.bind(stderr) });
  return output;
}
