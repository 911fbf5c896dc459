// Whose address a request comes from, behind proxies that are trusted and behind others.

import { describe, expect, test } from 'vitest';
import {
  clientAddresses,
  customerNetwork,
  loopbackProxies,
  parseProxies,
} from '../../src/network/client-address.ts';

describe('the address of the client', () => {
  const find = clientAddresses(['127.0.0.0/8', '::1/128', '10.0.0.0/8', '2001:db8:f::/48']);
  const of = (peer: string, forwardedFor: string[] = [], forwarded: string[] = []) =>
    find({ peer, forwardedFor, forwarded });

  test.each([
    ['without a proxy', '192.0.2.1', [], '192.0.2.1'],
    ['that somebody names who is no proxy', '192.0.2.1', ['198.51.100.7'], '192.0.2.1'],
    ['that a proxy names', '127.0.0.1', ['198.51.100.7'], '198.51.100.7'],
    [
      'that a proxy names, on a socket for both',
      '::ffff:127.0.0.1',
      ['198.51.100.7'],
      '198.51.100.7',
    ],
    [
      'behind a client who names others first',
      '127.0.0.1',
      ['1.1.1.1, 198.51.100.7'],
      '198.51.100.7',
    ],
    ['in the last of several headers', '127.0.0.1', ['1.1.1.1', '198.51.100.7'], '198.51.100.7'],
    ['behind two proxies', '127.0.0.1', ['198.51.100.7, 10.1.2.3'], '198.51.100.7'],
    ['behind proxies alone', '127.0.0.1', ['10.9.9.9, 10.1.2.3'], '10.9.9.9'],
    ['with a port', '127.0.0.1', ['198.51.100.7:4711'], '198.51.100.7'],
    ['of IPv6', '::1', ['2001:DB8::7'], '2001:db8::7'],
    ['of IPv6 in brackets, with a port', '::1', ['[2001:db8::7]:4711'], '2001:db8::7'],
    ['hidden', '127.0.0.1', ['unknown'], '127.0.0.1'],
    ['hidden behind the last proxy', '127.0.0.1', ['unknown, 10.1.2.3'], '10.1.2.3'],
    ['that is empty', '127.0.0.1', [''], '127.0.0.1'],
    ['that is none', '127.0.0.1', ['198.51.100.7 evil'], '127.0.0.1'],
    ['that has gone', '', ['198.51.100.7'], ''],
  ])('%s', (_what, peer, forwardedFor, address) => {
    expect(of(peer, forwardedFor)).toBe(address);
  });

  test.each([
    ['plain', ['for=198.51.100.7'], '198.51.100.7'],
    ['in capitals, with more', ['Proto=https;For="198.51.100.7:47";by=10.0.0.1'], '198.51.100.7'],
    ['of IPv6', ['for="[2001:db8::7]:4711"'], '2001:db8::7'],
    ['the last of several', ['for=1.1.1.1, for=198.51.100.7'], '198.51.100.7'],
    ['behind two proxies', ['for=198.51.100.7, for=10.1.2.3'], '198.51.100.7'],
    ['obfuscated', ['for=_hidden'], '127.0.0.1'],
    ['without a client', ['proto=https'], '127.0.0.1'],
    [
      'behind a quote that its client left open',
      ['for="1.1.1.1, for=198.51.100.7'],
      '198.51.100.7',
    ],
    ['behind 7,000 escapes', [`"${'\\"'.repeat(7_000)}, for=198.51.100.7`], '198.51.100.7'],
    ['with a comma in quotes', ['host="a,b";for=198.51.100.7'], '198.51.100.7'],
  ])('in a Forwarded header: %s', (_what, forwarded, address) => {
    expect(of('127.0.0.1', [], forwarded)).toBe(address);
  });

  test("is that of the proxy where two headers disagree: one may be the client's own", () => {
    expect(of('127.0.0.1', ['198.51.100.7'], ['for=1.1.1.1'])).toBe('127.0.0.1');
    expect(of('127.0.0.1', ['198.51.100.7'], ['for=198.51.100.7'])).toBe('198.51.100.7');
  });

  test('is that of the socket where nobody is trusted', () => {
    const request = { peer: '127.0.0.1', forwardedFor: ['198.51.100.7'], forwarded: [] };
    expect(clientAddresses([])(request)).toBe('127.0.0.1');
    expect(clientAddresses(loopbackProxies)(request)).toBe('198.51.100.7');
  });
});

test.each([
  ['192.0.2.1', '192.0.2.1'],
  ['::ffff:192.0.2.1', '192.0.2.1'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2::/64'],
  ['2001:DB8:1:2::%eth0', '2001:db8:1:2::/64'],
  ['::1', '0:0:0:0::/64'],
  ['', ''],
  ['x:y', 'x:y'],
])('the network of %s is %s', (address, network) => {
  expect(customerNetwork(address)).toBe(network);
});

test.each([
  ['none', []],
  ['127.0.0.1', ['127.0.0.1']],
  ['10.0.0.0/8, ::1 2001:db8::/32', ['10.0.0.0/8', '::1', '2001:db8::/32']],
])('the setting "%s" is a list of proxies', (text, value) => {
  expect(parseProxies(text)).toEqual({ value });
});

test.each(['proxy.example', '10.0.0.0/33', '10.0.0.0/8/9', '10.0.0', '::1/129', '10.0.0.0/-1'])(
  'the setting "%s" is refused',
  (text) => {
    const wrong = 'must be addresses or networks, for example "127.0.0.1, 10.0.0.0/8", or none';
    expect(parseProxies(text)).toEqual({ wrong });
  },
);
