// API keys of a workspace.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { ask, askFor, refused } from '../steps.ts';

const aKey = z.looseObject({ keyId: z.string().min(1) });
const aNewKey = aKey.extend({ key: z.string().min(16) });

const keyRows = ['2.4', '13.1', '13.2', '13.4', '13.5', '13.6'] as const;

/** A key that this run makes. It is revoked in the end. */
export async function withKey(
  context: Context,
  settings: unknown,
  use: (made: z.output<typeof aNewKey>) => Promise<void>,
): Promise<void> {
  const path = `/${context.workspace}/api-keys`;
  const made = await askFor(context, aNewKey, { path, json: settings }, 201);
  try {
    await use(made);
  } finally {
    await context.client.send({ method: 'DELETE', path: `${path}/${made.keyId}` });
  }
}

export const apiKeyChecks: FamilyChecks = {
  default: [
    check('a key is made, listed, shown, changed and revoked', keyRows, (context) =>
      withKey(
        context,
        { name: 'conformance', scopes: ['workspace:read'] },
        async ({ keyId, key }) => {
          const path = `/${context.workspace}/api-keys`;
          const client = context.clientWith(key);
          await ask(client, { path: '/' }, 200);
          const { apiKeys } = await askFor(context, z.looseObject({ apiKeys: z.array(aKey) }), {
            path,
          });
          assert.ok(
            apiKeys.some((one) => one.keyId === keyId),
            'the list has the new key',
          );
          assert.ok(!JSON.stringify(apiKeys).includes(key), 'the list has no secret');
          const one = z.looseObject({ apiKey: aKey });
          const shown = await askFor(context, one, { path: `${path}/${keyId}` });
          assert.equal(shown.apiKey.keyId, keyId);
          assert.ok(!JSON.stringify(shown).includes(key), 'what is shown has no secret');
          const change = { method: 'PATCH', path: `${path}/${keyId}` } as const;
          const changed = await askFor(context, one, { ...change, json: { name: 'renamed' } });
          assert.equal(z.looseObject({ name: z.string() }).parse(changed.apiKey).name, 'renamed');
          await refused(context, { ...change, json: { name: 7 } }, 400);
          await ask(context, { ...change, json: { disabled: true } }, 200);
          await refused(client, { path: '/' }, 401);
          await ask(context, { ...change, json: { disabled: false } }, 200);
          await ask(client, { path: '/' }, 200);
          await ask(context, { method: 'DELETE', path: `${path}/${keyId}` }, 200);
          await refused(client, { path: '/' }, 401);
          await refused(context, { path: `${path}/${keyId}` }, 404);
        },
      ),
    ),
    check('the publishable key is shown, and manages nothing', ['13.3'], async (context) => {
      const shape = z.looseObject({ publishableKey: z.string().min(1) });
      const path = `/${context.workspace}/api-keys/publishable`;
      const { publishableKey } = await askFor(context, shape, { path });
      await refused(
        context.clientWith(publishableKey),
        { path: `/${context.workspace}/api-keys` },
        403,
      );
    }),
  ],
  other: [
    check('a key of another workspace is not there', ['2.4', '25.5'], (context) =>
      withKey(context, { scopes: [] }, async ({ keyId }) => {
        const { workspace } = await askFor(
          context.other ?? context.client,
          z.looseObject({ workspace: z.string() }),
          { path: '/' },
        );
        assert.notEqual(workspace, context.workspace, 'the other key is of another workspace');
        for (const method of ['GET', 'DELETE'] as const) {
          const path = `/${workspace}/api-keys/${keyId}`;
          await refused(context.other ?? context.client, { method, path }, 404);
        }
      }),
    ),
  ],
};
