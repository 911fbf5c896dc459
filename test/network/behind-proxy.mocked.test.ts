// Which names a proxy may be asked for, by what the name server of this machine says of them.

import { afterEach, expect, test, vi } from 'vitest';
import { mayBePublicElsewhere } from '../../src/network/public-addresses.ts';

// The name server is no part of ours, and none that is real says this.
const answers = vi.hoisted(() => ({ now: async (): Promise<unknown> => [] }));
vi.mock('node:dns/promises', () => ({ lookup: () => answers.now() }));

afterEach(() => vi.useRealTimers());

const found = (...addresses: string[]) => addresses.map((address) => ({ address, family: 4 }));

test.each([
  ['a public address', async () => found('93.184.216.34'), true],
  ['none', () => Promise.reject(new Error('ENOTFOUND')), true],
  ['a private address', async () => found('10.0.0.7'), false],
  ['one private address of two', async () => found('93.184.216.34', '192.168.1.1'), false],
  ['the address of the cloud', async () => found('169.254.169.254'), false],
  ['a private address of IPv6', async () => found('fd00::7'), false],
])('a name with %s', async (_name, answer, may) => {
  answers.now = answer;
  expect(await mayBePublicElsewhere('wiki.example.com')).toBe(may);
});

test('a name server that says nothing is not waited for', async () => {
  vi.useFakeTimers();
  answers.now = () => new Promise(() => undefined);
  const asking = mayBePublicElsewhere('files.example.com');
  await vi.advanceTimersByTimeAsync(3_000);
  expect(await asking).toBe(true);
});
