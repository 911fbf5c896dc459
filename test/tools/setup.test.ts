// auth_status with a key and without any service, and doctor: what they say of a setup, and what
// they never say.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import * as z from 'zod';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { openFileRoots } from '../../src/file-access/file-roots.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { Secret } from '../../src/secret.ts';
import type { MachineDiagnostics } from '../../src/setup/machine-diagnostics.ts';
import { testSignInFlow } from '../fixtures/sign-in-flow.ts';
import { type Fixture, openScriptedService, quietMachine } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService({
    baseUrl: 'https://api.example.com',
    apiKey: new Secret('rf_hush'),
  });
});

afterEach(async () => {
  await fixture.close();
});

function answerWhoami(): void {
  const words = { welcome: 'hi', instructions: '', docs: '' };
  fixture.on('GET /', () => ({ json: { ...words, workspace: 'acme' } }));
}

describe('auth_status', () => {
  it('proves the key by a call', async () => {
    answerWhoami();
    const { summary, data } = await fixture.call('auth_status', {});
    expect(summary).toBe('Signed in to "acme" with FOVEA_API_KEY.');
    expect(data).toEqual({
      status: 'signed_in',
      expires_at: null,
      scopes: null,
      workspace_url: 'acme',
      store: 'environment (FOVEA_API_KEY)',
    });
  });

  it('says that the platform refuses the key', async () => {
    fixture.on('GET /', () => ({ status: 401, json: { error: 'who are you' } }));
    const { data } = await fixture.call('auth_status', {});
    expect(data).toMatchObject({
      status: 'signed_out',
      error: 'The platform refuses the key.',
    });
  });

  it.each([[500], [429]])(
    'says of no key that it is wrong where status %i came',
    async (status) => {
      fixture.on('GET /', () => ({ status, json: { error: 'later' } }));
      const error = await fixture.refused('auth_status', {});
      expect(error.upstream).toMatchObject({ status, message: 'later' });
    },
  );

  it('needs no key for the embedded platform, and does not start it', async () => {
    const embedded = { apiKey: undefined, baseUrl: undefined, workspace: 'local' };
    const settings = { ...fixture.context.settings, ...embedded };
    const { summary, data } = await fixture.call('auth_status', {}, { settings });
    expect(summary).toBe('Signed in to "local" (embedded platform).');
    expect(data).toMatchObject({ status: 'signed_in', workspace_url: 'local' });
    expect(fixture.requests).toEqual([]);
  });
});

describe('doctor', () => {
  const count = { total_count: 7, filtered_count: 7 };

  it('finds nothing wrong, and shows no secret', async () => {
    answerWhoami();
    fixture.on('GET /events/count/stats', () => ({ json: count }));
    const result = await fixture.call('doctor', {});
    expect(result.summary).toBe('All 21 checks passed.');
    expect(result.data.healthy).toBe(true);
    expect(JSON.stringify(result)).toContain('FOVEA_API_KEY');
    expect(JSON.stringify(result)).not.toContain('rf_hush');
  });

  it('names what is wrong with its remedy', async () => {
    fixture.on('GET /', () => ({ status: 403, json: { error: 'no' } }));
    const files = openFileRoots([]);
    const settings = { ...fixture.context.settings, home: await fixture.write('a-file', 'x') };
    const { summary, data } = await fixture.call('doctor', {}, { files, settings });
    expect(summary).toBe('4 of 21 checks failed: data folder, file roots, platform, event store.');
    expect(checksOf(data).slice(0, 12)).toMatchObject([
      { check: 'node', ok: true },
      { check: 'settings', ok: true },
      { check: 'data folder', ok: false, fix: expect.stringContaining('FOVEA_HOME') },
      { check: 'file roots', ok: false, fix: expect.stringContaining('FOVEA_FILE_ROOTS') },
      { check: 'keychain', ok: true },
      { check: 'sign-in', ok: true, detail: expect.stringContaining('FOVEA_API_KEY') },
      { check: 'scopes', ok: true },
      { check: 'platform', ok: false, fix: expect.stringContaining('FOVEA_API_KEY') },
      { check: 'model', ok: true },
      { check: 'embedder', ok: true },
      { check: 'trainer', ok: true },
      { check: 'event store', ok: false, fix: expect.stringContaining('FOVEA_DEVICE_URL') },
    ]);
  });

  it('names the data folder where the embedded platform fails', async () => {
    fixture.on('GET /', () => ({ status: 500, json: { error: 'no' } }));
    fixture.on('GET /events/count/stats', () => ({ json: count }));
    const settings = { ...fixture.context.settings, baseUrl: undefined };
    await fixture.write('home/platform/platform.db', 'made by an earlier call');
    const { data } = await fixture.call('doctor', {}, { settings });
    expect(data).toHaveProperty('checks.7.fix', expect.stringContaining('FOVEA_HOME'));
  });

  /** The check of that name, on a machine that differs from one in order. */
  async function checkOf(
    name: string,
    found: Partial<MachineDiagnostics>,
    changes: Partial<ToolContext> = {},
  ) {
    answerWhoami();
    const machine = async () => ({ ...quietMachine, ...found });
    const { data } = await fixture.call('doctor', {}, { machine, ...changes });
    return checksOf(data).find(({ check }) => check === name);
  }

  it.each([
    [90_000, 'This clock is 90 seconds behind that of the service.', false],
    [-61_000, 'This clock is 61 seconds ahead of that of the service.', false],
    [59_000, 'This clock is 59 seconds behind that of the service.', true],
    [undefined, 'The service did not say its time.', true],
  ])('a clock that is off by %s ms', async (offset, detail, ok) => {
    expect(await checkOf('clock', { clockOffsetMs: async () => offset })).toMatchObject({
      ok,
      detail,
      ...(!ok && { fix: expect.stringContaining('time from the network') }),
    });
  });

  it('an embedding model that is whole, and one that is not', async () => {
    const { settings } = fixture.context;
    const embedded = { settings: { ...settings, baseUrl: undefined, embedder: '/models/clip' } };
    expect(await checkOf('embedder', {}, embedded)).toMatchObject({
      ok: true,
      detail: '"clip" in "/models/clip", 1.0 kB.',
    });
    const embedder = async () => {
      throw invalidArgument('FOVEA_EMBEDDER', 'names a folder without tokenizer.json', 'Add it.');
    };
    expect(await checkOf('embedder', { embedder }, embedded)).toMatchObject({
      ok: false,
      detail: expect.stringContaining('names a folder without tokenizer.json'),
      fix: 'Add it.',
    });
  });

  it.each([
    [{ state: 'absent' }, false, /^"torchvision" is not installed\.$/],
    [
      { state: 'broken', words: "No module named 'torch'" },
      false,
      /^"torchvision" does not run: .*No module named 'torch'/,
    ],
    [
      { state: 'ready', versions: ['torch 2.13.0', 'onnx 1.23.1'], licence: 'BSD-3-Clause' },
      true,
      /^"torchvision" \(BSD-3-Clause\): .*torch 2\.13\.0, onnx 1\.23\.1/,
    ],
  ] as const)('a trainer in Python that is %j', async (state, ok, detail) => {
    const { settings } = fixture.context;
    const embedded = { settings: { ...settings, baseUrl: undefined, trainer: 'torchvision' } };
    const check = await checkOf('trainer', { pythonTrainer: async () => state }, embedded);
    expect(check).toMatchObject({ ok, detail: expect.stringMatching(detail) });
    const fix = expect.stringContaining('fovea trainer install torchvision');
    if (!ok) expect(check).toMatchObject({ fix });
  });

  const signedIn = () => ({
    settings: { ...fixture.context.settings, apiKey: undefined },
    signIn: async () => testSignInFlow({ status: 'signed_in' }),
  });

  it('says what the token does not allow, and until when it is good', async () => {
    const offered = async () => ({
      count: 2,
      tokens: 500,
      scopes: ['image:create', 'project:read'],
      embeddedOnly: [],
    });
    expect(await checkOf('scopes', { offered }, signedIn())).toMatchObject({
      ok: false,
      detail: 'The token does not allow image:create, which offered tools need.',
      fix: expect.stringContaining('auth_sign_in'),
    });
    expect((await checkOf('scopes', {}, signedIn()))?.ok).toBe(true);
    expect(await checkOf('sign-in', {}, signedIn())).toMatchObject({
      ok: true,
      detail: expect.stringContaining('until 2026-11-22T12:00:00.000Z'),
    });
  });

  it('says that the keychain is locked', async () => {
    const secretStore = async () => {
      throw new FoveaError('internal', 'The keychain is locked.');
    };
    expect(await checkOf('keychain', { secretStore }, signedIn())).toEqual({
      check: 'keychain',
      ok: false,
      detail: 'The keychain is locked.',
      fix: 'Unlock the keychain, or set FOVEA_CREDENTIALS=file.',
    });
  });

  it('names servers that were left behind, and how they end', async () => {
    expect(await checkOf('processes', { orphans: async () => [7, 12] })).toMatchObject({
      ok: false,
      detail: 'Left behind by a host that is gone: process 7, 12.',
      fix: 'End them: kill 7 12',
    });
  });

  it('says what the tools cost, and of a smaller profile where that is worth it', async () => {
    expect(await checkOf('tool profile', {})).toEqual({
      check: 'tool profile',
      ok: true,
      detail:
        'full: 80 tools, about 9900 tokens of every conversation. Only platforms of fovea have tasks_list.',
      advice: expect.stringContaining('FOVEA_TOOL_PROFILE=default'),
    });
  });

  it('goes on where one check cannot be made', async () => {
    const revisions = async () => {
      throw new Error('hush');
    };
    expect(await checkOf('protocol', { revisions })).toEqual({
      check: 'protocol',
      ok: false,
      detail: 'Something failed inside Fovea.',
    });
  });
});

const checksSchema = z.array(
  z.object({
    check: z.string(),
    ok: z.boolean(),
    detail: z.string(),
    fix: z.string().optional(),
    advice: z.string().optional(),
  }),
);

function checksOf(data: Readonly<Record<string, unknown>>) {
  return checksSchema.parse(data.checks);
}
