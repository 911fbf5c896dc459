// A multipart body in memory: text fields and files, all within bounds.

import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import type { FilePart } from '../contract/operation.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import { receive } from './receive.ts';
import type { Turn } from './turns.ts';

export interface Form {
  readonly fields: ReadonlyMap<string, readonly string[]>;
  readonly files: ReadonlyMap<string, readonly FilePart[]>;
}

/**
 * Reads a multipart body to its end; waits for its turn when its first part is there. Throws
 * `too_large`, and `invalid_input` for one that is malformed, incomplete or without parts, and for
 * a file that is empty.
 */
export async function readMultipart(request: IncomingMessage, turn: Turn): Promise<Form> {
  const parser = createParser(request);
  let state: 'silent' | 'waiting' | 'running' = 'silent';
  const rules = {
    bytesMax: limits.multipartBytesMax,
    isBusy: () => state === 'waiting',
    isHeld: () => state === 'running',
  };
  return receive(request, rules, (resolve, reject) => {
    parse(parser, resolve, reject);
    request.once('data', async (first: Buffer) => {
      request.pause();
      state = 'waiting';
      await turn.begin();
      state = 'running';
      parser.write(first);
      request.pipe(parser);
    });
    request.once('end', () => {
      if (state === 'silent') parser.end();
    });
  });
}

const malformed = () => invalidArgument('', 'The multipart body is malformed or incomplete.');

function createParser({ headers }: IncomingMessage): BusboyInstance {
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': headers['content-type'] ?? '' },
      limits: {
        fieldSize: limits.multipartFieldBytesMax,
        fields: limits.multipartFieldsMax,
        fileSize: limits.imageBytesMax,
        files: limits.multipartFilesMax,
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
  const refuseMore = (what: string) => () => {
    reject(new FoveaError('too_large', `The multipart body has too many ${what}.`));
  };
  parser.on('error', () => reject(malformed()));
  parser.on('filesLimit', refuseMore('files'));
  parser.on('fieldsLimit', refuseMore('fields'));
  parser.on('field', (name: string | undefined, value, _nameCut, valueCut) => {
    if (!name) reject(malformed());
    else if (valueCut) reject(tooLarge('text field', limits.multipartFieldBytesMax));
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
  stream.on('limit', () => fail(tooLarge('file', limits.imageBytesMax)));
  stream.on('data', (chunk: Buffer) => chunks.push(chunk));
  stream.on('end', () => done(Buffer.concat(chunks)));
}

function tooLarge(what: string, bytes: number): FoveaError {
  return new FoveaError('too_large', `A ${what} may have ${bytes} bytes.`);
}

/**
 * The client's name for a file is a label and never a path. Browsers write quotes and line ends in
 * it as the Fetch standard says: percent-encoded, and nothing else.
 */
function filePart(
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
