// Decodes and checks names of archive entries. No file is written under them, yet none may contain
// "..".

import { type ExtraField, getFileNameLowLevel } from 'yauzl';
import { limits } from '../../limits.ts';

/** A path with slashes, without a slash at either end, or what is wrong with it. */
export type EntryName = { readonly path: string } | { readonly problem: string };

/** The parts of an entry of the central directory that its name is made from. */
export interface RawName {
  readonly bytes: Buffer;
  readonly flags: number;
  readonly extraFields: readonly ExtraField[];
}

/**
 * The name as text: UTF-8 where the archive says so or the bytes are (macOS does not say so), else
 * code page 437 (APPNOTE.TXT appendix D).
 */
export function decodeName({ bytes, flags, extraFields }: RawName): string {
  const saysHow = (flags & utf8Flag) !== 0 || extraFields.some(({ id }) => id === unicodePathId);
  const text = saysHow ? undefined : utf8(bytes);
  return text ?? getFileNameLowLevel(flags, bytes, [...extraFields], true);
}

const utf8Flag = 0x800;
const unicodePathId = 0x7075;

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/**
 * Checks a name. Windows tools separate folders with backslashes against the specification
 * (APPNOTE.TXT section 4.4.17.1): those are taken as slashes before anything is checked.
 */
export function checkName(name: string): EntryName {
  if (name.length > limits.zipNameCharactersMax) {
    return { problem: `its name is longer than ${limits.zipNameCharactersMax} characters` };
  }
  if (/\p{Cc}/u.test(name)) return { problem: 'its name has control characters' };
  const path = name.normalize('NFC').replaceAll('\\', '/');
  if (path.startsWith('/') || /^[a-z]:/i.test(path)) return { problem: 'its path is absolute' };
  const parts = path.split('/').filter((part) => part !== '' && part !== '.');
  if (parts.includes('..')) return { problem: 'its path leads out of the archive' };
  if (parts.length > limits.zipFoldersMax + 1) {
    return { problem: `it lies in more than ${limits.zipFoldersMax} folders` };
  }
  return parts.length === 0 ? { problem: 'it has no name' } : { path: parts.join('/') };
}

/** A name that is not to be trusted, as a report may show it. */
export function shownName(name: string): string {
  const line = name.toWellFormed().replaceAll(/\p{C}/gu, '?');
  return line.length > shownCharactersMax ? `${line.slice(0, shownCharactersMax)}…` : line;
}

const shownCharactersMax = 200;

/** What systems put beside the files that a person meant. */
export function isNoise(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('._') || noise.has(part.toLowerCase()));
}

const noise = new Set(['__macosx', '.ds_store', 'thumbs.db', 'desktop.ini']);

/** Whether a file or a folder above it begins with a dot, as those that systems hide. */
export function isHidden(path: string): boolean {
  return path.split('/').some((part) => part.startsWith('.'));
}
