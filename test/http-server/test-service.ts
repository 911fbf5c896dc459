// A small service with the path collisions of the real ones; its handlers tell what reached them.

import { request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { connect } from 'node:net';
import * as z from 'zod';
import { systemClock } from '../../src/clock.ts';
import { inProject, inVersion, inWorkspace } from '../../src/contract/fields.ts';
import type { HandleInProcess } from '../../src/contract/in-process.ts';
import { bodyLimits, filePart, operation } from '../../src/contract/operation.ts';
import { FoveaError, notFound } from '../../src/errors.ts';
import { platformCredentials } from '../../src/http-server/credentials.ts';
import { AnswerWithStatus, type Handlers, type Route } from '../../src/http-server/handlers.ts';
import { platformErrorBody } from '../../src/http-server/responses.ts';
import { type ServeOptions, serve } from '../../src/http-server/serve.ts';
import { createLog } from '../../src/log.ts';

const answer = z.looseObject({ operation: z.string() });
const words = {
  toolset: 'projects',
  summary: 'For tests.',
  answer,
  scope: 'project:read',
  effect: 'reads',
} as const;

export const operations = {
  root: operation({ ...words, id: 'root', method: 'GET', path: '/' }),
  workspace: operation({
    ...words,
    id: 'workspace',
    method: 'GET',
    path: '/{workspace}',
    pathParameters: inWorkspace,
    query: z.strictObject({ count: z.int().optional(), regenerate: z.boolean().optional() }),
  }),
  keys: operation({
    ...words,
    id: 'keys',
    method: 'GET',
    path: '/{workspace}/api-keys',
    pathParameters: inWorkspace,
  }),
  create: operation({
    ...words,
    id: 'create',
    method: 'POST',
    path: '/{workspace}/projects',
    pathParameters: inWorkspace,
    body: z.strictObject({ name: z.string(), license: z.string().optional() }),
    bodyLimits: bodyLimits({ bytesMax: 80 * 1024 * 1024 }),
    success: 201,
  }),
  project: operation({
    ...words,
    id: 'project',
    method: 'GET',
    path: '/{workspace}/{project}',
    pathParameters: inProject,
  }),
  removeProject: operation({
    ...words,
    id: 'removeProject',
    method: 'DELETE',
    path: '/{workspace}/{project}',
    pathParameters: inProject,
    success: 204,
  }),
  version: operation({
    ...words,
    id: 'version',
    method: 'GET',
    path: '/{workspace}/{project}/{version}',
    pathParameters: inVersion,
  }),
  exported: operation({
    ...words,
    id: 'exported',
    method: 'GET',
    path: '/{workspace}/{project}/{version}/{format}',
    pathParameters: inVersion.extend({ format: z.string() }),
  }),
  zipStatus: operation({
    ...words,
    id: 'zipStatus',
    method: 'GET',
    path: '/{workspace}/upload/zip/{taskId}',
    pathParameters: inWorkspace.extend({ taskId: z.string() }),
  }),
  zip: operation({
    ...words,
    id: 'zip',
    method: 'POST',
    path: '/{workspace}/{project}/upload/zip',
    pathParameters: inProject,
  }),
  upload: operation({
    ...words,
    id: 'upload',
    method: 'POST',
    path: '/dataset/{project}/upload',
    pathParameters: z.strictObject({ project: z.string() }),
    query: z.strictObject({
      name: z.string().optional(),
      tag: z.array(z.string()).optional(),
      sequence_number: z.int().optional(),
    }),
    body: z.strictObject({
      file: filePart,
      metadata: z.looseObject({}).optional(),
    }),
    bodyType: 'multipart',
    rawMember: 'file',
  }),
  annotate: operation({
    ...words,
    id: 'annotate',
    method: 'POST',
    path: '/dataset/{project}/annotate/{imageId}',
    pathParameters: z.strictObject({ project: z.string(), imageId: z.string() }),
    body: z.strictObject({ annotationFile: z.string() }),
    rawMember: 'annotationFile',
  }),
  video: operation({ ...words, id: 'video', method: 'GET', path: '/videoinfer/' }),
  startVideo: operation({
    ...words,
    id: 'startVideo',
    method: 'POST',
    path: '/videoinfer/',
    body: z.looseObject({}),
  }),
};

export type TestOperations = typeof operations;

export const key = 'key-of-alice';
export const bearer = { authorization: `Bearer ${key}` };

export interface TestService {
  readonly url: string;
  readonly port: number;
  readonly logLines: readonly string[];
  /** What handlers saw of clients that went away. */
  readonly aborted: readonly string[];
  readonly handle: HandleInProcess;
  close(): Promise<void>;
}

type Changes = Partial<ServeOptions<TestOperations, string>>;

/** Starts the service. Some names of `workspace` make it fail. */
export async function startTestService(changes: Changes = {}): Promise<TestService> {
  const logLines: string[] = [];
  const aborted: string[] = [];
  const service = await serve({
    operations,
    handlers: handlersFor(aborted),
    authenticate: async (presented) =>
      presented?.reveal() === key
        ? 'alice'
        : presented?.reveal() === 'key-of-bob'
          ? 'bob'
          : undefined,
    authorize: async (principal, _operation, { workspace }) => {
      if (workspace === 'only-alice' && principal !== 'alice') {
        throw new FoveaError('forbidden', 'The key is of another workspace.');
      }
      if (workspace === 'hidden') throw notFound('workspace', 'hidden');
      return principal;
    },
    credentials: platformCredentials,
    callerOf: (name) => ({ name }),
    errorBody: platformErrorBody,
    port: 0,
    log: createLog('warn', (line) => logLines.push(line)),
    clock: systemClock,
    ...changes,
  });
  const port = Number(new URL(service.url).port);
  const { url, handle } = service;
  return { url, port, handle, logLines, aborted, close: () => service.close() };
}

export function handlersFor(aborted: string[]): Handlers<TestOperations, string> {
  return {
    root: async (_input, { principal, origin }) => ({ operation: 'root', principal, origin }),
    workspace: async (input, { signal }) => {
      if (input.workspace === 'crash') throw new Error('a detail that nobody may see');
      if (input.workspace === 'wrong') return JSON.parse('{"operation": 7}');
      if (input.workspace === 'accepted')
        return new AnswerWithStatus(202, { operation: 'workspace' });
      if (input.workspace === 'later') {
        throw new FoveaError('rate_limited', 'Too many requests.', { retryAfterSeconds: 1.2 });
      }
      if (input.workspace === 'upstream') {
        throw new FoveaError('upstream_failed', 'The host of the image failed.');
      }
      if (input.workspace === 'wait') {
        await new Promise((resolve) => signal.addEventListener('abort', resolve));
        aborted.push('workspace');
      }
      if (input.workspace === 'slow') await new Promise((resolve) => setTimeout(resolve, 300));
      return { operation: 'workspace', input };
    },
    keys: async (input) => ({ operation: 'keys', input }),
    create: async (input, { principal }) => ({ operation: 'create', input, principal }),
    project: async (input) => ({ operation: 'project', input }),
    removeProject: async () => ({ operation: 'removeProject' }),
    version: async (input) => ({ operation: 'version', input }),
    exported: async (input) => ({ operation: 'exported', input }),
    zipStatus: async (input) => ({ operation: 'zipStatus', input }),
    zip: async (input) => ({ operation: 'zip', input }),
    upload: async ({ file, ...input }) => ({ operation: 'upload', input, file: described(file) }),
    annotate: async (input) => ({ operation: 'annotate', input }),
    video: async (input) => ({ operation: 'video', input }),
    startVideo: async (input) => ({ operation: 'startVideo', input }),
  };
}

function described({ name, contentType, content }: z.output<typeof filePart>) {
  const text = content instanceof Uint8Array ? Buffer.from(content).toString('latin1') : '';
  return { name, contentType, length: text.length, text: text.slice(0, 40) };
}

/** A route that needs a credential, and one that does not. */
export const testRoutes: readonly Route<string>[] = [
  {
    method: 'GET',
    path: '/blobs/{hash}',
    handle: async (_request, response, { hash }, principal) => {
      response.end(`${hash} for ${principal}`);
    },
  },
  {
    method: 'PUT',
    path: '/uploads/{token}',
    open: true,
    handle: async (request, response, { token }) => {
      if (token === 'wrong') throw notFound('upload', 'wrong');
      let bytes = 0;
      for await (const chunk of request) bytes += chunk.length;
      response.end(String(bytes));
    },
  },
];

export interface Answer {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/** One request by node:http, which sends the path, Host and Origin as they are given. */
export function send(
  service: TestService,
  method: string,
  path: string,
  headers: Record<string, string> = {},
  body: string | Buffer = '',
): Promise<Answer> {
  const { promise, resolve, reject } = Promise.withResolvers<Answer>();
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  const all = body.length > 0 ? { ...length, ...headers } : headers;
  const options = { host: '127.0.0.1', port: service.port, method, path, headers: all };
  const request = httpRequest({ ...options, agent: false }, (response) => {
    const chunks: Buffer[] = [];
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => {
      const text = Buffer.concat(chunks).toString('utf8');
      resolve({ status: response.statusCode ?? 0, headers: response.headers, text });
    });
  });
  request.on('error', reject);
  request.end(body);
  return promise;
}

/** Sends bytes over a socket of its own, and gives back all that came until it closed. */
export function sendRaw(service: TestService, bytes: string | Buffer): Promise<string> {
  const { promise, resolve } = Promise.withResolvers<string>();
  const socket = connect(service.port, '127.0.0.1', () => socket.write(bytes));
  let text = '';
  socket.on('data', (chunk) => {
    text += chunk.toString('latin1');
  });
  socket.on('error', () => {});
  socket.on('close', () => resolve(text));
  return promise;
}

/** The parsed body of an answer. */
export function json({ text }: { readonly text: string }): unknown {
  return JSON.parse(text);
}
