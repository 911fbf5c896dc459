// The arguments after the script's name.

import { expect, test } from 'vitest';
import { readCommand } from '../src/command-line.ts';

test.each([
  [[], { kind: 'mcp' }],
  [['--help'], { kind: 'help' }],
  [['platform', '-h'], { kind: 'help' }],
  [['--version'], { kind: 'version' }],
  [['platform'], { kind: 'platform', host: '127.0.0.1', port: 8000, data: undefined }],
  [['event-store'], { kind: 'event-store', host: '127.0.0.1', port: 8001, data: undefined }],
  [
    ['platform', '--port', '0', '--host=::1', '--data', '/data'],
    { kind: 'platform', host: '::1', port: 0, data: '/data' },
  ],
])('%j', (argv, command) => {
  expect(readCommand(argv)).toEqual(command);
});

test.each([
  [['plattform'], 'there is no "plattform"; did you mean "platform"?'],
  [['frobnicate'], 'there is no "frobnicate"'],
  [['platform', 'extra'], '"extra" is one too many'],
  [['platform', '--prot', '1'], '--prot: is not an option; did you mean "--port"?'],
  [['platform', '--port', 'abc'], '--port: must be a whole number from 0 to 65535'],
  [['platform', '--port', '65536'], '--port'],
  [['platform', '--port', '-1'], 'port'],
  [['platform', '--port'], 'port'],
  [['platform', '--data='], '--data: must be a folder'],
  [['--port', '1'], '--port: needs a command'],
])('%j is refused', (argv, message) => {
  expect(() => readCommand(argv)).toThrow(message);
});

test.each(['http', 'sign-in', 'sign-out', 'status', 'doctor', 'setup'])(
  '%s comes later',
  (command) => {
    expect(() => readCommand([command])).toThrow(`"fovea ${command}" is not in this release yet.`);
  },
);
