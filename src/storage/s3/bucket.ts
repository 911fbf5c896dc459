// A bucket of an S3 store: the few requests that content needs. The SDK of AWS signs them, sends
// them again where that may help, and finds credentials.

import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { Readable } from 'node:stream';
import {
  AbortMultipartUploadCommand,
  CompleteMultipartUploadCommand,
  CreateMultipartUploadCommand,
  DeleteObjectCommand,
  GetObjectCommand,
  ListObjectsV2Command,
  PutObjectCommand,
  S3Client,
  UploadPartCommand,
} from '@aws-sdk/client-s3';
import { getSignedUrl } from '@aws-sdk/s3-request-presigner';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { ObjectStorageSettings } from '../../object-storage-settings.ts';
import type { LinkedAs } from '../blob-store.ts';
import { damaged } from '../content-hash.ts';
import type { ByteRange } from '../file-store.ts';
import { asObjectsError, isMissingObject } from './errors.ts';

export interface ListedObject {
  readonly key: string;
  readonly bytes: number;
}

/** Keys are those below the prefix of the place. What the store refuses is thrown in our words. */
export interface Bucket {
  /** Objects whose keys begin so, sorted by key; of them those behind `after`. */
  list(start: string, after?: string): AsyncIterable<ListedObject>;
  /** Undefined: there is no such object. What fails on the way fails the stream. */
  get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined>;
  /** The store holds the bytes against their SHA-256, which is in the signature. */
  put(key: string, bytes: Uint8Array): Promise<void>;
  /**
   * A large file, in parts. Throws `internal` where it has not this SHA-256; no object is made
   * then.
   */
  putFile(key: string, path: string, hash: string): Promise<void>;
  remove(key: string): Promise<void>;
  /** An address from which anybody gets the object, for `limits.objectLinkSeconds`. */
  link(key: string, as: LinkedAs): Promise<string>;
}

/** `attemptsMax`: of each request; that of `limits` unless given. */
export function openBucket(place: ObjectStorageSettings, attemptsMax?: number): Bucket {
  return new S3Bucket(place, attemptsMax);
}

class S3Bucket implements Bucket {
  readonly #client: S3Client;
  readonly #place: ObjectStorageSettings;

  constructor(place: ObjectStorageSettings, attemptsMax: number = limits.objectAttemptsMax) {
    const { endpoint } = place;
    // Stores behind an endpoint have one region, of any name.
    const region = place.region ?? (endpoint === undefined ? undefined : 'us-east-1');
    this.#place = place;
    this.#client = new S3Client({
      forcePathStyle: endpoint !== undefined,
      ...(endpoint !== undefined && { endpoint }),
      ...(region !== undefined && { region }),
      // Content has its own checksum; others than AWS do not know those of the SDK.
      requestChecksumCalculation: 'WHEN_REQUIRED',
      responseChecksumValidation: 'WHEN_REQUIRED',
      maxAttempts: attemptsMax,
      requestHandler: {
        connectionTimeout: limits.objectConnectMsMax,
        socketTimeout: limits.objectSilenceMsMax,
        socketAcquisitionWarningTimeout: limits.objectSilenceMsMax,
      },
    });
  }

  async *list(start: string, after?: string): AsyncGenerator<ListedObject> {
    const behind = after === undefined ? undefined : this.#place.prefix + after;
    let from: string | undefined;
    let emptyPages = 0;
    do {
      const page = await this.#asked(
        this.#client.send(
          new ListObjectsV2Command({
            Bucket: this.#place.bucket,
            Prefix: this.#place.prefix + start,
            ContinuationToken: from,
            StartAfter: from === undefined ? behind : undefined,
          }),
        ),
      );
      for (const { Key = '', Size = 0 } of page.Contents ?? []) {
        yield { key: Key.slice(this.#place.prefix.length), bytes: Size };
      }
      emptyPages = page.Contents?.length ? 0 : emptyPages + 1;
      if (emptyPages > limits.objectEmptyPagesMax) throw endlessList();
      from = page.IsTruncated ? page.NextContinuationToken : undefined;
    } while (from !== undefined);
  }

  async get(key: string, range?: ByteRange): Promise<AsyncIterable<Uint8Array> | undefined> {
    const part = range && { Range: `bytes=${range.start}-${range.end}` };
    try {
      const { Body, ContentRange } = await this.#client.send(
        new GetObjectCommand({ ...this.#object(key), ...part }),
      );
      const body = Body instanceof Readable ? Body : Readable.from([]);
      if (range !== undefined) checkRange(body, range, ContentRange);
      return this.#read(body);
    } catch (thrown) {
      if (isMissingObject(thrown)) return undefined;
      throw asObjectsError(thrown, this.#place);
    }
  }

  async *#read(body: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
    try {
      yield* body;
    } catch (thrown) {
      throw asObjectsError(thrown, this.#place);
    }
  }

  async put(key: string, bytes: Uint8Array): Promise<void> {
    await this.#asked(
      this.#client.send(new PutObjectCommand({ ...this.#object(key), Body: bytes })),
    );
  }

  async putFile(key: string, path: string, hash: string): Promise<void> {
    const begun = await this.#asked(
      this.#client.send(new CreateMultipartUploadCommand(this.#object(key))),
    );
    const upload = { ...this.#object(key), UploadId: begun.UploadId };
    try {
      const parts = await this.#putParts(upload, path, hash);
      await this.#client.send(
        new CompleteMultipartUploadCommand({ ...upload, MultipartUpload: { Parts: parts } }),
      );
    } catch (thrown) {
      // The parts are paid for until they are removed.
      await this.#client.send(new AbortMultipartUploadCommand(upload)).catch(() => {});
      throw asObjectsError(thrown, this.#place);
    }
  }

  /** A few at a time: each is in memory, so that it can be sent again. */
  async #putParts(upload: Upload, path: string, hash: string): Promise<Part[]> {
    const running = new Set<Promise<void>>();
    const parts: Part[] = [];
    const measured = createHash('sha256');
    for await (const Body of piecesOf(path)) {
      measured.update(Body);
      const part: Part = { PartNumber: parts.length + 1, ETag: undefined };
      parts.push(part);
      const sending = this.#client
        .send(new UploadPartCommand({ ...upload, PartNumber: part.PartNumber, Body }))
        .then(({ ETag }) => {
          part.ETag = ETag;
        });
      running.add(sending);
      sending.then(() => running.delete(sending)).catch(() => {});
      if (running.size >= limits.objectPartsAtOnceMax) await Promise.race(running);
    }
    await Promise.all(running);
    if (measured.digest('hex') !== hash) throw damaged(hash);
    return parts;
  }

  async remove(key: string): Promise<void> {
    try {
      await this.#client.send(new DeleteObjectCommand(this.#object(key)));
    } catch (thrown) {
      if (!isMissingObject(thrown)) throw asObjectsError(thrown, this.#place);
    }
  }

  async link(key: string, { contentType, disposition }: LinkedAs): Promise<string> {
    const command = new GetObjectCommand({
      ...this.#object(key),
      ResponseContentType: contentType,
      ResponseContentDisposition: disposition,
    });
    const expiresIn = limits.objectLinkSeconds;
    return this.#asked(getSignedUrl(this.#client, command, { expiresIn }));
  }

  #object(key: string) {
    return { Bucket: this.#place.bucket, Key: this.#place.prefix + key };
  }

  async #asked<T>(answer: Promise<T>): Promise<T> {
    try {
      return await answer;
    } catch (thrown) {
      throw asObjectsError(thrown, this.#place);
    }
  }
}

/** A store that takes no ranges gives the whole object: as a part, that would be wrong bytes. */
function checkRange(body: Readable, { start, end }: ByteRange, given: string | undefined): void {
  if (given?.startsWith(`bytes ${start}-${end}/`)) return;
  body.destroy();
  throw new FoveaError('internal', 'The object store gave another part than was asked for.', {
    hint: 'It must answer requests with a Range: Fovea reads parts of large files.',
  });
}

interface Upload {
  readonly Bucket: string;
  readonly Key: string;
  readonly UploadId: string | undefined;
}

function endlessList(): FoveaError {
  return new FoveaError('internal', 'The object store lists without end, and without objects.');
}

interface Part {
  readonly PartNumber: number;
  ETag: string | undefined;
}

/** A file in pieces of the size of a part. */
async function* piecesOf(path: string): AsyncGenerator<Buffer> {
  const pieces = createReadStream(path, { highWaterMark: limits.objectPartBytes });
  let waiting: Buffer[] = [];
  let bytes = 0;
  for await (const piece of pieces) {
    waiting.push(piece);
    bytes += piece.length;
    if (bytes < limits.objectPartBytes) continue;
    // A read may give less than was asked for, and only the last part may be short.
    yield Buffer.concat(waiting);
    waiting = [];
    bytes = 0;
  }
  if (bytes > 0) yield Buffer.concat(waiting);
}
