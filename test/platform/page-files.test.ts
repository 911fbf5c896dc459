// The page of the platform as files: who gets it, what it loads, and what it may do.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

const browserAccept = 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8';

function get(path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') {
  return fetch(platform.url + path, { method, headers });
}

describe('at / there is', () => {
  test.each([
    ['text/html'],
    [browserAccept],
    ['TEXT/HTML'],
    ['application/json;q=0.5, text/html'],
    ['text/*, application/json;q=0.9'],
  ])('the page for %s, without a credential', async (accept) => {
    const answer = await get('/', { accept });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
    expect(answer.headers.get('vary')).toBe('Accept');
    expect(await answer.text()).toContain('<title>Fovea</title>');
  });

  test.each([
    ['*/*'],
    ['application/json'],
    ['application/json, text/html'],
    ['text/html;q=0'],
    ['text/html;q=a, application/json'],
    ['text/plain'],
    [''],
  ])('the operation for "%s"', async (accept) => {
    const headers = { accept, authorization: `Bearer ${platform.key}` };
    const answer = await get('/', headers);
    expect(answer.status).toBe(200);
    expect(answer.headers.get('vary')).toBe('Accept');
    expect(await answer.json()).toMatchObject({
      workspace: 'acme',
      docs: `${platform.url}/docs`,
    });
    const refused = await get('/', { accept });
    expect([refused.status, refused.headers.get('vary')]).toEqual([401, 'Accept']);
  });

  test('the head of either', async () => {
    const page = await get('/', { accept: 'text/html' }, 'HEAD');
    expect([page.status, await page.text()]).toEqual([200, '']);
    expect(Number(page.headers.get('content-length'))).toBeGreaterThan(1_000);
    expect((await get('/', { accept: '*/*' }, 'HEAD')).status).toBe(401);
    // The key check of the vendor's Python client, and no page.
    expect((await get('/', { accept: 'text/html' }, 'POST')).status).toBe(401);
    const put = await get('/', { accept: 'text/html' }, 'PUT');
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST']);
  });
});

test('what the page names is there, and nothing is inline', async () => {
  const html = await (await get('/', { accept: 'text/html' })).text();
  const named = [...html.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path]) => path ?? '');
  expect(named.length).toBeGreaterThan(5);
  for (const path of await withImports(named)) {
    const answer = await get(path);
    expect({ path, status: answer.status }).toEqual({ path, status: 200 });
    const policy = answer.headers.get('content-security-policy') ?? '';
    expect(policy).toContain("default-src 'none'; script-src 'self'; style-src 'self'");
    expect(policy).toContain("require-trusted-types-for 'script'");
    expect(policy).not.toContain('unsafe');
    const etag = answer.headers.get('etag') ?? '';
    expect((await get(path, { 'if-none-match': etag })).status).toBe(304);
  }
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|style="/);
});

/** These files, and all that their imports name, as a browser resolves them. */
async function withImports(paths: readonly string[]): Promise<ReadonlySet<string>> {
  const found = new Set<string>();
  const waiting = [...paths];
  for (let path = waiting.pop(); path !== undefined; path = waiting.pop()) {
    if (found.has(path)) continue;
    found.add(path);
    if (!path.endsWith('.js')) continue;
    const text = await (await get(path)).text();
    for (const [, name = ''] of text.matchAll(/^(?:import|\}).*from '([^']+)';$/gm)) {
      waiting.push(new URL(name, platform.url + path).pathname);
    }
  }
  return found;
}

test.each([
  '/page/',
  '/page/platform/platform-page/types.ts',
  '/page/platform/platform-page/tsconfig.json',
  '/page/platform/platform-page/..%2fplatform.ts',
  '/page/platform/platform-page/%2e%2e/platform.ts',
  '/page/event-store/page/main.js',
])('the files are a closed list: %s is nothing', async (path) => {
  expect((await get(path)).status).toBe(404);
});
