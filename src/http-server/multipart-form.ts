// Reads a multipart body into memory: text fields and files, within bounds.

import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { FilePart } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { consumeBody } from './body-limits.ts';
import type { BodyReservation } from './body-memory-budget.ts';
import { boundaryOf, feedParser, multipartType } from './multipart-boundary.ts';

export interface Form {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly FilePart[]>;
}

/**
 * Reads a multipart body to its end; waits for memory when its first chunk is there. Throws
 * `too_large`, and `invalid_input` for one that is malformed, incomplete or without parts, and for
 * a file that is empty.
 */
export async function readMultipart(
  request: IncomingMessage,
  reservation: BodyReservation,
): Promise<Form> {
  const boundary = boundaryOf(request);
  if (boundary === undefined) throw malformed();
  const parser = createParser(request, boundary);
  let state: 'silent' | 'waiting' | 'running' = 'silent';
  const rules = {
    bytesMax: limits.multipartBytesMax,
    isBusy: () => state === 'waiting',
    isHeld: () => state === 'running',
  };
  return consumeBody(request, rules, (resolve, reject) => {
    parse(parser, resolve, reject);
    const refuse = () => reject(tooMany('parts'));
    const run = (first: Buffer) => {
      state = 'running';
      feedParser(request, parser, { boundary, max: boundariesMax, refuse })(first);
    };
    request.once('data', (first: Buffer) => {
      const begun = reservation.acquireWhole(request);
      if (begun === undefined) return run(first);
      state = 'waiting';
      request.pause();
      begun.then(() => {
        run(first);
        if (parser.writableNeedDrain) return;
        request.resume();
      });
    });
    request.once('end', () => {
      if (state === 'silent') parser.end();
    });
  });
}

/** One before each part, and the last one. */
const boundariesMax = limits.multipartFieldsMax + limits.multipartFilesMax + 2;

const malformed = () => invalidArgument('', 'The multipart body is malformed or incomplete.');

function tooMany(what: string): FoveaError {
  return new FoveaError('too_large', `The multipart body has too many ${what}.`);
}

function createParser({ headers }: IncomingMessage, boundary: string): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': multipartType(boundary) },
      limits: {
        fieldSize: limits.multipartFieldBytesMax,
        fields: limits.multipartFieldsMax,
        fileSize: limits.imageBytesMax,
        files: limits.multipartFilesMax,
        headerPairs: limits.multipartHeadersMax,
        headerSize: limits.multipartHeaderBytesMax,
      },
      // Public clients leave the file name out, but then say that it is no text.
      isPartAFile: (_name, type, fileName) =>
        fileName !== undefined || !(type === 'text/plain' || type === 'application/json'),
    });
  } catch {
    throw malformed();
  }
}

function parse(
  parser: BusboyInstance,
  resolve: (form: Form) => void,
  reject: (error: FoveaError) => void,
): void {
  const fields = new Map<string, string[]>();
  const files = new Map<string, FilePart[]>();
  const refuseMore = (what: string) => () => reject(tooMany(what));
  parser.on('error', () => reject(malformed()));
  parser.on('filesLimit', refuseMore('files'));
  parser.on('fieldsLimit', refuseMore('fields'));
  parser.on('field', (name: string | undefined, value, _nameCut, valueCut) => {
    if (!name) reject(malformed());
    else if (valueCut) reject(partTooLarge('text field', limits.multipartFieldBytesMax));
    else fields.set(name, [...(fields.get(name) ?? []), value]);
  });
  parser.on('file', (name: string | undefined, stream, fileName, _encoding, type) => {
    if (!name) reject(malformed());
    const done = (content: Buffer) => {
      const member = name ?? '';
      const file = filePart(member, fileName, type, content);
      if (content.length === 0) reject(invalidArgument(member, 'the file is empty'));
      else files.set(member, [...(files.get(member) ?? []), file]);
    };
    collectFile(stream, done, reject);
  });
  parser.on('finish', () => {
    if (fields.size + files.size === 0) reject(malformed());
    else resolve({ fields, files });
  });
}

/** The stream must have an error handler: without one a broken body ends the process. */
function collectFile(
  stream: BusboyFileStream,
  done: (content: Buffer) => void,
  fail: (error: FoveaError) => void,
): void {
  const chunks: Buffer[] = [];
  stream.on('error', () => fail(malformed()));
  stream.on('limit', () => fail(partTooLarge('file', limits.imageBytesMax)));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(Buffer.concat(chunks)));
}

export function partTooLarge(what: string, bytes: number): FoveaError {
  return new FoveaError('too_large', `A ${what} may have ${bytes} bytes.`);
}

/**
 * The client's name for a file is a label and never a path. Browsers write quotes and line ends in
 * it as the Fetch standard says: percent-encoded, and nothing else.
 */
export function filePart(
  name: string,
  fileName: string | undefined,
  type: string,
  content: Buffer,
): FilePart {
  const base = (fileName ?? '').split(/[/\\]/).at(-1) ?? '';
  const exact = base.replaceAll('%22', '"').replaceAll(/%0[AD]/g, '');
  const label = exact.replaceAll(/\p{Cc}/gu, '').slice(0, 255);
  const isMediaType = /^[\w.+-]+\/[\w.+-]+$/.test(type);
  return { name: label || name, ...(isMediaType && { contentType: type }), content };
}
