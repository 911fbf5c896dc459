// Which hosts are this machine, and which only look so.

import { expect, test } from 'vitest';
import { isLoopbackHost, isLoopbackName, isPlainLoopback } from '../../src/network/loopback.ts';

test.each([
  // host, is this machine, may be that of a plain redirect URI
  ['localhost', true, true],
  ['127.0.0.1', true, true],
  ['[::1]', true, true],
  ['::1', true, false],
  ['127.0.0.2', true, false],
  ['127.255.255.254', true, false],
  ['127.example.com', false, false],
  ['127.0.0.1.example.com', false, false],
  ['127.0.0.1.', false, false],
  ['127.1', false, false],
  ['a.localhost', false, false],
  ['localhost.', false, false],
  ['localhost.example.com', false, false],
  ['notlocalhost', false, false],
  ['0.0.0.0', false, false],
  ['::', false, false],
  ['[::]', false, false],
  ['[::ffff:7f00:1]', false, false],
  ['128.0.0.1', false, false],
  ['10.127.0.0.1', false, false],
  ['127.0.0.1\nexample.com', false, false],
  ['', false, false],
])('%s', (host, isThisMachine, isForRedirects) => {
  expect([isLoopbackHost(host), isLoopbackName(host)]).toEqual([isThisMachine, isForRedirects]);
});

test.each([
  ['http://127.0.0.1:8976/callback', true],
  ['http://localhost', true],
  ['http://[::1]:1/', true],
  // The parser of URLs makes the plain address of it.
  ['http://2130706433/', true],
  ['https://127.0.0.1/', false],
  ['ftp://127.0.0.1/', false],
  ['http://127.0.0.1@example.com/', false],
  ['http://example.com/?127.0.0.1', false],
])('plain http: %s', (address, expected) => {
  expect(isPlainLoopback(new URL(address))).toBe(expected);
});
