// A keychain as a store of secrets: long values in pieces, one call at a time, each with a
// deadline.

import { randomUUID } from 'node:crypto';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { Secret } from '../../secret.ts';
import { SerialQueue } from '../../serial-queue.ts';
import type { SecretStore } from './secret-store.ts';

/** The entries of a keychain, under the name of this service. They throw what the library does. */
export interface KeychainEntries {
  /** For people. */
  readonly name: string;
  read(account: string): Promise<string | undefined>;
  write(account: string, value: string): Promise<void>;
  remove(account: string): Promise<void>;
  explain(thrown: unknown): KeychainTrouble;
}

/** `absent`: this machine, or this session, has no such keychain. */
export type KeychainTrouble = 'absent' | 'locked' | 'silent' | 'failed';

export class KeychainError extends FoveaError {
  readonly trouble: KeychainTrouble;

  constructor(trouble: KeychainTrouble, cause?: unknown) {
    super('internal', words[trouble].message, { hint: words[trouble].hint, retry: 'safe', cause });
    this.trouble = trouble;
  }
}

const words: Readonly<Record<KeychainTrouble, { message: string; hint: string }>> = {
  absent: {
    message: 'There is no keychain here.',
    hint: 'Run Fovea in a session that has one, or set FOVEA_CREDENTIALS=file and sign in again.',
  },
  locked: {
    message: 'The keychain is locked.',
    hint: 'Unlock it, or set FOVEA_CREDENTIALS=file and sign in again.',
  },
  silent: {
    message: 'The keychain did not answer in time.',
    hint: 'It may be asking for its password. Or set FOVEA_CREDENTIALS=file and sign in again.',
  },
  failed: {
    message: 'The keychain failed.',
    hint: 'Unlock it, or set FOVEA_CREDENTIALS=file and sign in again.',
  },
};

/**
 * A value that fits is in the entry of its name; a longer one is in entries of its own, which the
 * entry of the name lists. That entry is written last, so a reader finds the old or the new value.
 */
export function keychainStore(
  entries: KeychainEntries,
  charactersMax: number = pieceCharactersMax,
): SecretStore {
  const inTurn = oneAtATime(entries);
  const headOf = async (name: string) => parseHead(await entries.read(name));
  const removePieces = async (name: string, head: Head | undefined) => {
    for (const account of pieceNames(name, head)) await entries.remove(account);
  };
  const joined = async (name: string, head: Head): Promise<string | undefined> => {
    const pieces: string[] = [];
    for (const account of pieceNames(name, head)) {
      const piece = await entries.read(account);
      if (piece === undefined) return undefined;
      pieces.push(piece);
    }
    return pieces.join('');
  };
  return {
    name: entries.name,
    read: (name) =>
      inTurn(async () => {
        let missed: string | undefined;
        for (;;) {
          const content = await entries.read(name);
          const head = parseHead(content);
          if (head === undefined) return undefined;
          if ('text' in head) return decoded(head.text);
          const text = await joined(name, head);
          if (text !== undefined) return decoded(text);
          // Another process may have replaced the value, and its pieces, meanwhile.
          if (content === missed) throw damaged();
          missed = content;
        }
      }),
    write: (name, value) =>
      inTurn(async () => {
        // ASCII, so that characters are bytes; letters of others would be cut in two.
        const text = Buffer.from(value.reveal(), 'utf8').toString('base64');
        const before = await headOf(name).catch(ignoreDamage);
        if (text.length < charactersMax) {
          await entries.write(name, `=${text}`);
        } else {
          const head = { id: randomUUID(), count: Math.ceil(text.length / charactersMax) };
          for (const [index, account] of pieceNames(name, head).entries()) {
            const start = index * charactersMax;
            await entries.write(account, text.slice(start, start + charactersMax));
          }
          await entries.write(name, `#${head.id} ${head.count}`);
        }
        await removePieces(name, before);
      }),
    remove: (name) =>
      inTurn(async () => {
        const before = await headOf(name).catch(ignoreDamage);
        await entries.remove(name);
        await removePieces(name, before);
      }),
  };
}

/** Windows alone has a bound; where entries ask their user one by one, fewer are better. */
const pieceCharactersMax =
  process.platform === 'win32' ? limits.secretChunkCharactersMax : limits.sealedFileBytesMax;

/** What the entry of a name holds: the value, or where its pieces are. */
type Head = { readonly text: string } | { readonly id: string; readonly count: number };

function parseHead(content: string | undefined): Head | undefined {
  if (content === undefined) return undefined;
  if (content.startsWith('=')) return { text: content.slice(1) };
  const [, id, count] = /^#([0-9a-f-]{36}) ([1-9]\d{0,3})$/.exec(content) ?? [];
  if (id === undefined) throw damaged();
  return { id, count: Number(count) };
}

function pieceNames(name: string, head: Head | undefined): readonly string[] {
  if (head === undefined || 'text' in head) return [];
  return Array.from({ length: head.count }, (_, index) => `${name}#${head.id}#${index}`);
}

function decoded(text: string): Secret {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.toString('base64') !== text) throw damaged();
  return new Secret(bytes.toString('utf8'));
}

/** An unreadable entry may still be written or removed. */
function ignoreDamage(thrown: unknown): undefined {
  if (thrown instanceof FoveaError) return undefined;
  throw thrown;
}

function damaged(): FoveaError {
  return new FoveaError('internal', 'An entry of Fovea in the keychain is damaged.', {
    hint: 'Run fovea sign-out, then sign in again.',
  });
}

/**
 * A keychain that asks its user hangs until it is answered: one question at a time is enough, and
 * whoever waits behind it gives up as well.
 */
function oneAtATime(entries: KeychainEntries) {
  const queue = new SerialQueue();
  return async <T>(work: () => Promise<T>): Promise<T> => {
    const { promise: late, reject } = Promise.withResolvers<never>();
    let hasGivenUp = false;
    const timer = setTimeout(() => {
      hasGivenUp = true;
      reject(new KeychainError('silent'));
    }, limits.keychainMsMax);
    const turn = queue.run(async () => {
      if (hasGivenUp) throw new KeychainError('silent');
      return work();
    });
    try {
      return await Promise.race([turn, late]);
    } catch (thrown) {
      if (thrown instanceof FoveaError) throw thrown;
      throw new KeychainError(entries.explain(thrown), thrown);
    } finally {
      clearTimeout(timer);
    }
  };
}
