// The body of a request in the media type of its operation: JSON, multipart, or one raw member.

import type { IncomingMessage } from 'node:http';
import { coerceText, isList } from '../contract/check.ts';
import type { FilePart, Operation } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { JsonScanner } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import { bodyTooLarge, readBytes } from './body-limits.ts';
import type { BodyReservation } from './body-memory-budget.ts';
import { JsonBody, parseJsonText, readLongJson, refuseExcess } from './json-body.ts';
import { type Form, readMultipart } from './multipart-form.ts';

/** Texts by name, each as often as it was given. */
export type Texts = Readonly<Record<string, readonly string[]>>;

export interface Body {
  /** Not yet checked against the operation. */
  readonly members: Readonly<Record<string, unknown>>;
  /** Text fields of a multipart body that are query parameters of the operation. */
  readonly parameters: Texts;
}

/** A short JSON body, not parsed yet. */
export class UnparsedBody extends JsonBody implements Body {
  readonly parameters = {};
}

const formUrlencoded = 'application/x-www-form-urlencoded';

/**
 * Reads the body to its end, within its reservation. No body is an empty one. Throws
 * `unsupported_media` naming the right type, `too_large`, or `invalid_input`.
 */
export async function readBody(
  operation: Operation,
  request: IncomingMessage,
  reservation: BodyReservation,
  jsonBytesMax: number = Number.POSITIVE_INFINITY,
): Promise<Body> {
  if (!hasBody(request)) return { members: {}, parameters: {} };
  const type = mediaType(request);
  const { bodyType, rawMember } = operation;
  if (bodyType === 'multipart') {
    if (type === 'multipart/form-data') return readForm(operation, request, reservation);
    if (rawMember && (type === 'text/plain' || type === formUrlencoded)) {
      return { members: await readBase64(rawMember, request, reservation), parameters: {} };
    }
  } else {
    if (type === 'application/json') return readJson(operation, request, reservation, jsonBytesMax);
    if (rawMember && type === 'text/plain') {
      const text = decodeUtf8(await readBytes(request, limits.annotationBytesMax, reservation));
      return { members: text === '' ? {} : { [rawMember]: text }, parameters: {} };
    }
  }
  throw new FoveaError('unsupported_media', 'The content type of the body is not the right one.', {
    hint: `Send it as ${bodyType === 'multipart' ? 'multipart/form-data' : 'application/json'}.`,
  });
}

/** What is too much of a long body is refused with the piece in which it comes. */
async function readJson(
  { bodyLimits: bounds }: Operation,
  request: IncomingMessage,
  reservation: BodyReservation,
  jsonBytesMax: number,
): Promise<Body> {
  const bytesMax = Math.min(bounds.bytesMax, jsonBytesMax);
  const announced = Number(request.headers['content-length'] ?? Number.POSITIVE_INFINITY);
  if (JsonBody.takes(announced)) {
    return new UnparsedBody(await readBytes(request, bytesMax, reservation), bounds);
  }
  const scanner = new JsonScanner(bounds);
  const bytes = await readBytes(request, bytesMax, reservation, (piece) =>
    refuseExcess(scanner.push(piece), bounds),
  );
  if (JsonBody.takes(bytes.length)) return new UnparsedBody(bytes, bounds);
  return { members: await readLongJson(bytes, scanner, bounds), parameters: {} };
}

/** The members of a JSON body that is there as a whole. Throws as `readBody`. */
export async function readJsonText(
  { bodyLimits: bounds }: Operation,
  text: string,
  jsonBytesMax: number = Number.POSITIVE_INFINITY,
): Promise<Body['members']> {
  const bytes = Buffer.from(text);
  const bytesMax = Math.min(bounds.bytesMax, jsonBytesMax);
  if (bytes.length > bytesMax) throw bodyTooLarge(bytesMax);
  if (JsonBody.takes(bytes.length)) return parseJsonText(text, bounds);
  const scanner = new JsonScanner(bounds);
  refuseExcess(scanner.push(bytes), bounds);
  return readLongJson(bytes, scanner, bounds);
}

/** Whether the body is one that `readBody` reads as JSON. */
export function isJson(request: IncomingMessage): boolean {
  return hasBody(request) && mediaType(request) === 'application/json';
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0;
}

/** The media type in lower case; empty where it is missing, malformed, encoded or not UTF-8. */
function mediaType({ headers }: IncomingMessage): string {
  const header = headers['content-type'] ?? '';
  const encoding = headers['content-encoding'] ?? 'identity';
  // What nearly all clients send: two patterns take as long as half of its parsing.
  if (header === 'application/json' && encoding === 'identity') return header;
  const [, type = ''] = /^\s*([\w.+-]+\/[\w.+-]+)\s*(?:;|$)/.exec(header) ?? [];
  const [, charset = 'utf-8'] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(header) ?? [];
  if (encoding !== 'identity' || !/^(utf-?8|us-ascii)$/i.test(charset)) return '';
  return type.toLowerCase();
}

async function readForm(
  operation: Operation,
  request: IncomingMessage,
  reservation: BodyReservation,
): Promise<Body> {
  return bodyOfForm(operation, await readMultipart(request, reservation));
}

/** The members and parameters in a form. Throws as `readBody`. */
export function bodyOfForm(operation: Operation, { fields, files }: Form): Body {
  const isParameter = (name: string) =>
    Object.hasOwn(operation.query.shape, name) && !Object.hasOwn(operation.body.shape, name);
  const texts = Object.fromEntries([...fields].filter(([name]) => !isParameter(name)));
  const twice = Object.keys(texts).find((name) => files.has(name));
  if (twice !== undefined) throw invalidArgument(twice, 'is given both as a file and as text');
  return {
    members: { ...coerceText(operation.body, texts), ...filesOf(operation, files) },
    parameters: Object.fromEntries([...fields].filter(([name]) => isParameter(name))),
  };
}

/** Several files under one name are the elements of a list, in their order. */
function filesOf(
  { body }: Operation,
  files: ReadonlyMap<string, readonly FilePart[]>,
): Readonly<Record<string, unknown>> {
  const members = [...files].map(([name, given]): [string, unknown] => {
    if (isList(body, name)) return [name, given];
    if (given.length > 1) throw invalidArgument(name, 'is given twice');
    return [name, given[0]];
  });
  return Object.fromEntries(members);
}

/** Public clients send an image as bare base64 text, sometimes percent-encoded as a form value. */
async function readBase64(
  member: string,
  request: IncomingMessage,
  reservation: BodyReservation,
): Promise<Readonly<Record<string, FilePart>>> {
  const bytes = await readBytes(request, limits.imageBytesMax * 2, reservation);
  const sent = bytes.toString('latin1');
  const text = (sent.includes('%') ? percentDecoded(sent) : sent).replaceAll(/\s/g, '');
  if (text === '') return {};
  const content = Buffer.from(text, 'base64');
  if (!/^[\w+/-]+={0,2}$/.test(text) || content.length === 0) {
    throw invalidArgument(member, 'expected the bytes of the file as base64 text');
  }
  if (content.length > limits.imageBytesMax) {
    throw new FoveaError('too_large', `A file may have ${limits.imageBytesMax} bytes.`);
  }
  return { [member]: { name: member, content } };
}

function percentDecoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function decodeUtf8(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw invalidArgument('', 'The body is not UTF-8 text.');
  }
}
