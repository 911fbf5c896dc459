// auth_status with a key and without any service, and doctor: what they say of a setup, and what
// they never say.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { openFileRoots } from '../../src/boundary/file-roots.ts';
import { Secret } from '../../src/secret.ts';
import { type Kit, openKit } from './kit.ts';

let kit: Kit;

beforeEach(async () => {
  kit = await openKit({ baseUrl: 'https://api.example.com', apiKey: new Secret('rf_hush') });
});

afterEach(async () => {
  await kit.close();
});

function answerWhoami(): void {
  const words = { welcome: 'hi', instructions: '', docs: '' };
  kit.on('GET /', () => ({ json: { ...words, workspace: 'acme' } }));
}

describe('auth_status', () => {
  it('proves the key by a call', async () => {
    answerWhoami();
    const { summary, data } = await kit.call('auth_status', {});
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
    kit.on('GET /', () => ({ status: 401, json: { error: 'who are you' } }));
    const { data } = await kit.call('auth_status', {});
    expect(data).toMatchObject({
      status: 'signed_out',
      error: 'The platform refuses the key.',
    });
  });

  it.each([[500], [429]])(
    'says of no key that it is wrong where status %i came',
    async (status) => {
      kit.on('GET /', () => ({ status, json: { error: 'later' } }));
      const error = await kit.refused('auth_status', {});
      expect(error.upstream).toMatchObject({ status, message: 'later' });
    },
  );

  it('needs no key for the embedded platform, and does not start it', async () => {
    const embedded = { apiKey: undefined, baseUrl: undefined, workspace: 'local' };
    const settings = { ...kit.context.settings, ...embedded };
    const { summary, data } = await kit.call('auth_status', {}, { settings });
    expect(summary).toBe('Signed in to "local" (embedded platform).');
    expect(data).toMatchObject({ status: 'signed_in', workspace_url: 'local' });
    expect(kit.requests).toEqual([]);
  });
});

describe('doctor', () => {
  const count = { total_count: 7, filtered_count: 7 };

  it('finds nothing wrong, and shows no secret', async () => {
    answerWhoami();
    kit.on('GET /events/count/stats', () => ({ json: count }));
    const result = await kit.call('doctor', {});
    expect(result.summary).toBe('All 7 checks passed.');
    expect(result.data.healthy).toBe(true);
    expect(JSON.stringify(result)).toContain('FOVEA_API_KEY');
    expect(JSON.stringify(result)).not.toContain('rf_hush');
  });

  it('names what is wrong with its remedy', async () => {
    kit.on('GET /', () => ({ status: 403, json: { error: 'no' } }));
    const files = openFileRoots([]);
    const settings = { ...kit.context.settings, home: await kit.write('a-file', 'x') };
    const { summary, data } = await kit.call('doctor', {}, { files, settings });
    expect(summary).toBe('4 of 7 checks failed: data folder, file roots, platform, event store.');
    expect(data.checks).toMatchObject([
      { check: 'node', ok: true },
      { check: 'settings', ok: true },
      { check: 'data folder', ok: false, fix: expect.stringContaining('FOVEA_HOME') },
      { check: 'file roots', ok: false, fix: expect.stringContaining('FOVEA_FILE_ROOTS') },
      { check: 'sign-in', ok: true, detail: expect.stringContaining('FOVEA_API_KEY') },
      { check: 'platform', ok: false, fix: expect.stringContaining('FOVEA_API_KEY') },
      { check: 'event store', ok: false, fix: expect.stringContaining('FOVEA_DEVICE_URL') },
    ]);
  });

  it('names the data folder where the embedded platform fails', async () => {
    kit.on('GET /', () => ({ status: 500, json: { error: 'no' } }));
    kit.on('GET /events/count/stats', () => ({ json: count }));
    const settings = { ...kit.context.settings, baseUrl: undefined };
    const { data } = await kit.call('doctor', {}, { settings });
    expect(data).toHaveProperty('checks.5.fix', expect.stringContaining('FOVEA_HOME'));
  });
});
