// Which addresses are reached through which proxy, as the variables of curl say it.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { FoveaError } from '../../src/errors.ts';
import { proxyFor } from '../../src/network/proxies.ts';

function routeOf(url: string, variables: Record<string, string>): string {
  const proxy = proxyFor(new URL(url), readSettings(variables).proxies);
  return proxy === undefined ? 'directly' : `${proxy.host} ${proxy.setting}`;
}

const both = { HTTP_PROXY: 'http://plain.corp:3128', HTTPS_PROXY: 'http://tls.corp:3129' };

describe('a proxy', () => {
  test.each([
    ['https://api.example.com', both, 'tls.corp:3129 HTTPS_PROXY'],
    ['http://api.example.com', both, 'plain.corp:3128 HTTP_PROXY'],
    [
      'https://api.example.com',
      { ...both, https_proxy: 'small.corp' },
      'small.corp:80 https_proxy',
    ],
    ['https://api.example.com', { ...both, https_proxy: '' }, 'directly'],
    ['https://api.example.com', { HTTP_PROXY: 'http://plain.corp:3128' }, 'directly'],
    ['https://api.example.com', { HTTPS_PROXY: 'https://tls.corp' }, 'tls.corp:443 HTTPS_PROXY'],
    ['https://api.example.com', { HTTPS_PROXY: '10.1.2.3:8080' }, '10.1.2.3:8080 HTTPS_PROXY'],
    ['https://api.example.com', {}, 'directly'],
    ['https://localhost:8443', both, 'directly'],
    ['https://LOCALHOST./', both, 'directly'],
    ['https://a.localhost/', both, 'directly'],
    ['http://127.0.0.1:9001', both, 'directly'],
    ['http://127.3.2.1:9001', both, 'directly'],
    ['http://[::1]:9001', both, 'directly'],
  ])('%s with %j: %s', (url, variables, route) => {
    expect(routeOf(url, variables)).toBe(route);
  });

  test.each([
    ['example.com', true, true],
    ['.example.com', true, true],
    ['*.example.com', true, true],
    ['EXAMPLE.COM.', true, true],
    ['api.example.com', true, false],
    ['other.org, example.com', true, true],
    ['other.org example.com', true, true],
    ['ample.com', false, false],
    ['example.com:443', true, true],
    ['example.com:8443', false, false],
    ['*', true, true],
    ['<local>', false, false],
  ])('NO_PROXY=%s', (list, isDirect, isDirectBelow) => {
    const variables = { ...both, NO_PROXY: list };
    const words = (direct: boolean) => (direct ? 'directly' : 'tls.corp:3129 HTTPS_PROXY');
    expect(routeOf('https://api.example.com/a', variables)).toBe(words(isDirect));
    expect(routeOf('https://www.example.com/a', variables)).toBe(words(isDirectBelow));
  });

  test.each([
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://10.1.2.3', '10.1.2.3', true],
    ['https://10.1.2.30', '10.1.2.3', false],
    ['https://10.1.2.3', '2.3', false],
    ['https://10.1.2.3', '10.0.0.0/99', false],
    ['https://[fd00::7]', 'fd00::/8', true],
    ['https://[fd00::7]', 'fd00::7', true],
    ['https://[fd00::7]', '[fd00::7]:443', true],
    ['https://[fd00::7]', '10.0.0.0/8', false],
    ['https://api.example.com', 'https://api.example.com/v1', true],
  ])('%s with NO_PROXY=%s', (url, list, isDirect) => {
    const route = routeOf(url, { ...both, no_proxy: list });
    expect(route).toBe(isDirect ? 'directly' : 'tls.corp:3129 HTTPS_PROXY');
  });
});

describe('a wrong value', () => {
  test.each([
    ['HTTPS_PROXY', 'socks5://user:hunter2@proxy:1080', 'SOCKS is not supported'],
    ['HTTPS_PROXY', 'http://user:hunter2/x@proxy:8080', 'percent-encoded'],
    ['https_proxy', 'http://user:hunter2%@proxy:8080', 'percent-encoded'],
    ['HTTP_PROXY', 'http://user:12#hunter2@proxy:8080', 'percent-encoded'],
    ['HTTP_PROXY', 'http://proxy:80800', 'http://proxy.example.com:8080'],
    ['http_proxy', 'ftp://proxy', 'http://proxy.example.com:8080'],
  ])('%s=%s is told where it is needed, and not repeated', (variable, value, said) => {
    const { proxies } = readSettings({ [variable]: value });
    const scheme = variable.toLowerCase().slice(0, -'_proxy'.length);
    expect(proxyFor(new URL(`${scheme}://127.0.0.1:8001`), proxies)).toBe(undefined);
    expect(inspect(proxies, { depth: 9 })).not.toContain('hunter2');
    let thrown: unknown;
    try {
      proxyFor(new URL(`${scheme}://api.example.com`), proxies);
    } catch (error) {
      thrown = error;
    }
    if (!(thrown instanceof FoveaError)) throw new Error('nothing was thrown');
    expect(thrown.problems.map(({ path }) => path)).toEqual([variable]);
    expect(thrown.message).toContain(said);
    expect(inspect(thrown, { depth: 9 })).not.toContain('hunter2');
  });

  test('a password is never printed', () => {
    const settings = readSettings({ HTTPS_PROXY: 'http://ada:hunter2@proxy:8080' });
    const { https } = settings.proxies ?? {};
    expect(https?.authorization?.reveal()).toBe('Basic YWRhOmh1bnRlcjI=');
    const printed = `${inspect(settings, { depth: 9 })}${JSON.stringify(settings)}`;
    expect(printed).not.toMatch(/hunter2|YWRhOmh1/);
    expect(https).toMatchObject({ origin: 'http://proxy:8080', host: 'proxy:8080' });
  });
});
