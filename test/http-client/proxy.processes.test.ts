// Fovea as a company runs it: a proxy in the environment, and a certificate of its own.

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { launchFovea } from '../fixtures/fovea.ts';
import { companyCertificate } from '../fixtures/proxy-certificate.ts';
import { serviceUrl, startProxy, startSecure } from './proxied-service.ts';

async function start(variables: Record<string, string> = {}) {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-proxy-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  const file = join(folder, 'company.pem');
  await writeFile(file, companyCertificate);
  const keys: unknown[] = [];
  const target = await startSecure(({ headers }, response) => {
    keys.push(headers.authorization);
    response.setHeader('content-type', 'application/json').end('{"workspace":"acme"}');
  });
  const proxy = await startProxy(target, { login: 'ada:pass' });
  const fovea = await launchFovea({
    FOVEA_BASE_URL: serviceUrl,
    FOVEA_API_KEY: 'key-1',
    HTTPS_PROXY: `http://ada:pass@127.0.0.1:${proxy.port}`,
    NODE_EXTRA_CA_CERTS: file,
    ...variables,
  });
  onTestFinished(() => fovea.close());
  return { fovea, proxy, keys };
}

test('a hosted platform is reached through the proxy, by its own certificate', async () => {
  const { fovea, proxy, keys } = await start();
  expect(await fovea.ok('workspace_whoami')).toMatchObject({ workspace: 'acme' });
  // The start asks what the platform is, without the key.
  expect(keys).toEqual([undefined, 'Bearer key-1']);
  const tunnel = 'CONNECT api.fovea.example:443';
  expect(proxy.seen).toEqual([tunnel, tunnel]);
  const { text } = await fovea.call('doctor');
  const way = 'The platform is reached through the proxy of HTTPS_PROXY.';
  expect(text).toContain(`${way} Further certificates are trusted.`);
  expect(text).not.toContain(String(proxy.port));
  expect(text).not.toContain('ada');
});

test('a certificate that nobody named is not trusted', async () => {
  const { fovea, keys } = await start({ NODE_EXTRA_CA_CERTS: '' });
  const { isError, text } = await fovea.call('workspace_whoami');
  expect(isError).toBe(true);
  expect(text).toContain('could not be reached (DEPTH_ZERO_SELF_SIGNED_CERT)');
  expect(text).toContain('NODE_EXTRA_CA_CERTS');
  expect(keys).toEqual([]);
});

test('the embedded platform is never asked of a proxy', async () => {
  const { fovea, proxy } = await start({ FOVEA_BASE_URL: '', FOVEA_API_KEY: '' });
  const variables = await fovea.ok('workspace_whoami');
  expect(variables).toMatchObject({ workspace: 'local' });
  await fovea.ok('events_list');
  expect(proxy.seen).toEqual([]);
});

test('where NO_PROXY names the platform, the doctor says so', async () => {
  const { fovea, proxy } = await start({ NO_PROXY: 'fovea.example' });
  const { text } = await fovea.call('doctor');
  expect(text).toContain('HTTPS_PROXY set; the platform is reached directly.');
  expect(proxy.seen).toEqual([]);
});
