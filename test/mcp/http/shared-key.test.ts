// With one key for all callers nobody gets a key of their own: it would have the same rights.

import { expect, test } from 'vitest';
import { callMessage, post } from '../../fixtures/mcp-http-server.ts';
import { addApplication, addPerson, launch, makeHome, signInAt } from './http-process.ts';
import { startProxy } from './proxy.ts';

test('no API key is made or changed, whatever a caller was granted', async () => {
  const home = await makeHome();
  const platform = await launch('platform', home, {
    FOVEA_API_KEY: 'the-key',
    FOVEA_WORKSPACE: 'acme',
  });
  const proxy = await startProxy(platform.url);
  const publicUrl = 'http://127.0.0.1:1';
  const resource = `${publicUrl}/mcp`;
  await addApplication(home, resource);
  const application = await addApplication(home);
  const ada = await addPerson(home, 'ada', 'acme');
  const running = await launch('http', await makeHome(), {
    FOVEA_BASE_URL: proxy.url,
    FOVEA_AUTH_URL: platform.url,
    FOVEA_API_KEY: 'the-key',
    FOVEA_PUBLIC_URL: publicUrl,
  });
  const scope = 'openid credentials:create credentials:read credentials:update workspace:read';
  const { accessToken } = await signInAt(platform.url, application, ada, { scope, resource });
  const call = async (name: string, args: Record<string, unknown> = {}) => {
    const { params, ...message } = callMessage(name);
    const asked = { ...message, params: { ...params, arguments: args } };
    return (await post(running.mcp, accessToken, asked)).text();
  };
  expect(await call('api_keys_list')).toContain('publishableKey');
  const before = proxy.requests.length;
  for (const [name, args] of [
    ['api_keys_create', {}],
    ['api_keys_create', { fullAccess: true }],
    ['api_keys_create', { scopes: ['workspace:read'] }],
    ['api_keys_update', { keyId: 'k', fullAccess: true }],
  ] as const) {
    const answer = await call(name, args);
    expect(answer).toContain('forbidden');
    expect(answer).not.toContain('fvk_');
  }
  const made = proxy.requests.slice(before).filter(({ path }) => path.includes('api-keys'));
  expect(made).toEqual([]);
}, 60_000);
