// Workspace API keys. Only the answer of a creation holds the secret of a key. Bodies are closed,
// as those of folders, which keys are limited to: what is ignored could be a restriction.

import * as z from 'zod';
import { limits } from '../limits.ts';
import { closed, displayName, identifier, inWorkspace, open } from './fields.ts';
import { operation } from './operation.ts';

const inKey = closed({
  ...inWorkspace.shape,
  keyId: identifier.describe('Id of the key.'),
});

const name = displayName.optional().describe('Name of the key.');
const scopes = z.array(z.string().min(1)).max(limits.apiKeyScopesMax).nullable().optional();
const customMetadata = open({}).optional().describe('Any data of your own.');

/** A key without its secret. */
const ApiKey = open({
  keyId: z.string(),
  name: z.string().nullable().optional(),
  prefix: z.string().optional(),
  scopes: z.array(z.string()).nullable().optional(),
  folderIds: z.array(z.string()).nullable().optional(),
  protected: z.boolean().optional(),
  disabled: z.boolean().optional(),
  created_on: z.string().optional(),
  created_by: z.string().optional(),
  last_used_on: z.string().nullable().optional().describe('To the hour; null: not yet.'),
});

/** The answer of a creation; the only one with the secret. */
const NewApiKey = open({ keyId: z.string(), key: z.string().describe('The secret.') });

export const apiKeys = {
  api_keys_list: operation({
    id: 'api_keys_list',
    toolset: 'api_keys',
    method: 'GET',
    path: '/{workspace}/api-keys',
    summary: 'API keys of a workspace, without their secrets.',
    pathParameters: inWorkspace,
    query: closed({
      includeDisabled: z.boolean().optional().describe('List disabled keys too.'),
      includeFolders: z.boolean().optional().describe('Add the names of the folders of each key.'),
    }),
    answer: open({ apiKeys: z.array(ApiKey), publishableKey: z.string().nullable().optional() }),
    scope: 'credentials:read',
    effect: 'reads',
  }),
  api_keys_create: operation({
    id: 'api_keys_create',
    toolset: 'api_keys',
    method: 'POST',
    path: '/{workspace}/api-keys',
    summary: 'Create an API key; its secret is shown this once.',
    pathParameters: inWorkspace,
    body: closed({
      name,
      scopes: scopes.describe('Left out: those of the caller; null: all; []: none.'),
      folderIds: z
        .array(z.string().min(1))
        .max(limits.foldersMax)
        .optional()
        .describe('Limit the key to projects of these folders.'),
      customMetadata,
      protected: z.boolean().optional().describe('Refuse to disable or revoke the key.'),
    }),
    answer: NewApiKey,
    success: 201,
    errors: [409],
    scope: 'credentials:create',
    effect: 'adds',
  }),
  api_keys_get_publishable: operation({
    id: 'api_keys_get_publishable',
    toolset: 'api_keys',
    method: 'GET',
    path: '/{workspace}/api-keys/publishable',
    summary: 'The publishable key, which is no secret.',
    pathParameters: inWorkspace,
    answer: open({ publishableKey: z.string().nullable() }),
    scope: 'credentials:read',
    effect: 'reads',
  }),
  api_keys_get: operation({
    id: 'api_keys_get',
    toolset: 'api_keys',
    method: 'GET',
    path: '/{workspace}/api-keys/{keyId}',
    summary: 'One API key, without its secret.',
    pathParameters: inKey,
    answer: open({ apiKey: ApiKey }),
    scope: 'credentials:read',
    effect: 'reads',
  }),
  api_keys_update: operation({
    id: 'api_keys_update',
    toolset: 'api_keys',
    method: 'PATCH',
    path: '/{workspace}/api-keys/{keyId}',
    summary: 'Change an API key; what is left out stays.',
    pathParameters: inKey,
    body: closed({
      name,
      scopes: scopes.describe('null: all; []: none.'),
      customMetadata,
      protected: z
        .boolean()
        .optional()
        .describe('true protects the key for good; false is refused.'),
      disabled: z.boolean().optional().describe('true stops the key, false enables it again.'),
    }),
    answer: open({ apiKey: ApiKey }),
    errors: [409],
    scope: 'credentials:update',
    effect: 'changes',
  }),
  api_keys_revoke: operation({
    id: 'api_keys_revoke',
    toolset: 'api_keys',
    method: 'DELETE',
    path: '/{workspace}/api-keys/{keyId}',
    summary: 'Revoke an API key for good.',
    pathParameters: inKey,
    answer: open({ status: z.string().optional(), keyId: z.string().optional() }),
    errors: [409],
    scope: 'credentials:delete',
    effect: 'removes',
  }),
};

/** Not in the documented API, but on the hosted platform. */
export const apiKeyExtensions = {
  api_keys_roll: operation({
    id: 'api_keys_roll',
    toolset: 'api_keys',
    method: 'POST',
    path: '/{workspace}/api-keys/{keyId}/roll',
    summary: 'Put a new key with a new secret in the place of one, which stops working.',
    pathParameters: inKey,
    answer: NewApiKey,
    success: 201,
    errors: [409],
    scope: 'credentials:update',
    effect: 'changes',
    idempotent: false,
  }),
};
