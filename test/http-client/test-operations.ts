// What the tests of the client share: operations, a client with short waits, and error capture.

import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { closed, inProject, inVersion, open } from '../../src/contract/fields.ts';
import { filePart, operation } from '../../src/contract/operation.ts';
import { FoveaError } from '../../src/errors.ts';
import type { Client, ClientOptions } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { Secret } from '../../src/secret.ts';

export const readThing = operation({
  id: 'things_get',
  toolset: 'projects',
  method: 'GET',
  path: '/{workspace}/{project}',
  summary: 'A thing.',
  pathParameters: inProject,
  query: closed({ tag: z.array(z.string()).optional(), deep: z.boolean().optional() }),
  answer: open({ name: z.string().optional() }),
  scope: 'project:read',
  effect: 'reads',
});

export const searchThings = operation({
  id: 'things_search',
  toolset: 'search',
  method: 'POST',
  path: '/search',
  summary: 'Finds things.',
  body: open({ query: z.string() }),
  answer: open({}),
  scope: 'image:read',
  effect: 'reads',
});

export const addThing = operation({
  id: 'things_create',
  toolset: 'projects',
  method: 'POST',
  path: '/{workspace}/things',
  summary: 'Adds a thing.',
  pathParameters: z.strictObject({ workspace: z.string() }),
  body: open({ name: z.string() }),
  answer: open({ id: z.string().optional() }),
  scope: 'project:create',
  effect: 'adds',
});

export const uploadThing = operation({
  id: 'things_upload',
  toolset: 'images',
  method: 'POST',
  path: '/dataset/{project}/upload',
  summary: 'Uploads a thing.',
  pathParameters: z.strictObject({ project: z.string() }),
  body: closed({
    file: filePart.optional(),
    name: z.string().optional(),
    metadata: open({}).optional(),
  }),
  bodyType: 'multipart',
  answer: open({ id: z.string().optional() }),
  scope: 'image:create',
  effect: 'adds',
});

export const readVersion = operation({
  id: 'versions_read',
  toolset: 'versions',
  method: 'GET',
  path: '/{workspace}/{project}/{version}',
  summary: 'A version.',
  pathParameters: inVersion,
  answer: open({}),
  scope: 'version:read',
  effect: 'reads',
});

export const readTask = operation({
  id: 'tasks_read',
  toolset: 'tasks',
  method: 'GET',
  path: '/tasks',
  summary: 'A task.',
  answer: open({ status: z.string(), error: z.string().optional() }),
  scope: 'workspace:read',
  effect: 'reads',
});

export const readVideo = operation({
  id: 'video_read',
  toolset: 'video',
  method: 'GET',
  path: '/videoinfer/',
  summary: 'A video job.',
  query: closed({ job_id: z.string() }),
  answer: open({ status: z.int() }),
  credential: 'api_key_query',
  scope: 'video-inference-job:read',
  effect: 'reads',
  intervalMs: 60_000,
});

export const readEvent = operation({
  id: 'events_read',
  toolset: 'events',
  host: 'device',
  method: 'GET',
  path: '/v2/events',
  summary: 'Events.',
  answer: open({}),
  scope: 'vision-events:read',
  effect: 'reads',
});

export const inThing = { workspace: 'acme', project: 'cells' };
export const apiKey = 'key-5f1e-canary';

/** A client whose services are all at one address; it never waits long before a retry. */
export function clientOf(url: string, options: Partial<ClientOptions> = {}): Client {
  const upstream = async () => ({ url, credential: new Secret(apiKey) });
  return createClient({
    upstreams: { base: upstream, device: upstream },
    clock: systemClock,
    timeoutMs: 5_000,
    retryDelayMs: { min: 1, max: 5 },
    ...options,
  });
}

/** The error of a call that must fail. */
export async function errorOf(call: Promise<unknown>): Promise<FoveaError> {
  const outcome: unknown = await call.catch((error: unknown) => error);
  if (outcome instanceof FoveaError) return outcome;
  throw new Error(`expected a FoveaError, but got ${String(outcome)}`, { cause: outcome });
}
