// Reads a new password: typed twice without echo, or the first line of stdin.

import { createInterface } from 'node:readline';
import { Writable } from 'node:stream';
import { FoveaError, invalidArgument } from '../errors.ts';
import { Secret } from '../secret.ts';

/** Throws `invalid_input` for two different passwords, and where stdin ends before a line. */
export async function readPassword(prompt: string): Promise<Secret> {
  const isTyped = process.stdin.isTTY === true;
  const lines = openLines(isTyped);
  try {
    const password = await lines.ask(isTyped ? prompt : '');
    if (isTyped && (await lines.ask('The same again: ')) !== password) {
      throw invalidArgument('password', 'the two are not the same');
    }
    if (password === '') throw invalidArgument('password', 'is empty: send it as a line on stdin');
    return new Secret(password);
  } finally {
    lines.close();
  }
}

/** Lines of stdin; of a terminal nothing is echoed, and editing keys work. */
function openLines(isTyped: boolean) {
  const silent = new Writable({ write: (_chunk, _encoding, done) => done() });
  const reader = createInterface({ input: process.stdin, output: silent, terminal: isTyped });
  const lines = reader[Symbol.asyncIterator]();
  const { promise: interrupted, reject } = Promise.withResolvers<never>();
  interrupted.catch(() => {});
  reader.on('SIGINT', () => reject(new FoveaError('cancelled', 'Nothing was added.')));
  return {
    ask: async (prompt: string): Promise<string> => {
      process.stderr.write(prompt);
      const { value, done } = await Promise.race([lines.next(), interrupted]);
      if (isTyped) process.stderr.write('\n');
      return done ? '' : value;
    },
    close: () => reader.close(),
  };
}
