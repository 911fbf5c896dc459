// The environment and the command line, good and bad.

import { inspect } from 'node:util';
import { describe, expect, test } from 'vitest';
import { readSettings } from '../src/config.ts';
import { FoveaError } from '../src/errors.ts';
import type { Machine } from '../src/machine.ts';

const linux: Machine = { platform: 'linux', homeFolder: '/home/ada', workingFolder: '/work/cells' };

function problemsOf(environment: Record<string, string>): readonly string[] {
  try {
    readSettings(environment, linux);
  } catch (error) {
    if (error instanceof FoveaError) return error.problems.map(({ path }) => path);
  }
  return [];
}

describe('settings', () => {
  test('have defaults', () => {
    expect(readSettings({}, linux)).toEqual({
      baseUrl: undefined,
      authUrl: undefined,
      clientId: undefined,
      clientSecret: undefined,
      clientAuth: 'none',
      redirectPort: 8976,
      scopes: undefined,
      noBrowser: true,
      credentials: 'auto',
      profile: 'default',
      publicUrl: undefined,
      trustedProxies: [],
      deviceUrl: undefined,
      deviceApiKey: undefined,
      apiKey: undefined,
      workspace: undefined,
      project: undefined,
      home: '/home/ada/.local/share/fovea',
      fileRoots: ['/work/cells'],
      toolsets: undefined,
      readOnly: false,
      toolProfile: 'default',
      repeatWindowSeconds: 120,
      metricsToken: undefined,
      visionEventDays: undefined,
      objectImports: { allowed: [], own: undefined, endpoint: undefined, region: undefined },
      takesTasks: true,
      timeoutMs: 60_000,
      versionMultiplierMax: 50,
      logLevel: 'warn',
    });
  });

  test.each([
    ['mysql://x/y', 'must be the URL of a PostgreSQL database'],
    ['no address', 'must be the URL of a PostgreSQL database'],
    ['postgres://ada:100%sure@x/y', 'password percent-encoded'],
    ['postgres://x/y?options=-c%20a=b', 'without options='],
    ['postgres://ada@db.example.com', 'must name a database behind the host'],
    ['postgres://ada@db.example.com/', 'must name a database behind the host'],
    ['postgres://ada@db.example.com/a/b', 'must name a database behind the host'],
    ['postgres:///?host=%2Frun', 'must name a database behind the host'],
    ['postgres://x/y?sslmode=verify', 'must have an sslmode that is one of: disable, prefer'],
  ])('a database at %s is refused, and not repeated', (text, expected) => {
    const reading = () => readSettings({ FOVEA_DATABASE_URL: text }, linux);
    expect(reading).toThrow(expected);
    expect(reading).not.toThrow(text);
  });

  test.each([
    'postgres://ada:pass-123@db.example.com/fovea?sslmode=verify-full',
    'postgresql://ada@/fovea?host=/run/postgresql',
    'postgres:///fovea?host=%2Frun',
  ])('a database at %s is a secret', (text) => {
    const settings = readSettings({ FOVEA_DATABASE_URL: text }, linux);
    expect(settings.databaseUrl?.reveal()).toBe(text);
    expect(inspect(settings)).not.toContain(text);
  });

  test('come from the environment', () => {
    const settings = readSettings(
      {
        FOVEA_BASE_URL: 'https://api.example.com/v1/',
        FOVEA_DEVICE_URL: 'http://localhost:8001//',
        FOVEA_API_KEY: ' key-123 ',
        FOVEA_DEVICE_API_KEY: 'device-123',
        FOVEA_WORKSPACE: 'acme',
        FOVEA_PROJECT: 'acme/cells',
        FOVEA_HOME: '/data/fovea/',
        FOVEA_FILE_ROOTS: '/data/a:/data/b/../c',
        FOVEA_TOOLSETS: 'projects, images',
        FOVEA_READ_ONLY: 'true',
        FOVEA_TIMEOUT_MS: '5000',
        FOVEA_VERSION_MULTIPLIER_MAX: '8',
        HTTPS_PROXY: 'http://ada:pass-123@proxy.corp:3128',
        NO_PROXY: 'corp, 10.0.0.0/8',
        FOVEA_LOG: 'debug',
      },
      linux,
    );
    expect(settings).toMatchObject({
      baseUrl: 'https://api.example.com/v1',
      deviceUrl: 'http://localhost:8001',
      workspace: 'acme',
      project: 'acme/cells',
      home: '/data/fovea',
      fileRoots: ['/data/a', '/data/c'],
      toolsets: ['projects', 'images'],
      readOnly: true,
      timeoutMs: 5_000,
      versionMultiplierMax: 8,
      proxies: {
        http: undefined,
        https: {
          origin: 'http://proxy.corp:3128',
          host: 'proxy.corp:3128',
          setting: 'HTTPS_PROXY',
        },
        except: ['corp', '10.0.0.0/8'],
      },
      logLevel: 'debug',
    });
    expect(settings.apiKey?.reveal()).toBe('key-123');
    expect(settings.deviceApiKey?.reveal()).toBe('device-123');
    expect(inspect(settings) + JSON.stringify(settings)).not.toContain('-123');
  });

  test('treat an unfilled field of a bundle and an empty value as unset', () => {
    const bundle = {
      FOVEA_BASE_URL: `\${user_config.base_url}`,
      FOVEA_API_KEY: '',
      FOVEA_WORKSPACE: '  ',
      FOVEA_FILE_ROOTS: `\${DOCUMENTS}`,
      FOVEA_HOME: `\${}`,
    };
    expect(readSettings(bundle, linux)).toEqual(readSettings({}, linux));
  });

  test('name a bad variable of two settings once', () => {
    const environment = {
      FOVEA_OBJECTS_URL: 's3://cells',
      FOVEA_IMPORT_OBJECTS: 's3://pool',
      AWS_REGION: 'eu central',
    };
    expect(problemsOf(environment)).toEqual(['AWS_REGION']);
  });

  test('name every bad variable at once', () => {
    expect(
      problemsOf({
        FOVEA_BASE_URL: 'api.example.com',
        FOVEA_DEVICE_URL: 'https://user:secret@device',
        FOVEA_API_KEY: 'two words',
        FOVEA_DEVICE_API_KEY: 'schlüssel',
        FOVEA_WORKSPACE: 'my workspace',
        FOVEA_HOME: '~/fovea',
        FOVEA_FILE_ROOTS: '/data:images',
        FOVEA_TOOLSETS: 'projects;images',
        FOVEA_READ_ONLY: 'maybe',
        FOVEA_TIMEOUT_MS: '1e3',
        FOVEA_LOG: 'loud',
      }),
    ).toEqual([
      'FOVEA_BASE_URL',
      'FOVEA_DEVICE_URL',
      'FOVEA_DEVICE_API_KEY',
      'FOVEA_API_KEY',
      'FOVEA_WORKSPACE',
      'FOVEA_HOME',
      'FOVEA_FILE_ROOTS',
      'FOVEA_TOOLSETS',
      'FOVEA_READ_ONLY',
      'FOVEA_TIMEOUT_MS',
      'FOVEA_LOG',
    ]);
  });

  test('say what would be right and never show a value', () => {
    expect(() => readSettings({ FOVEA_DEVICE_URL: 'http://10.0.0.1' }, linux)).toThrow(
      'FOVEA_DEVICE_URL: must be https; plain http is accepted for 127.0.0.1 and localhost only',
    );
    expect(() => readSettings({ FOVEA_API_KEY: 'hunter 2' }, linux)).toThrow(
      /^FOVEA_API_KEY: (?!.*hunter)/,
    );
  });

  test.each([
    'https://example.com/?key=1',
    'https://example.com/#x',
    'ftp://example.com',
    'http://127.0.0.1.example.com',
    'http://localhost.example.com',
    'file:///etc/passwd',
  ])('refuse the URL %s', (url) => {
    expect(problemsOf({ FOVEA_BASE_URL: url })).toEqual(['FOVEA_BASE_URL']);
  });

  test.each(['0', '99', '3600001', '-5', '10.5', 'Infinity'])('refuse %s ms', (text) => {
    expect(problemsOf({ FOVEA_TIMEOUT_MS: text })).toEqual(['FOVEA_TIMEOUT_MS']);
  });

  test.each(['0', '-1', '2.5', '10000', 'many'])('refuse a plan cap of %s', (text) => {
    const variable = 'FOVEA_VERSION_MULTIPLIER_MAX';
    expect(problemsOf({ [variable]: text })).toEqual([variable]);
  });
});

describe('the data folder', () => {
  test.each([
    [{ XDG_DATA_HOME: '/data' }, linux, '/data/fovea'],
    [{ XDG_DATA_HOME: 'relative' }, linux, '/home/ada/.local/share/fovea'],
    [
      {},
      { platform: 'darwin', homeFolder: '/Users/ada', workingFolder: '/' },
      '/Users/ada/Library/Application Support/Fovea',
    ],
    [
      { LOCALAPPDATA: 'C:\\Users\\ada\\AppData\\Local' },
      { platform: 'win32', homeFolder: 'C:\\Users\\ada', workingFolder: 'C:\\' },
      'C:\\Users\\ada\\AppData\\Local\\Fovea',
    ],
    [
      {},
      { platform: 'win32', homeFolder: 'C:\\Users\\ada', workingFolder: 'C:\\' },
      'C:\\Users\\ada\\AppData\\Local\\Fovea',
    ],
  ] as const)('follows the platform (%#)', (environment, machine, home) => {
    expect(readSettings(environment, machine).home).toBe(home);
  });
});

describe('the file roots', () => {
  test.each([
    ['/', []],
    ['/home', []],
    ['/home/ada', []],
    ['/home/ada/cells', ['/home/ada/cells']],
    ['/home/adam', ['/home/adam']],
    ['/srv', ['/srv']],
  ])('by default in %s', (workingFolder, roots) => {
    expect(readSettings({}, { ...linux, workingFolder }).fileRoots).toEqual(roots);
  });

  test('are none by default where a host starts us in our own folder', () => {
    const plugin = '/home/ada/.codex/plugins/fovea/dist';
    const machine = { ...linux, workingFolder: plugin, programFolder: plugin };
    expect(readSettings({}, machine).fileRoots).toEqual([]);
  });

  test('on Windows are separated by semicolons', () => {
    const windows: Machine = {
      platform: 'win32',
      homeFolder: 'C:\\Users\\ada',
      workingFolder: 'D:\\',
    };
    expect(readSettings({ FOVEA_FILE_ROOTS: 'D:\\a;E:\\b' }, windows).fileRoots).toEqual([
      'D:\\a',
      'E:\\b',
    ]);
    expect(readSettings({}, windows).fileRoots).toEqual([]);
  });
});
