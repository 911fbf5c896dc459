// Builds the HTTP request of an operation: URL, headers, body.

import { createHash } from 'node:crypto';
import { FormData } from 'undici';
import { splitInput } from '../contract/check.ts';
import type { FilePart, Operation } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { membersOf } from '../json-object.ts';
import type { Secret } from '../secret.ts';
import type { CallOptions } from './client.ts';
import type { HttpRequest } from './http-request.ts';
import { findDiskFile, type OnRead, ProgressFile } from './multipart-files.ts';

/** A request that can be made several times: a multipart body is built anew for each. */
export interface PreparedRequest {
  readonly origin: string;
  readonly path: string;
  /** The parameters that `path` carries. */
  readonly parameters: { readonly path: Values; readonly query: Values };
  /** For each attempt. Throws `invalid_input` when a file of the body cannot be read. */
  build(onSent?: CallOptions['onSent']): Promise<HttpRequest>;
}

interface Target {
  readonly url: string;
  readonly credential: Secret | undefined;
  readonly isAccessToken?: boolean | undefined;
}

type Values = Readonly<Record<string, unknown>>;

/**
 * Puts the arguments of an operation in their places. Throws `invalid_input` for a path value that
 * cannot stand in a path, and `unauthenticated` where the credential that is needed is missing.
 */
export function prepareRequest(
  operation: Operation,
  input: unknown,
  { url, credential, isAccessToken = false }: Target,
): PreparedRequest {
  const key = usableCredential(operation, credential);
  const parts = splitInput(operation, membersOf(input));
  const base = new URL(url);
  // RFC 9700 section 4.3.2: addresses are logged, so no access token belongs in one.
  const inQuery = operation.credential === 'api_key_query' && !isAccessToken;
  const query = queryString(parts.query, inQuery ? key : '');
  const inPath = splitProject(parts.path, operation.path.includes('{workspace}'));
  const path = base.pathname.replace(/\/$/, '') + fillPath(operation.path, inPath) + query;
  const { origin } = base;
  const request = { origin, path, method: operation.method };
  const headers = { ...commonHeaders, ...(inQuery ? {} : credentialHeader(operation, key)) };
  const body = bodyBuilder(operation, parts.body);
  return {
    origin,
    path,
    parameters: { path: inPath, query: parts.query },
    build: async (onSent) => {
      const { type, content } = await body(onSent);
      return { ...request, headers: type ? { ...headers, ...type } : headers, body: content };
    },
  };
}

/** No compression: the size of a compressed response is unknown until it is unpacked. */
export const commonHeaders = {
  accept: 'application/json',
  'accept-encoding': 'identity',
  'user-agent': 'fovea',
} as const;

/** Equal for two calls with the same URL and credential only. */
export function responseCacheKey({ origin, path }: PreparedRequest, secret: Secret | undefined) {
  const key = [origin, path, secret?.reveal() ?? ''];
  return createHash('sha256').update(JSON.stringify(key)).digest('base64');
}

/** The setting that holds the credential of an operation. */
export function credentialSetting(operation: Pick<Operation, 'credential'>): string {
  return operation.credential === 'device_key' ? 'FOVEA_DEVICE_API_KEY' : 'FOVEA_API_KEY';
}

function usableCredential(operation: Credentialed, credential: Secret | undefined): string {
  const key = credential?.reveal() ?? '';
  const setting = credentialSetting(operation);
  if (key === '' && operation.credential !== 'device_key') {
    // The service that runs models knows API keys alone.
    const other =
      operation.host === 'serverless'
        ? ': a sign-in is of no use there'
        : ', or sign in with auth_sign_in';
    throw new FoveaError('unauthenticated', `${operation.id} needs a credential; there is none.`, {
      hint: `Set ${setting}${other}. Nothing was sent.`,
    });
  }
  if (/^[\x21-\x7e]*$/.test(key)) return key;
  throw new FoveaError('unauthenticated', `${setting} has characters that a key cannot have.`, {
    hint: `Set ${setting} again, without blanks, quotes and line ends. Nothing was sent.`,
  });
}

/** For a file of the Event Store. Throws as `prepareRequest`. */
export function deviceHeader(credential: Secret | undefined): Record<string, string> {
  const file = { id: 'its file', credential: 'device_key', host: 'device' } as const;
  return credentialHeader(file, usableCredential(file, credential));
}

type Credentialed = Pick<Operation, 'id' | 'credential' | 'host'>;

function credentialHeader(operation: Credentialed, key: string): Record<string, string> {
  if (key === '') return {};
  if (operation.credential === 'device_key') return { 'x-api-key': key };
  return { authorization: `Bearer ${key}` };
}

function fillPath(template: string, values: Values): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => pathSegment(name, values[name]));
}

/** A project may be given as `workspace/project`, the id under which the API shows it. */
function splitProject(values: Values, hasWorkspace: boolean): Values {
  const { project, workspace } = values;
  if (typeof project !== 'string' || !project.includes('/')) return values;
  const [owner, slug, ...rest] = project.split('/');
  if (!owner || !slug || rest.length > 0) {
    throw invalidArgument('project', 'must be a project slug, or workspace/project');
  }
  if (hasWorkspace && owner !== workspace) {
    const clash = `"${project}" is not in the workspace "${workspace}"`;
    throw invalidArgument('project', `${clash}: give the same workspace in both`);
  }
  return { ...values, project: slug };
}

function pathSegment(name: string, value: unknown): string {
  if (typeof value === 'number') {
    if (Number.isSafeInteger(value)) return value.toFixed(0);
    throw invalidArgument(name, 'must be a whole number');
  }
  const text = typeof value === 'string' ? value : '';
  // As a path segment, dots would address the folder above, also when percent-encoded.
  if (/^\.*$/.test(text)) throw invalidArgument(name, 'must not be empty or only dots');
  if (!text.isWellFormed()) throw invalidArgument(name, 'must be valid Unicode text');
  return encodeURIComponent(text);
}

function queryString(query: Values, apiKey: string): string {
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    (Array.isArray(value) ? value : [value])
      .filter((each) => each !== undefined)
      .map((each): [string, string] => [name, asText(each)]),
  );
  if (apiKey !== '') pairs.push(['api_key', apiKey]);
  return pairs.length === 0 ? '' : `?${new URLSearchParams(pairs)}`;
}

function asText(value: unknown): string {
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}

interface Body {
  readonly type?: { readonly 'content-type': string };
  readonly content: string | FormData | null;
}

type BuildBody = (onSent: CallOptions['onSent']) => Promise<Body>;

function bodyBuilder(operation: Operation, members: Values): BuildBody {
  const { bodyType } = operation;
  const isEmpty = Object.values(members).every((value) => value === undefined);
  if (bodyType === 'none' || (bodyType === 'multipart' && isEmpty)) {
    return async () => ({ content: null });
  }
  if (bodyType === 'multipart') {
    return async (onSent) => ({ content: await formData(members, onSent) });
  }
  const json = JSON.stringify(members);
  const type = { 'content-type': 'application/json' };
  return async () => ({ type, content: json });
}

async function formData(members: Values, onSent: CallOptions['onSent']): Promise<FormData> {
  const form = new FormData();
  let [sent, total] = [0, 0];
  const onRead: OnRead = (bytes) => {
    sent += bytes;
    onSent?.(sent, total);
  };
  for (const [name, value] of Object.entries(members)) {
    for (const each of Array.isArray(value) ? value : [value]) {
      if (each === undefined) continue;
      if (isFilePart(each)) {
        const file = await fileOf(name, each, onRead);
        total += file.size;
        form.append(name, file);
      } else form.append(name, asText(each));
    }
  }
  return form;
}

async function fileOf(
  member: string,
  { name, content, contentType }: FilePart,
  onRead: OnRead,
): Promise<File> {
  const type = contentType ?? 'application/octet-stream';
  if (content instanceof Uint8Array) {
    return new ProgressFile(new Blob([new Uint8Array(content)], { type }), name, onRead);
  }
  try {
    return await findDiskFile(content.path, { name, type, onRead });
  } catch (cause) {
    throw new FoveaError('invalid_input', `${member}: the file cannot be read`, {
      problems: [{ path: member, message: 'the file cannot be read' }],
      cause,
    });
  }
}

function isFilePart(value: unknown): value is FilePart {
  if (typeof value !== 'object' || value === null) return false;
  if (!('name' in value) || typeof value.name !== 'string' || !('content' in value)) return false;
  const { content } = value;
  if (content instanceof Uint8Array) return true;
  return typeof content === 'object' && content !== null && 'path' in content;
}
