// Authentication, scopes, and the refusals that come from them.

import assert from 'node:assert/strict';
import { expectStatus } from '../../../conformance/http.ts';
import type { StatementNumber } from '../../../conformance/statements.ts';
import { check, type FamilyChecks, type Kit } from '../check.ts';
import type { Client } from '../client.ts';
import { ask, given, newProject, refused } from '../steps.ts';
import { withKey } from './api-keys.ts';

/** The scopes of a section, and what a key with these alone may ask; undefined: nothing to ask. */
const sections: readonly [
  StatementNumber,
  readonly string[],
  ((kit: Kit) => string) | undefined,
][] = [
  ['26.1', ['workspace:read', 'project:create', 'project:read', 'project:update'], home],
  ['26.2', ['image:create', 'image:read', 'image:tag', 'image:annotate'], undefined],
  ['26.3', ['model:infer', 'model:deploy', 'model:manage', 'model-eval:read'], undefined],
  ['26.4', ['workflow:create', 'workflow:read', 'workflow:update'], undefined],
  ['26.5', ['version:create', 'version:read', 'version:update'], undefined],
  ['26.6', ['training-job:create'], undefined],
  ['26.7', ['folder:create', 'folder:read', 'folder:update', 'folder:delete'], below('groups')],
  ['26.8', ['device:read', 'device:update'], undefined],
  ['26.9', ['vision-events:read', 'vision-events:write', 'vision-events:manage'], undefined],
  ['26.10', ['annotation-job:create', 'annotation-job:read'], undefined],
  ['26.10', ['video-inference-job:create', 'video-inference-job:read'], undefined],
  ['26.11', ['integration:create', 'integration:delete', 'credentials:create'], undefined],
  ['26.11', ['credentials:read', 'credentials:update', 'credentials:delete'], below('api-keys')],
  ['26.12', ['data-staging:read', 'data-staging:write', 'data-staging:delete'], undefined],
  ['26.13', ['batch-processing:read', 'batch-processing:trigger', 'batch:read'], undefined],
  ['26.14', ['workspace-stats:read'], below('inference-stats')],
  ['26.15', ['openid', 'profile', 'email'], undefined],
];

function home({ workspace }: Kit): string {
  return `/${workspace}`;
}

function below(segment: string) {
  return ({ workspace }: Kit) => `/${workspace}/${segment}`;
}

/** A key with these scopes alone does what they allow, and nothing else. */
async function holdsTo(
  kit: Kit,
  scopes: readonly string[],
  allowed: ((kit: Kit) => string) | undefined,
): Promise<void> {
  await withKey(kit, { scopes }, async ({ key }) => {
    const client = kit.clientWith(key);
    if (allowed) await ask(client, { path: allowed(kit) }, 200);
    for (const [scope, path] of probes) {
      if (!scopes.includes(scope)) await refused(client, { path: path(kit) }, 403);
    }
  });
}

/** What asks for a scope each. */
const probes: readonly [string, (kit: Kit) => string][] = [
  ['workspace:read', home],
  ['credentials:read', below('api-keys')],
  ['folder:read', below('groups')],
  ['workspace-stats:read', below('inference-stats')],
];

const places = ['25.1', '25.2', '25.3', '9.1'] as const;

export const accessChecks: FamilyChecks = {
  default: [
    check('a key in the header, in the query, and in the body of a POST', places, async (kit) => {
      await ask(kit.stranger, withBearer('/', kit.key), 200);
      await ask(kit.stranger, { path: '/', query: { api_key: kit.key } }, 200);
      const json = { api_key: kit.key, type: 'object-detection', annotation: 'x' };
      const path = `/${kit.workspace}/projects`;
      // Without a name it is refused for that alone, after the key was taken.
      assert.match(await refused(kit.stranger, { path, json }, 400), /name/);
      await refused(kit.stranger, { path, json: { ...json, api_key: 'wrong' } }, 401);
    }),
    check('no credential and a wrong one', ['25.6', '27.2'], async ({ stranger, workspace }) => {
      for (const path of ['/', `/${workspace}`, `/${workspace}/api-keys`]) {
        await refused(stranger, { path }, 401);
        await refused(stranger, withBearer(path, 'wrong'), 401);
        await refused(stranger, { path, query: { api_key: 'wrong' } }, 401);
      }
      const call = { path: '/' };
      const reply = await stranger.send(call);
      expectStatus(call, reply, 401);
      assert.match(reply.headers.get('www-authenticate') ?? '', /^Bearer\b/);
    }),
    check('a credential without access', ['25.7', '27.3'], (kit) =>
      withKey(kit, { scopes: [] }, async ({ key }) => {
        const client = kit.clientWith(key);
        for (const path of ['/', home(kit), `/${kit.workspace}/api-keys`]) {
          await refused(client, { path }, 403);
        }
      }),
    ),
    check('rebalance needs project:update', ['11.20'], async (kit) => {
      const project = await newProject(kit);
      const path = `/${kit.workspace}/${project}/splits/rebalance`;
      const json = { splits: { train: 1, valid: 0, test: 0 } };
      await withKey(kit, { scopes: ['project:read', 'project:create'] }, async ({ key }) => {
        await refused(kit.clientWith(key), { path, json }, 403);
      });
      await withKey(kit, { scopes: ['project:update'] }, async ({ key }) => {
        await ask(kit.clientWith(key), { path, json }, 202);
      });
    }),
    ...sections.map(([number, scopes, allowed]) =>
      check(`a key with ${scopes.join(', ')} alone`, [number], (kit) =>
        holdsTo(kit, scopes, allowed),
      ),
    ),
  ],
  other: [
    check('another workspace', ['25.5', '25.7', '18.6'], async (kit) => {
      const other = given(kit.other, '--other-key');
      for (const path of ['', '/api-keys', '/groups', '/trash', '/nothing']) {
        await refused(other, { path: `/${kit.workspace}${path}` }, 403);
      }
      await refused(other, { path: '/nobody-has-this-workspace' }, 404);
    }),
  ],
  tokens: [
    check('an access token does what its scopes allow', ['25.4', '1.3'], async (kit) => {
      const client = kit.clientWith(given(kit.token, '--token'));
      await ask(client, { path: home(kit) }, 200);
      const json = { name: 'x', type: 'object-detection', annotation: 'x' };
      await refused(client, { path: `/${kit.workspace}/projects`, json }, 403);
      await refused(client, { path: `/${kit.workspace}/api-keys` }, 403);
    }),
  ],
  limited: [
    check('more calls than are allowed', ['27.5', '9.3'], async (kit) => {
      await untilLimited(kit.client);
    }),
  ],
};

function withBearer(path: string, credential: string) {
  return { path, headers: { authorization: `Bearer ${credential}` } };
}

/** Ten calls are answered at most; the next says how long to wait. */
async function untilLimited(client: Client): Promise<void> {
  const call = { path: '/' };
  for (let n = 0; n < 10; n += 1) {
    const reply = await client.send(call);
    if (reply.status === 429) break;
    expectStatus(call, reply, 200);
  }
  const words = await refused(client, call, 429);
  assert.ok(words.length > 0, 'the error has words');
  const { headers } = await client.send(call);
  const wait = Number(headers.get('retry-after'));
  assert.ok(wait >= 1 && wait <= 60, `Retry-After is ${wait} s`);
}
