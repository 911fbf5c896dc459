// Tools of the api_keys toolset.

import * as z from 'zod';
import { apiKeys } from '../src/contract/api-keys.ts';
import { scopes as allScopes, type Scope } from '../src/contract/scopes.ts';
import { invalidArgument } from '../src/errors.ts';
import { asRecord } from '../src/json-object.ts';
import { fromOperation, toolFor } from '../src/mcp/operation-tool.ts';
import type { Tool } from '../src/mcp/tool.ts';
import { tryKey } from './api-keys/key-reach.ts';
import { withScopeHint } from './api-keys/scope-hint.ts';
import { confirmKeyRevocation } from './confirmation-prompts.ts';
import { count, quoted } from './format.ts';

const { api_keys_create: create, api_keys_update: update } = apiKeys;

/** What people and programs of one task need, and nothing else. */
const roles = {
  upload: ['workspace:read', 'project:read', 'image:create', 'image:annotate', 'batch:read'],
  label: [
    ...(['workspace:read', 'project:read', 'image:read', 'image:tag', 'image:annotate'] as const),
    ...(['annotation-job:read', 'batch:read'] as const),
  ],
  infer: ['model:infer'],
} as const satisfies Readonly<Record<string, readonly Scope[]>>;

const roleNames = ['upload', 'label', 'infer'] as const;

/** The specification's three states of `scopes` without null: a list, full access, or left out. */
const scopeChoice = {
  access: z
    .enum(['read', 'read-write', ...roleNames])
    .optional()
    .describe('In place of scopes; read-write: all but keys.'),
  scopes: z.array(z.string().min(1)).optional().describe('Only these rights, e.g. project:read.'),
  fullAccess: z.boolean().optional().describe('true: all rights, also those that come later.'),
};

const createInput = z.strictObject({
  ...create.pathParameters.shape,
  ...create.body.omit({ scopes: true }).shape,
  ...scopeChoice,
});

const updateInput = z.strictObject({
  ...update.pathParameters.shape,
  ...update.body.omit({ scopes: true }).shape,
  ...scopeChoice,
});

const onlyTrue = 'must be true, or left out: protection cannot be taken away';

export const apiKeyTools: readonly Tool[] = [
  fromOperation(apiKeys.api_keys_list, {
    title: 'List API keys',
    description:
      'Lists the API keys of the workspace with scopes, folders and state, without their secrets.',
    summarize: ({ apiKeys }) => `${count(apiKeys.length, 'API key')}.`,
  }),
  toolFor(create, {
    title: 'Create API key',
    description:
      'Creates an API key. Its secret is shown only once. access "read" makes it read only; without access and scopes it allows what the caller may do.',
    givesSecret: true,
    input: createInput,
    run: async ({ access, fullAccess, ...input }, { client, signal }) => {
      const scopes = scopesOf(input.scopes, access, fullAccess);
      const { body } = await withScopeHint(input.scopes, scopesFor('read'), () =>
        client.call(create, { ...input, ...scopes }, { signal }),
      );
      return { summary: `Created API key ${quoted(body.keyId)}. ${secretWords(body)}`, data: body };
    },
  }),
  fromOperation(apiKeys.api_keys_get_publishable, {
    title: 'Get publishable key',
    description:
      'Gives the publishable key for web pages, which only runs models. For programs use api_keys_create.',
    summarize: ({ publishableKey }) =>
      publishableKey === null ? 'There is no publishable key.' : 'The publishable key.',
  }),
  fromOperation(apiKeys.api_keys_get, {
    title: 'Get API key',
    description:
      'Describes one API key: scopes, folders, protection and state, without its secret.',
    summarize: ({ apiKey }) =>
      `API key ${quoted(apiKey.keyId)} is ${apiKey.disabled ? 'disabled' : 'active'}.`,
  }),
  toolFor(update, {
    title: 'Update API key',
    description:
      'Changes the name, scopes, protection or state of an API key; what is left out stays. disabled stops a key for a while; to end it for good use api_keys_revoke.',
    input: updateInput,
    run: async ({ access, fullAccess, ...input }, { client, signal }) => {
      // The service answers 403, as if another credential could do it.
      if (input.protected === false) throw invalidArgument('protected', onlyTrue);
      const scopes = scopesOf(input.scopes, access, fullAccess);
      const { body } = await withScopeHint(input.scopes, scopesFor('read'), () =>
        client.call(update, { ...input, ...scopes }, { signal }),
      );
      return { summary: `Changed API key ${quoted(input.keyId)}.`, data: asRecord(body) };
    },
  }),
  toolFor(apiKeys.api_keys_get, {
    name: 'api_keys_try',
    title: 'Try API key',
    description:
      'Tells what an API key may do, without using it: operations, missing scopes, visible projects.',
    input: apiKeys.api_keys_get.pathParameters,
    run: tryKey,
  }),
  fromOperation(apiKeys.api_keys_revoke, {
    title: 'Revoke API key',
    description:
      'Ends an API key at once, for whoever uses it. To stop it for a while use api_keys_update with disabled. Cannot be undone.',
    confirmation: {
      description: 'Repeat the keyId here.',
      expected: ({ keyId }) => keyId,
      prompt: confirmKeyRevocation,
    },
    summarize: (_answer, { keyId }) => `Revoked API key ${quoted(keyId)}.`,
  }),
];

/** Outside of the data by others, where a person looks for it; only what looks like a secret. */
function secretWords({ key }: { readonly key: string }): string {
  const isSecret = /^[a-zA-Z0-9]{2,12}_[\w-]{16,100}$|^[a-zA-Z0-9]{16,64}$/.test(key);
  return `Its secret, shown only now${isSecret ? `: ${key}` : ', is "key" below.'}`;
}

type Access = z.output<typeof scopeChoice.access>;

function scopesOf(scopes: string[] | undefined, access: Access, fullAccess = false) {
  const given = [scopes !== undefined, access !== undefined, fullAccess].filter(Boolean);
  if (given.length > 1) throw invalidArgument('scopes', 'give one of scopes, access, fullAccess');
  if (fullAccess) return { scopes: null };
  if (access !== undefined) return { scopes: scopesFor(access) };
  return scopes ? { scopes } : {};
}

function scopesFor(access: NonNullable<Access>): Scope[] {
  return allScopes.filter((scope) => isOf(access, scope));
}

/** Keys that make keys are asked for by their scopes. */
function isOf(access: NonNullable<Access>, scope: Scope): boolean {
  if (access !== 'read' && access !== 'read-write') {
    return roles[access].some((granted) => granted === scope);
  }
  if (scope.startsWith('credentials:')) return false;
  return access === 'read-write' || scope.endsWith(':read');
}
