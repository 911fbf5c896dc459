// Authentication, scopes, and the refusals that come from them.

import assert from 'node:assert/strict';
import { expectStatus } from '../../../conformance/http.ts';
import type { StatementNumber } from '../../../conformance/statements.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import type { Client } from '../client.ts';
import { ask, given, newProject, refused } from '../steps.ts';
import { withKey } from './api-keys.ts';

/** The scopes of a section, and what a key with these alone may ask; undefined: nothing to ask. */
const sections: readonly [
  StatementNumber,
  readonly string[],
  ((context: Context) => string) | undefined,
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

function home({ workspace }: Context): string {
  return `/${workspace}`;
}

function below(segment: string) {
  return ({ workspace }: Context) => `/${workspace}/${segment}`;
}

/** A key with these scopes alone does what they allow, and nothing else. */
async function holdsTo(
  context: Context,
  scopes: readonly string[],
  allowed: ((context: Context) => string) | undefined,
): Promise<void> {
  await withKey(context, { scopes }, async ({ key }) => {
    const client = context.clientWith(key);
    if (allowed) await ask(client, { path: allowed(context) }, 200);
    for (const [scope, path] of probes) {
      if (!scopes.includes(scope)) await refused(client, { path: path(context) }, 403);
    }
  });
}

/** What asks for a scope each. */
const probes: readonly [string, (context: Context) => string][] = [
  ['workspace:read', home],
  ['credentials:read', below('api-keys')],
  ['folder:read', below('groups')],
  ['workspace-stats:read', below('inference-stats')],
];

const places = ['25.1', '25.2', '25.3', '9.1'] as const;

export const accessChecks: FamilyChecks = {
  default: [
    check(
      'a key in the header, in the query, and in the body of a POST',
      places,
      async (context) => {
        await ask(context.stranger, withBearer('/', context.key), 200);
        await ask(context.stranger, { path: '/', query: { api_key: context.key } }, 200);
        const json = { api_key: context.key, type: 'object-detection', annotation: 'x' };
        const path = `/${context.workspace}/projects`;
        // Without a name it is refused for that alone, after the key was taken.
        assert.match(await refused(context.stranger, { path, json }, 400), /name/);
        await refused(context.stranger, { path, json: { ...json, api_key: 'wrong' } }, 401);
      },
    ),
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
    check('a credential without access', ['25.7', '27.3'], (context) =>
      withKey(context, { scopes: [] }, async ({ key }) => {
        const client = context.clientWith(key);
        for (const path of ['/', home(context), `/${context.workspace}/api-keys`]) {
          await refused(client, { path }, 403);
        }
      }),
    ),
    check('rebalance needs project:update', ['11.20'], async (context) => {
      const project = await newProject(context);
      const path = `/${context.workspace}/${project}/splits/rebalance`;
      const json = { splits: { train: 1, valid: 0, test: 0 } };
      await withKey(context, { scopes: ['project:read', 'project:create'] }, async ({ key }) => {
        await refused(context.clientWith(key), { path, json }, 403);
      });
      await withKey(context, { scopes: ['project:update'] }, async ({ key }) => {
        await ask(context.clientWith(key), { path, json }, 202);
      });
    }),
    ...sections.map(([number, scopes, allowed]) =>
      check(`a key with ${scopes.join(', ')} alone`, [number], (context) =>
        holdsTo(context, scopes, allowed),
      ),
    ),
  ],
  other: [
    check('another workspace', ['25.5', '25.7', '18.6'], async (context) => {
      const other = given(context.other, '--other-key');
      for (const path of ['', '/api-keys', '/groups', '/trash', '/nothing']) {
        await refused(other, { path: `/${context.workspace}${path}` }, 403);
      }
      await refused(other, { path: '/nobody-has-this-workspace' }, 404);
    }),
  ],
  tokens: [
    check('an access token does what its scopes allow', ['25.4', '1.3'], async (context) => {
      const client = context.clientWith(given(context.token, '--token'));
      await ask(client, { path: home(context) }, 200);
      const json = { name: 'x', type: 'object-detection', annotation: 'x' };
      await refused(client, { path: `/${context.workspace}/projects`, json }, 403);
      await refused(client, { path: `/${context.workspace}/api-keys` }, 403);
    }),
  ],
  limited: [
    check('more calls than are allowed', ['27.5', '9.3'], async (context) => {
      await untilLimited(context.client);
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
