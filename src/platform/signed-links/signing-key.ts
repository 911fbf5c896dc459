// The key that signs all links and tokens of this platform. It is stored: a task that waits for an
// upload outlives the process.

import { createHmac, randomBytes, randomUUID, timingSafeEqual } from 'node:crypto';
import { link, open, readFile, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { makeFolder, syncFolder } from '../../durable-folders.ts';
import { FoveaError, systemErrorCode } from '../../errors.ts';

/** The purpose of a signature, which is not valid for another purpose. */
export type SignedFor = 'blob' | 'upload' | 'thumb' | 'continuation' | 'objects';

export interface SigningKey {
  /** The signature of values in this order, as base64url. */
  sign(purpose: SignedFor, values: readonly (string | number)[]): string;
  /** Whether `signature` is that of the values. Compares in constant time. */
  isSigned(purpose: SignedFor, values: readonly (string | number)[], signature: string): boolean;
}

/**
 * The key in the file `link-key` of the data folder, readable by its owner only; created where it
 * is missing. Processes that create it at the same time get the same key. Throws `internal` for a
 * damaged file.
 */
export async function openSigningKey(data: string): Promise<SigningKey> {
  return signingKeyOf((await readKeyFile(data)) ?? (await makeKeyFile(data)));
}

const keyFile = (data: string) => join(data, 'link-key');

/** Undefined where there is none. Throws `internal` for a damaged one. */
export async function readKeyFile(data: string): Promise<Buffer | undefined> {
  const bytes = await readKey(keyFile(data));
  return bytes && checked(bytes);
}

/** `key`: that of the file, where there is none yet. Throws `internal` where it cannot be made. */
export async function makeKeyFile(data: string, key: Buffer = newKey()): Promise<Buffer> {
  makeFolder(data);
  return checked(await makeKey(keyFile(data), key));
}

function checked(bytes: Buffer): Buffer {
  if (bytes.length !== keyBytes) {
    throw new FoveaError('internal', 'The file link-key of the data folder is damaged.', {
      hint: 'Remove it: a new one is made, and links that were given end.',
    });
  }
  return bytes;
}

export function newKey(): Buffer {
  return randomBytes(keyBytes);
}

export function signingKeyOf(key: Buffer): SigningKey {
  const digest = (purpose: SignedFor, values: readonly (string | number)[]) =>
    createHmac('sha256', key)
      .update(JSON.stringify([purpose, ...values.map(String)]))
      .digest('base64url');
  return {
    sign: digest,
    isSigned: (purpose, values, signature) => {
      // Compared as texts: a decoder of base64url skips what it does not know.
      const given = Buffer.from(signature);
      const right = Buffer.from(digest(purpose, values));
      return given.length === right.length && timingSafeEqual(given, right);
    },
  };
}

const keyBytes = 32;

async function readKey(path: string): Promise<Buffer | undefined> {
  try {
    return await readFile(path);
  } catch (thrown) {
    if (systemErrorCode(thrown) === 'ENOENT') return undefined;
    throw unusable(thrown);
  }
}

/** Written under another name first, so that no process reads half a key. */
async function makeKey(path: string, key: Buffer): Promise<Buffer> {
  const draft = `${path}.${randomUUID()}`;
  try {
    await writeKey(draft, key);
    await link(draft, path).catch((thrown) => {
      // Another process was first: its key counts.
      if (systemErrorCode(thrown) !== 'EEXIST') throw thrown;
    });
    await syncFolder(dirname(path));
    return await readFile(path);
  } catch (thrown) {
    throw unusable(thrown);
  } finally {
    await rm(draft, { force: true });
  }
}

async function writeKey(path: string, bytes: Buffer): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    await file.sync();
  } finally {
    await file.close();
  }
}

function unusable(cause: unknown): FoveaError {
  return new FoveaError('internal', 'The file link-key of the data folder cannot be used.', {
    cause,
  });
}
