// The settings of signing in: what they default to, and what is refused.

import { describe, expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';
import { environmentOfOthers } from '../src/environment.ts';

const linux = { platform: 'linux', homeFolder: '/home/ada', workingFolder: '/work' } as const;
const mac = { ...linux, platform: 'darwin' } as const;

test.each([
  [{}, 'none'],
  [{ FOVEA_CLIENT_SECRET: 's' }, 'client_secret_post'],
  [{ FOVEA_CLIENT_SECRET: 's', FOVEA_CLIENT_AUTH: 'client_secret_basic' }, 'client_secret_basic'],
])('%j: the client says who it is by %s', (environment, clientAuth) => {
  expect(readSettings(environment, linux).clientAuth).toBe(clientAuth);
});

describe('a browser is opened', () => {
  test.each([
    ['on a Mac', {}, mac, false],
    ['on Linux with a display', { DISPLAY: ':0' }, linux, false],
    ['on Linux with Wayland', { WAYLAND_DISPLAY: 'wayland-0' }, linux, false],
    ['not on Linux without a display', {}, linux, true],
    ['not over SSH', { SSH_CONNECTION: 'a 1 b 2' }, mac, true],
    ['not over SSH with a display', { SSH_TTY: '/dev/pts/0', DISPLAY: ':0' }, linux, true],
    ['not where it is forbidden', { FOVEA_NO_BROWSER: '1' }, mac, true],
    ['over SSH where it is wanted', { SSH_TTY: '/dev/pts/0', FOVEA_NO_BROWSER: '0' }, mac, false],
  ])('%s', (_when, environment, machine, noBrowser) => {
    expect(readSettings(environment, machine).noBrowser).toBe(noBrowser);
  });
});

test.each([
  [{ FOVEA_CLIENT_AUTH: 'client_secret_basic' }, 'FOVEA_CLIENT_SECRET: is missing'],
  [{ FOVEA_CLIENT_SECRET: 's', FOVEA_CLIENT_AUTH: 'none' }, 'FOVEA_CLIENT_AUTH: must not be none'],
  [{ FOVEA_CLIENT_AUTH: 'private_key_jwt' }, 'FOVEA_CLIENT_AUTH: must be client_secret_post'],
  [{ FOVEA_CLIENT_SECRET: 'two words' }, 'FOVEA_CLIENT_SECRET: must be'],
  [{ FOVEA_CLIENT_ID: 'two words' }, 'FOVEA_CLIENT_ID: must be'],
  [{ FOVEA_AUTH_URL: 'http://auth.example.com' }, 'FOVEA_AUTH_URL: must be https'],
  [{ FOVEA_AUTH_URL: 'https://auth.example.com/?a=b' }, 'FOVEA_AUTH_URL: must end with the path'],
  [{ FOVEA_AUTH_URL: 'javascript:alert(1)' }, 'FOVEA_AUTH_URL: must be an http or https URL'],
  [{ FOVEA_REDIRECT_PORT: '0' }, 'FOVEA_REDIRECT_PORT: must be'],
  [{ FOVEA_REDIRECT_PORT: '65536' }, 'FOVEA_REDIRECT_PORT: must be'],
  [{ FOVEA_CREDENTIALS: 'plain' }, 'FOVEA_CREDENTIALS: must be'],
  [{ FOVEA_PROFILE: '../../etc' }, 'FOVEA_PROFILE: must be'],
  [{ FOVEA_PROFILE: 'Work' }, 'FOVEA_PROFILE: must be'],
  [{ FOVEA_PROFILE: 'a'.repeat(41) }, 'FOVEA_PROFILE: must be'],
  [{ FOVEA_PUBLIC_URL: 'http://vision.example.com' }, 'FOVEA_PUBLIC_URL: must be https'],
  [{ FOVEA_PUBLIC_URL: 'https://example.com/fovea' }, 'FOVEA_PUBLIC_URL: must have no path'],
])('%j is refused', (environment, message) => {
  expect(() => readSettings(environment, linux)).toThrow(message);
});

test('programs that we start get none of our variables', () => {
  const environment = {
    PATH: '/bin',
    HOME: '/home/ada',
    FOVEA_API_KEY: 'k',
    fovea_client_secret: 's',
  };
  expect(environmentOfOthers(environment)).toEqual({ PATH: '/bin', HOME: '/home/ada' });
});

test('a proxy on this machine is trusted behind an https address, others when they are named', () => {
  const trusted = (environment: Record<string, string>) => readSettings(environment).trustedProxies;
  const publicly = { FOVEA_PUBLIC_URL: 'https://vision.example.com' };
  expect(trusted({})).toEqual([]);
  expect(trusted(publicly)).toEqual(['127.0.0.0/8', '::1/128']);
  expect(trusted({ ...publicly, FOVEA_TRUSTED_PROXIES: '10.0.0.0/8' })).toEqual(['10.0.0.0/8']);
  expect(trusted({ ...publicly, FOVEA_TRUSTED_PROXIES: 'none' })).toEqual([]);
  expect(() => trusted({ FOVEA_TRUSTED_PROXIES: 'proxy.lan' })).toThrow('FOVEA_TRUSTED_PROXIES');
});
