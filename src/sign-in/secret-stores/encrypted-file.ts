// Secrets in files, sealed with AES-256-GCM; the key is in the keychain where there is one.

import { createCipheriv, createDecipheriv, createHash, randomBytes, randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { FoveaError } from '../../errors.ts';
import { Secret } from '../../secret.ts';
import {
  createPrivateFile,
  type PrivateFiles,
  readPrivateFile,
  removePrivateFile,
  replacePrivateFile,
} from '../private-file.ts';
import type { SecretStore } from './secret-store.ts';

export interface EncryptedFileOptions extends PrivateFiles {
  readonly folder: string;
  /** The keychain by its kind; asked for when a key is made, or is there. */
  keychain(kind: string): Promise<SecretStore | undefined>;
  /** Where a new key goes; undefined: beside the files. */
  chooseKeychain(): Promise<string | undefined>;
}

/**
 * `SHA256(name).sealed` for each secret, and `key` for where the key is: beside the files it
 * protects a copy of one of them, in the keychain it protects all. Processes may share the folder.
 */
export async function openEncryptedFiles(options: EncryptedFileOptions): Promise<SecretStore> {
  const keys = new KeyPlace(options);
  const pathOf = (name: string) => join(options.folder, `${hashOf(name)}.sealed`);
  const place = (await keys.find())?.place ?? (await options.chooseKeychain());
  return {
    name: `encrypted file, key ${place === undefined ? 'beside it' : 'in the keychain'}`,
    read: async (name) => {
      const sealed = await readPrivateFile(pathOf(name), options);
      if (sealed === undefined) return undefined;
      return unseal(sealed, name, await keys.get());
    },
    write: async (name, value) => {
      const sealed = seal(value, name, await keys.getOrMake());
      await replacePrivateFile(pathOf(name), sealed, options);
    },
    remove: (name) => removePrivateFile(pathOf(name)),
  };
}

/** The content of the file `key`: the key itself, or the keychain entry that holds it. */
interface KeyNote {
  readonly place: string | undefined;
  readonly value: string;
}

class KeyPlace {
  readonly #options: EncryptedFileOptions;
  readonly #path: string;
  #known: { readonly value: string; readonly key: Secret } | undefined;

  constructor(options: EncryptedFileOptions) {
    this.#options = options;
    this.#path = join(options.folder, 'key');
  }

  async find(): Promise<KeyNote | undefined> {
    const content = await readPrivateFile(this.#path, this.#options);
    if (content === undefined) return undefined;
    const [version, place, value, rest] = content.toString('utf8').trim().split(' ');
    if (version !== 'fovea-key-1' || !place || !value || rest !== undefined) throw damagedKey();
    return { place: place === beside ? undefined : place, value };
  }

  /** Throws `internal` where the key is missing, since secrets were sealed with it. */
  async get(): Promise<Secret> {
    const note = await this.find();
    if (note === undefined) throw damaged();
    // The folder may have been removed and made anew by another process.
    if (this.#known?.value !== note.value) {
      this.#known = { value: note.value, key: await this.#open(note) };
    }
    return this.#known.key;
  }

  async getOrMake(): Promise<Secret> {
    if ((await this.find()) === undefined) await this.#make();
    return this.get();
  }

  async #open({ place, value }: KeyNote): Promise<Secret> {
    if (place === undefined) return checkedKey(value);
    const keychain = await this.#options.keychain(place);
    if (keychain === undefined) {
      throw new FoveaError('internal', 'The keychain with the key of the sign-in is not here.', {
        hint: 'Run Fovea where the keychain is, or fovea sign-out and sign in again.',
      });
    }
    const kept = await keychain.read(value);
    if (kept === undefined) {
      throw new FoveaError('internal', 'The keychain no longer has the key of the sign-in.', {
        hint: 'Unlock it, or remove the folder "credentials" in FOVEA_HOME and sign in again.',
      });
    }
    return checkedKey(kept.reveal());
  }

  /** Several processes may make a key at once: one wins, and the others use its key. */
  async #make(): Promise<void> {
    const { keychain, chooseKeychain } = this.#options;
    const key = new Secret(randomBytes(keyBytes).toString('base64url'));
    const place = await chooseKeychain();
    const store = place === undefined ? undefined : await keychain(place);
    if (place === undefined || store === undefined) {
      await this.#note(beside, key.reveal());
      return;
    }
    const entry = `key:${randomUUID()}`;
    await store.write(entry, key);
    if (!(await this.#note(place, entry))) await store.remove(entry);
  }

  async #note(place: string, value: string): Promise<boolean> {
    const content = Buffer.from(`fovea-key-1 ${place} ${value}\n`);
    return createPrivateFile(this.#path, content, this.#options);
  }
}

const beside = 'beside';
const keyBytes = 32;

function checkedKey(text: string): Secret {
  if (Buffer.from(text, 'base64url').length !== keyBytes) throw damagedKey();
  return new Secret(text);
}

/** A version byte, the nonce, the tag, then the text; bound to its name, so none can be swapped. */
function seal(value: Secret, name: string, key: Secret): Buffer {
  const nonce = randomBytes(nonceBytes);
  const cipher = createCipheriv('aes-256-gcm', Buffer.from(key.reveal(), 'base64url'), nonce);
  cipher.setAAD(Buffer.from(name));
  const text = Buffer.concat([cipher.update(value.reveal(), 'utf8'), cipher.final()]);
  return Buffer.concat([Buffer.of(version), nonce, cipher.getAuthTag(), text]);
}

function unseal(sealed: Buffer, name: string, key: Secret): Secret {
  const textAt = 1 + nonceBytes + tagBytes;
  if (sealed[0] !== version || sealed.length < textAt) throw damaged();
  const nonce = sealed.subarray(1, 1 + nonceBytes);
  const keyed = Buffer.from(key.reveal(), 'base64url');
  const decipher = createDecipheriv('aes-256-gcm', keyed, nonce, { authTagLength: tagBytes });
  decipher.setAAD(Buffer.from(name));
  decipher.setAuthTag(sealed.subarray(1 + nonceBytes, textAt));
  try {
    const text = Buffer.concat([decipher.update(sealed.subarray(textAt)), decipher.final()]);
    return new Secret(text.toString('utf8'));
  } catch {
    throw damaged();
  }
}

const version = 1;
const nonceBytes = 12;
const tagBytes = 16;

function damaged(): FoveaError {
  return new FoveaError('internal', 'A file of the sign-in is damaged, or its key is lost.', {
    hint: 'Run fovea sign-out, then sign in again.',
  });
}

function damagedKey(): FoveaError {
  return new FoveaError('internal', 'The key of the sign-in is damaged.', {
    hint: 'Remove the folder "credentials" in FOVEA_HOME, and sign in again.',
  });
}

function hashOf(name: string): string {
  return createHash('sha256').update(name).digest('hex');
}
