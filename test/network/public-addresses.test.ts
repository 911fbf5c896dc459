// Which addresses count as public, in every spelling that an attacker would try.

import type { LookupAddress, LookupOptions } from 'node:dns';
import { expect, test } from 'vitest';
import {
  isPublicAddress,
  isPublicHostname,
  publicLookup,
} from '../../src/network/public-addresses.ts';

test.each([
  '8.8.8.8',
  '1.1.1.1',
  '172.15.255.255',
  '172.32.0.0',
  '2606:4700:4700::1111',
  '::ffff:8.8.8.8',
])('%s is public', (ip) => {
  expect(isPublicAddress(ip)).toBe(true);
});

test.each([
  '127.0.0.1',
  '127.255.255.255',
  '0.0.0.0',
  '10.0.0.1',
  '172.16.0.1',
  '172.31.255.255',
  '192.168.1.1',
  '169.254.169.254',
  '100.64.0.1',
  '192.0.0.8',
  '192.0.2.1',
  '198.18.0.1',
  '198.51.100.7',
  '203.0.113.5',
  '224.0.0.1',
  '240.0.0.1',
  '255.255.255.255',
  '::',
  '::1',
  '::127.0.0.1',
  '::ffff:127.0.0.1',
  '::ffff:10.0.0.1',
  '64:ff9b::7f00:1',
  '64:ff9b:1::7f00:1',
  '2002:7f00:1::',
  '2001:0:1::1',
  '2001:db8::1',
  'fc00::1',
  'fd12:3456::1',
  'fe80::1',
  'fe80::1%eth0',
  'fec0::1',
  'ff02::1',
  '4000::1',
  '',
  'localhost',
  '127.1',
  '0x7f.1',
  '2130706433',
  '010.0.0.1',
])('%j is not public', (ip) => {
  expect(isPublicAddress(ip)).toBe(false);
});

test.each([
  ['http://example.com/', true],
  ['http://8.8.8.8/', true],
  ['http://[2606:4700::1]/', true],
  ['http://localhost/', false],
  ['http://LOCALHOST./', false],
  ['http://a.localhost/', false],
  ['http://2130706433/', false],
  ['http://0x7f.1/', false],
  ['http://127.1/', false],
  ['http://017700000001/', false],
  ['http://127.0.0.1./', false],
  ['http://①②⑦.0.0.1/', false],
  ['http://[::ffff:127.0.0.1]/', false],
  ['http://[::]/', false],
])('the hostname of %s: may it be public? %j', (url, expected) => {
  expect(isPublicHostname(new URL(url).hostname)).toBe(expected);
});

test('a name with a private address is not resolved', async () => {
  expect(await resolved('localhost', {})).toMatchObject({ code: 'ERR_ADDRESS_NOT_PUBLIC' });
  expect(await resolved('localhost', { all: true })).toMatchObject({
    code: 'ERR_ADDRESS_NOT_PUBLIC',
  });
});

test('a name that is not known fails as it would without the guard', async () => {
  expect(await resolved('fovea-no-such-host.invalid', {})).toMatchObject({
    syscall: 'getaddrinfo',
  });
});

test('a public address comes back in the form that was asked for', async () => {
  expect(await resolved('8.8.8.8', {})).toEqual(['8.8.8.8', 4]);
  expect(await resolved('8.8.8.8', { all: true })).toEqual([
    [{ address: '8.8.8.8', family: 4 }],
    undefined,
  ]);
});

type Answer = Error | [string | LookupAddress[], number | undefined];

function resolved(hostname: string, options: LookupOptions): Promise<Answer> {
  return new Promise((resolve) => {
    publicLookup(hostname, options, (error, address, family) =>
      resolve(error ?? [address, family]),
    );
  });
}
