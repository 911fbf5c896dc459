// Which processes were left behind by a host, and which stand alone by right.

import { expect, test } from 'vitest';
import { listProcesses, orphansAmong } from '../../src/setup/orphaned-servers.ts';

const server = ['/usr/bin/node', '/opt/fovea/dist/fovea.js'];

test('servers whose host is gone', () => {
  const processes = [
    { pid: 1, parent: 0, words: ['/usr/lib/systemd/systemd', '--system'] },
    { pid: 40, parent: 1, words: ['/usr/lib/systemd/systemd', '--user'] },
    { pid: 50, parent: 1, words: ['/usr/bin/host'] },
    { pid: 51, parent: 50, words: server },
    { pid: 52, parent: 40, words: server },
    { pid: 53, parent: 1, words: ['node', '/home/a/.npm/_npx/1/node_modules/.bin/fovea'] },
    { pid: 54, parent: 1, words: ['npm exec fovea'] },
    { pid: 55, parent: 1, words: [...server, 'platform'] },
    { pid: 56, parent: 1, words: ['vim', '/opt/fovea/dist/fovea.js'] },
    { pid: 57, parent: 1, words: server },
  ];
  expect(orphansAmong(processes, 57)).toEqual([52, 53, 54]);
});

test('the first process of a container may be a host itself', () => {
  const processes = [
    { pid: 1, parent: 0, words: ['node', 'agent.js'] },
    { pid: 7, parent: 1, words: server },
  ];
  expect(orphansAmong(processes, 99)).toEqual([]);
});

test('this process and its parent are in the list; where there is no list, nothing is said', async () => {
  const found = await listProcesses(process.platform);
  const self = found?.find(({ pid }) => pid === process.pid);
  expect(self).toMatchObject({ parent: process.ppid, words: expect.any(Array) });
  expect(await listProcesses('win32')).toBeUndefined();
});
