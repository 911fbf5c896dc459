// API keys of a workspace.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { check, type FamilyChecks, type Kit } from '../check.ts';
import { ask, askFor, refused } from '../steps.ts';

const aKey = z.looseObject({ keyId: z.string().min(1) });
const aNewKey = aKey.extend({ key: z.string().min(16) });

const keyRows = ['2.4', '13.1', '13.2', '13.4', '13.5', '13.6'] as const;

/** A key that this run makes. It is revoked in the end. */
export async function withKey(
  kit: Kit,
  settings: unknown,
  use: (made: z.output<typeof aNewKey>) => Promise<void>,
): Promise<void> {
  const path = `/${kit.workspace}/api-keys`;
  const made = await askFor(kit, aNewKey, { path, json: settings }, 201);
  try {
    await use(made);
  } finally {
    await kit.client.send({ method: 'DELETE', path: `${path}/${made.keyId}` });
  }
}

export const apiKeyChecks: FamilyChecks = {
  default: [
    check('a key is made, listed, shown, changed and revoked', keyRows, (kit) =>
      withKey(kit, { name: 'conformance', scopes: ['workspace:read'] }, async ({ keyId, key }) => {
        const path = `/${kit.workspace}/api-keys`;
        const client = kit.clientWith(key);
        await ask(client, { path: '/' }, 200);
        const { apiKeys } = await askFor(kit, z.looseObject({ apiKeys: z.array(aKey) }), { path });
        assert.ok(
          apiKeys.some((one) => one.keyId === keyId),
          'the list has the new key',
        );
        assert.ok(!JSON.stringify(apiKeys).includes(key), 'the list has no secret');
        const one = z.looseObject({ apiKey: aKey });
        const shown = await askFor(kit, one, { path: `${path}/${keyId}` });
        assert.equal(shown.apiKey.keyId, keyId);
        assert.ok(!JSON.stringify(shown).includes(key), 'what is shown has no secret');
        const change = { method: 'PATCH', path: `${path}/${keyId}` } as const;
        const changed = await askFor(kit, one, { ...change, json: { name: 'renamed' } });
        assert.equal(z.looseObject({ name: z.string() }).parse(changed.apiKey).name, 'renamed');
        await refused(kit, { ...change, json: { name: 7 } }, 400);
        await ask(kit, { ...change, json: { disabled: true } }, 200);
        await refused(client, { path: '/' }, 401);
        await ask(kit, { ...change, json: { disabled: false } }, 200);
        await ask(client, { path: '/' }, 200);
        await ask(kit, { method: 'DELETE', path: `${path}/${keyId}` }, 200);
        await refused(client, { path: '/' }, 401);
        await refused(kit, { path: `${path}/${keyId}` }, 404);
      }),
    ),
    check('the publishable key is shown, and manages nothing', ['13.3'], async (kit) => {
      const shape = z.looseObject({ publishableKey: z.string().min(1) });
      const path = `/${kit.workspace}/api-keys/publishable`;
      const { publishableKey } = await askFor(kit, shape, { path });
      await refused(kit.clientWith(publishableKey), { path: `/${kit.workspace}/api-keys` }, 403);
    }),
  ],
  other: [
    check('a key of another workspace is not there', ['2.4', '25.5'], (kit) =>
      withKey(kit, { scopes: [] }, async ({ keyId }) => {
        const { workspace } = await askFor(
          kit.other ?? kit.client,
          z.looseObject({ workspace: z.string() }),
          { path: '/' },
        );
        assert.notEqual(workspace, kit.workspace, 'the other key is of another workspace');
        for (const method of ['GET', 'DELETE'] as const) {
          const path = `/${workspace}/api-keys/${keyId}`;
          await refused(kit.other ?? kit.client, { method, path }, 404);
        }
      }),
    ),
  ],
};
