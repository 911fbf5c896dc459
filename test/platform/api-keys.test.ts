// API keys: shown once, kept as hashes, and never worth more than whoever made or changed them.

import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { scopes as allScopes } from '../../src/contract/scopes.ts';
import { scopeSections } from '../../src/platform/api-keys/granted-scopes.ts';
import { type OtherWorkspace, startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { filesBelow, leaks } from '../sign-in/secret-leaks.ts';
import { makeFolder, makeKey, messageOf, send, typeOf } from './api-key-requests.ts';
import { createTestTokens } from './test-tokens.ts';

const tokens = createTestTokens();
let platform: TestPlatform;
let other: OtherWorkspace;

beforeAll(async () => {
  platform = await startTestPlatform({ verifyAccessToken: tokens.verify });
  other = await platform.otherWorkspace();
});

afterAll(() => platform.close());

const as = (key: string | undefined, line: string, body?: unknown) =>
  send(platform, key, line, body);
const admin = (line: string, body?: unknown) => as(platform.key, line, body);
const limited = (...scopes: string[]) => makeKey(platform, { scopes });
const keyOf = async (id: string) => (await admin(`GET /acme/api-keys/${id}`)).body;

describe('a new key', () => {
  test('is answered once, with its secret, and works in header, query and body', async () => {
    const made = await makeKey(platform, {
      name: 'Line 4',
      customMetadata: { owner: 'ada', shifts: [1, 2] },
    });
    expect(made).toMatchObject({
      name: 'Line 4',
      scopes: null,
      folderIds: null,
      protected: false,
      key: expect.stringMatching(/^fvk_[\w-]{43}$/),
      publishableKey: expect.stringMatching(/^fvp_[\w-]{43}$/),
    });
    expect(made.prefix).toBe(made.key.slice(0, 8));
    expect((await as(made.key, 'GET /')).body).toMatchObject({ workspace: 'acme' });
    expect((await as(undefined, `GET /?api_key=${made.key}`)).status).toBe(200);
    const inBody = { api_key: made.key, name: 'From body' };
    expect((await as(undefined, 'POST /acme/api-keys', inBody)).status).toBe(201);
    expect(await keyOf(made.keyId)).toEqual({
      apiKey: {
        keyId: made.keyId,
        name: 'Line 4',
        prefix: made.key.slice(0, 8),
        scopes: null,
        folderIds: null,
        default: false,
        protected: false,
        disabled: false,
        created_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        rotationDueAt: null,
        created_by: 'environment',
        last_used_on: expect.stringMatching(/^\d{4}-\d\d-\d\dT.*Z$/),
        customMetadata: { owner: 'ada', shifts: [1, 2] },
      },
    });
  });

  test('belongs to the workspace of its maker, whatever the address says', async () => {
    expect((await as(other.key, 'GET /')).body).toMatchObject({ workspace: 'globex' });
    expect((await as(other.key, 'POST /acme/api-keys', {})).status).toBe(403);
    const theirs = await as(other.key, 'POST /globex/api-keys', { name: 'Theirs' });
    expect(theirs.status).toBe(201);
    expect(JSON.stringify((await admin('GET /acme/api-keys')).body)).not.toContain('Theirs');
  });

  test('names who made it: a key, the holder of a token', async () => {
    const maker = await limited('credentials:create', 'credentials:read');
    const made = await makeKey(platform, {}, maker.key);
    expect(await keyOf(made.keyId)).toMatchObject({ apiKey: { created_by: `key:${maker.keyId}` } });
    const token = tokens.issue({ scopes: new Set(['credentials:create']) });
    const byToken = await makeKey(platform, {}, token);
    expect(await keyOf(byToken.keyId)).toMatchObject({ apiKey: { created_by: 'token:ada' } });
  });

  test('two at once are two', async () => {
    const made = await Promise.all(Array.from({ length: 8 }, () => makeKey(platform)));
    expect(new Set(made.map(({ key }) => key)).size).toBe(8);
    expect(new Set(made.map(({ keyId }) => keyId)).size).toBe(8);
  });
});

describe('scopes', () => {
  test('left out are those of the caller', async () => {
    expect(await makeKey(platform)).toMatchObject({ scopes: null });
    const maker = await limited('image:read', 'credentials:create');
    expect(await makeKey(platform, {}, maker.key)).toMatchObject({
      scopes: ['image:read', 'credentials:create'],
    });
    const token = tokens.issue({ scopes: new Set(['credentials:create', 'openid']) });
    expect(await makeKey(platform, {}, token)).toMatchObject({
      scopes: ['openid', 'credentials:create'],
    });
  });

  test('null is full access, and an empty list none', async () => {
    const full = await makeKey(platform, { scopes: null });
    expect((await as(full.key, 'GET /acme')).status).toBe(200);
    const none = await makeKey(platform, { scopes: [] });
    expect(none).toMatchObject({ scopes: [] });
    for (const line of ['GET /', 'GET /acme', 'GET /acme/api-keys', 'POST /acme/api-keys']) {
      expect((await as(none.key, line)).status).toBe(403);
    }
  });

  test('a list allows these and nothing else, and the answer names what is missing', async () => {
    const reader = await limited('workspace:read', 'project:read');
    expect((await as(reader.key, 'GET /acme')).status).toBe(200);
    const refused = await as(reader.key, 'POST /acme/projects', { name: 'x' });
    expect(refused.status).toBe(403);
    expect(refused.headers.get('www-authenticate')).toBe(
      'Bearer error="insufficient_scope", scope="project:create"',
    );
    expect(refused.body).toEqual({
      error: {
        message: 'projects_create needs the scope project:create.',
        type: 'forbidden',
        hint: 'Use an API key with the scope project:create.',
      },
    });
  });

  test('sections stand for what is in them, in the order of the specification, each once', async () => {
    const made = await makeKey(platform, { scopes: ['statistics', 'images', 'image:tag'] });
    expect(made).toMatchObject({
      scopes: ['image:create', 'image:read', 'image:tag', 'image:annotate', 'workspace-stats:read'],
    });
  });

  test('every scope is in one section', () => {
    expect(Object.values(scopeSections).flat().sort()).toEqual([...allScopes].sort());
  });

  test('unknown ones are refused all at once, each with the nearest', async () => {
    const answer = await admin('POST /acme/api-keys', {
      scopes: ['image:raed', 'image:read', 'everything'],
    });
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toMatch(
      /^scopes\[0\]: is no scope; did you mean "image:read"\?; scopes\[2\]: is no scope; scopes that only read/,
    );
  });

  test.each(['constructor', '__proto__', 'toString', '*', 'image:*', 'IMAGE:READ', ' image:read'])(
    '%s is none',
    async (name) => {
      expect((await admin('POST /acme/api-keys', { scopes: [name] })).status).toBe(400);
    },
  );
});

describe('nobody gives more than they have', () => {
  const all = 'Only a credential with full access gives full access.';

  test('a key makes no key with another scope, a section, or full access', async () => {
    const maker = await limited('image:read', 'credentials:create');
    const make = (scopes: unknown) => as(maker.key, 'POST /acme/api-keys', { scopes });
    const asked = await make(['image:read', 'image:tag']);
    expect([asked.status, messageOf(asked)]).toEqual([
      403,
      'The caller has not the scope image:tag.',
    ]);
    expect((await make(['images'])).status).toBe(403);
    expect(messageOf(await make(null))).toBe(all);
    expect((await make(['image:read'])).status).toBe(201);
    expect((await make([])).status).toBe(201);
  });

  test('nor does a token', async () => {
    const token = tokens.issue({ scopes: new Set(['credentials:create', 'project:read']) });
    const asked = await as(token, 'POST /acme/api-keys', { scopes: ['project:update'] });
    expect(asked.status).toBe(403);
    expect(messageOf(await as(token, 'POST /acme/api-keys', { scopes: null }))).toBe(all);
  });

  test('a key does not widen itself or another one', async () => {
    const self = await limited('image:read', 'credentials:update');
    const peer = await limited('image:read');
    for (const { keyId } of [self, peer]) {
      const line = `PATCH /acme/api-keys/${keyId}`;
      expect((await as(self.key, line, { scopes: null })).status).toBe(403);
      expect((await as(self.key, line, { scopes: ['image:tag'] })).status).toBe(403);
    }
    expect(await keyOf(self.keyId)).toMatchObject({
      apiKey: { scopes: ['image:read', 'credentials:update'] },
    });
    expect(await keyOf(peer.keyId)).toMatchObject({ apiKey: { scopes: ['image:read'] } });
  });

  test('a key does not enable a stronger one that was disabled', async () => {
    const leaked = await makeKey(platform, { scopes: null });
    const weak = await limited('image:read', 'credentials:update');
    const line = `PATCH /acme/api-keys/${leaked.keyId}`;
    expect((await as(weak.key, line, { disabled: true })).status).toBe(200);
    expect((await as(leaked.key, 'GET /')).status).toBe(401);
    const enabled = await as(weak.key, line, { disabled: false });
    expect([enabled.status, messageOf(enabled)]).toEqual([
      403,
      'The caller may not enable a key that may do more than it.',
    ]);
    // Nor by giving it fewer scopes in the same breath: the change is all or nothing.
    const both = await as(weak.key, line, { disabled: false, scopes: ['image:read'] });
    expect(both.status).toBe(403);
    expect((await as(leaked.key, 'GET /')).status).toBe(401);
    expect((await admin(line, { disabled: false })).status).toBe(200);
    expect((await as(leaked.key, 'GET /')).status).toBe(200);
  });

  test('a key without full access protects none, itself included', async () => {
    const thief = await limited('credentials:update', 'credentials:create');
    const line = `PATCH /acme/api-keys/${thief.keyId}`;
    expect((await as(thief.key, line, { protected: true })).status).toBe(403);
    expect((await as(thief.key, 'POST /acme/api-keys', { protected: true })).status).toBe(403);
    expect((await admin(`DELETE /acme/api-keys/${thief.keyId}`)).status).toBe(200);
  });
});

describe('a change', () => {
  test('says what to change, and leaves the rest', async () => {
    const { keyId } = await makeKey(platform, { name: 'One', customMetadata: { a: 1 } });
    const line = `PATCH /acme/api-keys/${keyId}`;
    expect((await admin(line, {})).status).toBe(400);
    expect((await admin(line, { colour: 'red' })).status).toBe(400);
    expect((await admin(line, { name: 'Two' })).body).toMatchObject({
      apiKey: { name: 'Two', scopes: null, customMetadata: { a: 1 } },
    });
    expect((await admin(line, { customMetadata: {} })).body).toMatchObject({
      apiKey: { name: 'Two', customMetadata: {} },
    });
  });

  test('of the scopes holds for the next call, also for the caller itself', async () => {
    const self = await makeKey(platform);
    const line = `PATCH /acme/api-keys/${self.keyId}`;
    expect((await as(self.key, line, { scopes: ['workspace:read'] })).status).toBe(200);
    expect((await as(self.key, line, { scopes: null })).status).toBe(403);
    expect((await as(self.key, 'GET /')).status).toBe(200);
    expect((await admin(line, { scopes: [] })).status).toBe(200);
    expect((await as(self.key, 'GET /')).status).toBe(403);
    expect((await admin(line, { scopes: null })).status).toBe(200);
    expect((await as(self.key, 'GET /acme/api-keys')).status).toBe(200);
  });

  test.each([
    ['a name that is none', { name: '' }],
    ['a name of another type', { name: 7 }],
    ['scopes that are no list', { scopes: 'image:read' }],
    ['a scope that is no text', { scopes: [1] }],
    ['metadata that is no object', { customMetadata: [1] }],
    ['protection that is no boolean', { protected: 'true' }],
    ['both at once', { protected: true, disabled: true }],
  ])('is refused for %s', async (_name, body) => {
    const { keyId } = await makeKey(platform);
    expect((await admin(`PATCH /acme/api-keys/${keyId}`, body)).status).toBe(400);
    expect(await keyOf(keyId)).toMatchObject({
      apiKey: { name: null, scopes: null, protected: false, disabled: false, customMetadata: {} },
    });
  });

  test('takes no metadata beyond 16 KiB, counted in bytes', async () => {
    const { keyId } = await makeKey(platform);
    const line = `PATCH /acme/api-keys/${keyId}`;
    // {"note":"…"} has 11 bytes beside its value; ä has two.
    const fits = { note: 'ä'.repeat((16_384 - 11 - 1) / 2) };
    expect((await admin(line, { customMetadata: fits })).status).toBe(200);
    const over = { note: `${fits.note}ä` };
    expect((await admin(line, { customMetadata: over })).status).toBe(400);
    expect((await admin('POST /acme/api-keys', { customMetadata: over })).status).toBe(400);
  });
});

describe('disabled and revoked', () => {
  test('keys are as unknown as any other text, and a list leaves the first out', async () => {
    const { keyId, key } = await makeKey(platform, { name: 'To be disabled' });
    const line = `/acme/api-keys/${keyId}`;
    await admin(`PATCH ${line}`, { disabled: true });
    const disabled = await as(key, 'GET /');
    expect(disabled.status).toBe(401);
    expect(disabled.body).toEqual((await as(`fvk_${'A'.repeat(43)}`, 'GET /')).body);
    expect(JSON.stringify((await admin('GET /acme/api-keys')).body)).not.toContain(keyId);
    const whole = await admin('GET /acme/api-keys?includeDisabled=true');
    expect(JSON.stringify(whole.body)).toContain(keyId);
    await admin(`PATCH ${line}`, { disabled: false });
    expect((await as(key, 'GET /')).status).toBe(200);
    expect((await admin(`DELETE ${line}`)).body).toEqual({ status: 'revoked', keyId });
    expect((await as(key, 'GET /')).body).toEqual(disabled.body);
    for (const method of ['GET', 'PATCH', 'DELETE']) {
      const body = method === 'PATCH' ? { name: 'x' } : undefined;
      expect((await admin(`${method} ${line}`, body)).status).toBe(404);
    }
  });

  test('a key revokes itself, and is gone in another process of the same folder', async () => {
    const second = await startTestPlatform({ data: platform.data });
    try {
      const { keyId, key } = await makeKey(platform);
      expect((await send(second, key, 'GET /')).status).toBe(200);
      expect((await send(second, key, `DELETE /acme/api-keys/${keyId}`)).status).toBe(200);
      expect((await as(key, 'GET /')).status).toBe(401);
    } finally {
      await second.close();
    }
  });
});

describe('a protected key', () => {
  test('is neither disabled nor revoked nor rolled, and nobody takes that away', async () => {
    const { keyId, key } = await makeKey(platform, { protected: true });
    const line = `/acme/api-keys/${keyId}`;
    const refused = await admin(`PATCH ${line}`, { disabled: true });
    expect([refused.status, typeOf(refused)]).toEqual([409, 'conflict']);
    expect((await admin(`DELETE ${line}`)).status).toBe(409);
    expect((await admin(`POST ${line}/roll`)).status).toBe(409);
    expect((await admin(`PATCH ${line}`, { protected: false })).status).toBe(403);
    expect((await admin(`PATCH ${line}`, { protected: false, disabled: true })).status).toBe(403);
    expect((await as(key, 'GET /')).status).toBe(200);
    expect((await admin(`PATCH ${line}`, { protected: true, name: 'Kept' })).status).toBe(200);
  });

  test('can be left without use, by full access alone', async () => {
    const { keyId, key } = await makeKey(platform, { protected: true });
    const line = `PATCH /acme/api-keys/${keyId}`;
    const weak = await limited('credentials:update');
    expect((await as(weak.key, line, { scopes: [] })).status).toBe(403);
    expect((await admin(line, { scopes: [] })).status).toBe(200);
    expect((await as(key, 'GET /')).status).toBe(403);
  });

  test('may have been disabled before, and stays so', async () => {
    const { keyId } = await makeKey(platform);
    const line = `PATCH /acme/api-keys/${keyId}`;
    await admin(line, { disabled: true });
    expect((await admin(line, { protected: true })).body).toMatchObject({
      apiKey: { protected: true, disabled: true },
    });
  });
});

describe('a roll', () => {
  test('gives a new secret and id, keeps the rest, and ends the old one', async () => {
    const old = await makeKey(platform, { name: 'Camera', scopes: ['workspace:read'] });
    const rolled = await admin(`POST /acme/api-keys/${old.keyId}/roll`);
    expect(rolled.status).toBe(201);
    expect(rolled.body).toMatchObject({
      name: 'Camera',
      scopes: ['workspace:read'],
      revokedKeyId: old.keyId,
      key: expect.stringMatching(/^fvk_[\w-]{43}$/),
    });
    expect((await as(old.key, 'GET /')).status).toBe(401);
    expect(JSON.stringify(rolled.body)).not.toContain(old.key);
    expect((await admin(`POST /acme/api-keys/${old.keyId}/roll`)).status).toBe(404);
  });

  test('of a stronger key would give its power away', async () => {
    const strong = await makeKey(platform);
    const weak = await limited('credentials:update');
    expect((await as(weak.key, `POST /acme/api-keys/${strong.keyId}/roll`)).status).toBe(403);
    expect((await as(strong.key, 'GET /')).status).toBe(200);
    const self = await as(weak.key, `POST /acme/api-keys/${weak.keyId}/roll`);
    expect(self.body).toMatchObject({ scopes: ['credentials:update'] });
  });
});

describe('a publishable key', () => {
  const publishable = async (key = platform.key) =>
    (await as(key, 'GET /acme/api-keys/publishable')).body;

  test('is one per workspace, the same wherever it is shown', async () => {
    const made = await makeKey(platform);
    expect(await publishable()).toEqual({ publishableKey: made.publishableKey });
    expect((await admin('GET /acme/api-keys')).body).toMatchObject({
      publishableKey: made.publishableKey,
    });
    const theirs = await as(other.key, 'GET /globex/api-keys/publishable');
    expect(theirs.body).not.toEqual(await publishable());
  });

  test('opens nothing but a model', async () => {
    const { publishableKey: key } = await makeKey(platform);
    for (const line of ['GET /', 'GET /acme', 'GET /acme/api-keys', 'POST /acme/api-keys']) {
      const answer = await as(key, line);
      expect([line, answer.status, typeOf(answer)]).toEqual([line, 403, 'forbidden']);
    }
    expect((await as(key.slice(0, -1), 'GET /')).status).toBe(401);
  });
});

describe('a key for folders', () => {
  test('names folders of its own workspace, each once', async () => {
    const folder = await makeFolder(platform, { name: 'Line 4' });
    const made = await makeKey(platform, { folderIds: [folder, folder] });
    expect(made).toMatchObject({ folderIds: [folder] });
    const listed = await admin('GET /acme/api-keys?includeFolders=true');
    expect(listed.body).toMatchObject({
      apiKeys: expect.arrayContaining([
        expect.objectContaining({ keyId: made.keyId, folders: [{ id: folder, name: 'Line 4' }] }),
      ]),
    });
    const theirs = await as(other.key, 'POST /globex/api-keys', { folderIds: [folder] });
    expect([theirs.status, messageOf(theirs)]).toEqual([400, 'folderIds[0]: is no folder here']);
    expect((await admin('POST /acme/api-keys', { folderIds: [] })).status).toBe(400);
    const unknown = await admin('POST /acme/api-keys', { folderIds: [folder, 'nowhere'] });
    expect(messageOf(unknown)).toBe('folderIds[1]: is no folder here');
  });

  test('manages no keys, whatever its scopes are, and does not see the publishable one', async () => {
    const folder = await makeFolder(platform, { name: 'Line 5' });
    const { key, keyId } = await makeKey(platform, { folderIds: [folder], scopes: null });
    const lines: [string, unknown?][] = [
      ['GET /acme/api-keys'],
      ['POST /acme/api-keys', {}],
      ['POST /acme/api-keys', { folderIds: [folder] }],
      ['GET /acme/api-keys/publishable'],
      [`GET /acme/api-keys/${keyId}`],
      [`PATCH /acme/api-keys/${keyId}`, { name: 'x' }],
      [`POST /acme/api-keys/${keyId}/roll`],
      [`DELETE /acme/api-keys/${keyId}`],
    ];
    for (const [line, body] of lines)
      expect([line, (await as(key, line, body)).status]).toEqual([line, 403]);
  });
});

describe('ids of another workspace', () => {
  test('are not there', async () => {
    const theirs = await as(other.key, 'POST /globex/api-keys', {});
    const { keyId } = Object.assign({ keyId: '' }, theirs.body);
    expect(keyId).not.toBe('');
    for (const [method, body] of [['GET'], ['PATCH', { name: 'x' }], ['DELETE']] as const) {
      expect((await admin(`${method} /acme/api-keys/${keyId}`, body)).status).toBe(404);
      expect((await admin(`${method} /globex/api-keys/${keyId}`, body)).status).toBe(403);
    }
    expect((await admin(`POST /acme/api-keys/${keyId}/roll`)).status).toBe(404);
  });
});

test('no more than 1,000 keys in a workspace, the disabled ones included', async () => {
  const full = await startTestPlatform();
  try {
    const first = await makeKey(full);
    // A few at a time: nobody has a thousand connections.
    const lane = async (count: number) => {
      for (let n = 0; n < count; n += 1) await makeKey(full);
    };
    await Promise.all([...Array.from({ length: 9 }, () => lane(100)), lane(98)]);
    const makeOne = () => send(full, full.key, 'POST /acme/api-keys', {});
    await send(full, full.key, `PATCH /acme/api-keys/${first.keyId}`, { disabled: true });
    const answers = await Promise.all([makeOne(), makeOne()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409]);
  } finally {
    await full.close();
  }
});

test('a secret is in no file, log or answer but the first one', async () => {
  const lines: string[] = [];
  const { createLog } = await import('../../src/log.ts');
  const log = createLog('debug', (line) => void lines.push(line));
  const quiet = await startTestPlatform({ log, rateLimit: 1_000 });
  try {
    const { key, keyId } = await makeKey(quiet, { name: 'Canary' });
    const answers = [
      await send(quiet, key, 'GET /acme/api-keys'),
      await send(quiet, key, `GET /acme/api-keys/${keyId}`),
      await send(quiet, key, `PATCH /acme/api-keys/${keyId}`, { name: 'x', scopes: [key] }),
      await send(quiet, undefined, `GET /acme?api_key=${key}`),
      await send(quiet, undefined, `POST /acme/projects?api_key=${key}`, { api_key: key, name: 7 }),
      await send(quiet, key, 'GET /acme/nothing', undefined),
      await send(quiet, `${key}x`, 'GET /acme'),
      await send(quiet, key, `DELETE /acme/api-keys/${key}`),
    ];
    const bodies = answers.map(({ body }) => ({ name: 'answer', content: JSON.stringify(body) }));
    const written = [...(await filesBelow(quiet.data)), { name: 'log', content: lines.join('') }];
    expect(leaks({ key }, [...bodies, ...written])).toEqual([]);
    expect(lines.length).toBeGreaterThan(5);
  } finally {
    await quiet.close();
  }
});
