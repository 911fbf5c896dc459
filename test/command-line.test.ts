// The arguments after the script's name.

import { expect, test } from 'vitest';
import { readCommand } from '../src/command-line.ts';

const nothing = { redirectUris: [], scopes: [], desktop: false, mcp: false };

test.each([
  [[], { kind: 'mcp' }],
  [['--help'], { kind: 'help' }],
  [['platform', '-h'], { kind: 'help' }],
  [['--version'], { kind: 'version' }],
  [['platform'], { kind: 'platform', host: '127.0.0.1', port: 8000, data: undefined }],
  [['event-store'], { kind: 'event-store', host: '127.0.0.1', port: 8001, data: undefined }],
  [['http'], { kind: 'http', host: '127.0.0.1', port: 8002, data: undefined }],
  [
    ['platform', '--port', '0', '--host=::1', '--data', '/data'],
    { kind: 'platform', host: '::1', port: 0, data: '/data' },
  ],
  [['sign-in'], { kind: 'sign-in', profile: undefined, paste: false }],
  [['sign-in', '--paste', '--profile', 'work'], { kind: 'sign-in', profile: 'work', paste: true }],
  [['sign-out'], { kind: 'sign-out', profile: undefined }],
  [['status', '--profile=work'], { kind: 'status', profile: 'work' }],
  [
    ['setup'],
    { kind: 'setup', hosts: [], all: false, dryRun: false, undo: false, surface: undefined },
  ],
  [
    ['setup', 'Cursor', 'claude-code', 'cursor', '--dry-run', '--surface', 'compact'],
    {
      ...{ kind: 'setup', hosts: ['cursor', 'claude-code'], all: false },
      ...{ dryRun: true, undo: false, surface: 'compact' },
    },
  ],
  [
    ['setup', '--all', '--undo'],
    { kind: 'setup', hosts: [], all: true, dryRun: false, undo: true, surface: undefined },
  ],
  [['doctor'], { kind: 'doctor', json: false }],
  [['doctor', '--json'], { kind: 'doctor', json: true }],
  [
    ['account', 'add', 'ada', '--email', 'ada@example.org', '--workspace', 'a', '--workspace=b'],
    {
      ...{ kind: 'account', action: 'add', name: 'ada', email: 'ada@example.org' },
      ...{ workspaces: ['a', 'b'], signOut: false, data: undefined },
    },
  ],
  [
    ['account', 'list', '--data', '/data'],
    {
      ...{ kind: 'account', action: 'list', name: undefined, email: undefined },
      ...{ workspaces: [], signOut: false, data: '/data' },
    },
  ],
  [
    ['account', 'remove', 'ada'],
    {
      ...{ kind: 'account', action: 'remove', name: 'ada', email: undefined },
      ...{ workspaces: [], signOut: false, data: undefined },
    },
  ],
  [
    ['account', 'password', 'ada', '--sign-out'],
    {
      ...{ kind: 'account', action: 'password', name: 'ada', email: undefined },
      ...{ workspaces: [], signOut: true, data: undefined },
    },
  ],
  [
    [
      ...['application', 'add', '--name', 'Line 4', '--homepage', 'https://line4.example'],
      ...['--redirect-uri', 'https://line4.example/a', '--redirect-uri=https://line4.example/b'],
      ...['--auth', 'client_secret_basic', '--scope', 'openid', '--scope', 'image:read'],
      ...['--visibility', 'Internal', '--desktop', '--mcp', '--resource', 'https://m.example/mcp'],
    ],
    {
      ...{ kind: 'application', action: 'add', id: undefined, data: undefined },
      values: {
        ...{ name: 'Line 4', homepage: 'https://line4.example' },
        redirectUris: ['https://line4.example/a', 'https://line4.example/b'],
        ...{ auth: 'client_secret_basic', scopes: ['openid', 'image:read'] },
        ...{ visibility: 'Internal', desktop: true, mcp: true, resource: 'https://m.example/mcp' },
      },
    },
  ],
  [
    ['application', 'list'],
    { kind: 'application', action: 'list', id: undefined, values: nothing, data: undefined },
  ],
  [
    ['application', 'remove', 'fva_1', '--data=/data'],
    { kind: 'application', action: 'remove', id: 'fva_1', values: nothing, data: '/data' },
  ],
])('%j', (argv, command) => {
  expect(readCommand(argv)).toEqual(command);
});

test.each([
  [['plattform'], 'there is no "plattform"; did you mean "platform"?'],
  [['signin'], 'there is no "signin"; did you mean "sign-in"?'],
  [['frobnicate'], 'there is no "frobnicate"'],
  [['constructor'], 'there is no "constructor"'],
  [['platform', 'extra'], '"extra" is one too many'],
  [['sign-in', 'work'], '"work" is one too many'],
  [['platform', '--prot', '1'], '--prot: is not an option; did you mean "--port"?'],
  [['platform', '--port', 'abc'], '--port: must be a whole number from 0 to 65535'],
  [['platform', '--port', '65536'], '--port'],
  [['platform', '--port', '-1'], 'port'],
  [['platform', '--port'], 'port'],
  [['platform', '--data='], '--data: must be a folder'],
  [['platform', '--host='], '--host: must be an address'],
  [['--port', '1'], '--port: needs a command'],
  [['platform', '--paste'], '--paste: is not an option of "fovea platform"'],
  [['sign-in', '--port', '1'], '--port: is not an option of "fovea sign-in"'],
  [['sign-out', '--paste'], '--paste: is not an option of "fovea sign-out"'],
  [['status', '--profile='], '--profile: must be a name'],
  [['setup', 'curser'], 'knows no host "curser"; did you mean "cursor"?'],
  [['setup', 'cursor', '--all'], '--all: and names of hosts exclude each other'],
  [['setup', '--undo', '--surface=full'], '--surface: has no use with --undo'],
  [['setup', 'cursor', '--surface', 'small'], '--surface: must be full or compact'],
  [['setup', '--json'], '--json: is not an option of "fovea setup"'],
  [['doctor', 'cursor'], '"cursor" is one too many'],
  [['docter'], 'there is no "docter"; did you mean "doctor"?'],
  [['account'], 'account: needs add, list, remove, password'],
  [['account', 'password'], 'account password: needs NAME'],
  [
    ['account', 'password', 'ada', '--email', 'a@b.c'],
    '--email: is not an option of "fovea account',
  ],
  [['account', 'remove', 'ada', '--sign-out'], '--sign-out: is not an option of "fovea account'],
  [['account', 'ad'], 'account: "ad" is none of add, list, remove, password; did you mean "add"?'],
  [['account', 'add'], 'account add: needs NAME'],
  [['account', 'remove', ''], 'account remove: needs NAME'],
  [['account', 'add', 'ada', 'bob'], '"bob" is one too many'],
  [['account', 'list', 'ada'], '"ada" is one too many'],
  [['account', 'remove', 'ada', '--email', 'a@b.c'], '--email: is not an option of "fovea account'],
  [['account', 'add', 'ada', '--workspace='], '--workspace: must not be empty'],
  [['application', 'add', 'x'], '"x" is one too many'],
  [['application', 'remove'], 'application remove: needs ID'],
  [['application', 'list', '--name', 'x'], '--name: is not an option of "fovea application list"'],
])('%j is refused', (argv, message) => {
  expect(() => readCommand(argv)).toThrow(message);
});
