// A multipart body with one file, which is streamed to its store and never held in memory.

import type { IncomingMessage } from 'node:http';
import { Busboy, type BusboyFileStream, type BusboyInstance } from '@fastify/busboy';
import { FoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { watchBody } from './body-limits.ts';
import { boundaryOf, feedParser, multipartType } from './multipart-boundary.ts';

export interface UploadRules {
  /** Of the file. */
  readonly bytesMax: number;
  /** Text fields that may come with the file, each with its check, which throws. */
  readonly fields: Readonly<Record<string, (value: string) => void>>;
}

export interface ReceivedFile<Stored> {
  /** The result of `store`. */
  readonly stored: Stored;
  /** By name; those that did not come are not there. */
  readonly fields: ReadonlyMap<string, string>;
  /** The media type that the client gave the file; undefined where it gave none. */
  readonly declaredType: string | undefined;
  /** By which name the client sent it; undefined: without one. */
  readonly name: string | undefined;
}

/**
 * Reads a multipart body of exactly one part `file` and text fields, in any order, and hands the
 * file to `store` piece by piece. The pieces end only when the whole body was good, and else throw
 * what is wrong with it, so that `store` keeps nothing: `bad_request` for a body that is malformed,
 * incomplete, or of other parts, `too_large` with the first piece above the limit, `cancelled` when
 * the client goes away, or what the check of a field throws. `store` has ended when this does.
 */
export async function receiveFile<Stored>(
  request: IncomingMessage,
  rules: UploadRules,
  store: (pieces: AsyncIterable<Uint8Array>) => Promise<Stored>,
): Promise<ReceivedFile<Stored>> {
  const boundary = boundaryOf(request);
  if (boundary === undefined) throw notMultipart();
  const parser = createParser(request, boundary, rules);
  let isStoring = false;
  const form = new Form(parser, rules);
  const bytesMax = bodyBytesMax(rules);
  const watch = watchBody(request, form.fail, { bytesMax, isBusy: () => isStoring });
  feedParser(request, parser, {
    boundary,
    max: boundariesMax(rules),
    refuse: () => form.fail(tooManyParts()),
  });

  async function* pieces(stream: BusboyFileStream): AsyncGenerator<Uint8Array> {
    let bytes = 0;
    let collectAt: number = limits.uploadCollectBytes;
    for await (const piece of stream) {
      bytes += piece.length;
      if (bytes > rules.bytesMax) throw tooLarge(rules.bytesMax);
      if (bytes >= collectAt) {
        collectPieces();
        collectAt = bytes + limits.uploadCollectBytes;
      }
      isStoring = true;
      yield piece;
      isStoring = false;
    }
    if (bytes === 0) throw wrong('file: is empty');
    await form.finished;
    watch.relax();
  }

  try {
    const { stream, type, name } = await form.file;
    const stored = await store(pieces(stream));
    const declaredType = /^[\w.+-]+\/[\w.+-]+$/.test(type) ? type : undefined;
    return { stored, fields: form.fields, declaredType, name };
  } catch (thrown) {
    // The stream of the file fails with an error of the parser's own.
    throw thrown instanceof FoveaError ? thrown : (form.failure ?? thrown);
  } finally {
    watch.discard();
  }
}

/**
 * The pieces that are done with: V8 alone would keep 64 MB of them. It takes a millisecond, and
 * nothing where the process was not started with `--expose-gc`.
 */
function collectPieces(): void {
  globalThis.gc?.({ type: 'minor', execution: 'sync' });
}

/** Throws what the headers alone show to be wrong, before the body is read, as receiveFile does. */
export function checkHeaders(request: IncomingMessage, rules: UploadRules): void {
  if (boundaryOf(request) === undefined) throw notMultipart();
  const announced = Number(request.headers['content-length'] ?? 0);
  if (announced > bodyBytesMax(rules)) throw tooLarge(rules.bytesMax);
}

function bodyBytesMax({ bytesMax, fields }: UploadRules): number {
  const fieldsMax = Object.keys(fields).length;
  return bytesMax + fieldsMax * limits.multipartFieldBytesMax + framingBytesMax;
}

/** Boundaries and headers of the parts. */
const framingBytesMax = 64 * 1024;

function wrong(message: string): FoveaError {
  return new FoveaError('bad_request', `${message}.`);
}

function tooLarge(bytesMax: number): FoveaError {
  return new FoveaError('too_large', `file: may have ${bytesMax} bytes.`);
}

const malformed = () => wrong('The multipart body is malformed or incomplete');

const notMultipart = () => wrong('The body must be multipart/form-data with a boundary');

const tooManyParts = () => wrong('The multipart body has more parts than expected');

/** Some more than there may be: a part that is too much is named where it can be. */
function boundariesMax({ fields }: UploadRules): number {
  return Object.keys(fields).length + limits.multipartFilesMax;
}

function createParser(
  { headers }: IncomingMessage,
  boundary: string,
  { fields }: UploadRules,
): BusboyInstance {
  const known = Object.keys(fields).length;
  try {
    return new Busboy({
      headers: { ...headers, 'content-type': multipartType(boundary) },
      // One more than there may be, so that its event names what is wrong.
      limits: {
        fieldSize: limits.multipartFieldBytesMax,
        fields: known + 1,
        files: 2,
        parts: known + 3,
        headerPairs: limits.multipartHeadersMax,
        headerSize: limits.multipartHeaderBytesMax,
      },
      isPartAFile: (name, _type, fileName) => name === 'file' || fileName !== undefined,
    });
  } catch {
    throw notMultipart();
  }
}

interface OpenFile {
  readonly stream: BusboyFileStream;
  readonly type: string;
  readonly name: string | undefined;
}

/** The parts as the parser finds them. */
class Form {
  /** The file, once its part begins; what comes before it is in `fields` then. */
  readonly file: Promise<OpenFile>;
  /** Resolves at the end of a good body. */
  readonly finished: Promise<void>;
  /** Fails the form, and the reader of the file. */
  readonly fail: (reason: unknown) => void;
  readonly fields = new Map<string, string>();
  /** What is wrong with the body, once that is known. */
  failure: unknown;

  constructor(parser: BusboyInstance, rules: UploadRules) {
    const file = Promise.withResolvers<OpenFile>();
    const finished = Promise.withResolvers<void>();
    let open: BusboyFileStream | undefined;
    this.file = file.promise;
    this.finished = finished.promise;
    this.fail = (reason) => {
      this.failure ??= reason;
      finished.reject(reason);
      file.reject(reason);
    };
    // A failure in the middle of the file reaches its reader through the stream.
    this.finished.catch((reason) => open?.destroy(reason));
    this.file.catch(() => {});
    const tooMany = () => this.fail(tooManyParts());
    parser.on('error', () => this.fail(malformed()));
    parser.on('partsLimit', tooMany);
    parser.on('filesLimit', tooMany);
    parser.on('fieldsLimit', tooMany);
    parser.on('field', (name: string | undefined, value, _nameCut, valueCut) => {
      try {
        this.#take(rules, name, value, valueCut);
      } catch (thrown) {
        this.fail(thrown);
      }
    });
    parser.on('file', (name: string | undefined, stream, fileName, _encoding, type) => {
      // Without a handler, a broken body ends the process.
      stream.on('error', () => this.fail(malformed()));
      const isFirst = open === undefined;
      open ??= stream;
      if (name === 'file' && isFirst) return file.resolve({ stream, type, name: fileName });
      stream.resume();
      this.fail(name === 'file' ? wrong('file: is given twice') : unknownPart(rules));
    });
    parser.on('finish', () => {
      if (open === undefined) this.fail(wrong('file: is missing'));
      else finished.resolve();
    });
  }

  #take({ fields }: UploadRules, name: string | undefined, value: string, isCut: boolean): void {
    const check = Object.entries(fields).find(([known]) => known === name)?.[1];
    if (name === undefined || check === undefined) throw unknownPart({ fields });
    if (this.fields.has(name)) throw wrong(`${name}: is given twice`);
    check(value);
    if (isCut) throw wrong(`${name}: is too long`);
    this.fields.set(name, value);
  }
}

function unknownPart({ fields }: Pick<UploadRules, 'fields'>): FoveaError {
  const known = ['file', ...Object.keys(fields)].join(', ');
  return wrong(`The multipart body has a part that is not known; expected ${known}`);
}
