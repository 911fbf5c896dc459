// Where a secret must not turn up: what a process wrote, what it was started with, and its files.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';

/** A secret that occurs nowhere else, of letters that every encoding of text leaves alone. */
export function mark(what: string): string {
  const random = Array.from({ length: 24 }, () => alphabet[Math.floor(Math.random() * 26)]).join(
    '',
  );
  return `canary${what}${random}`;
}

const alphabet = 'abcdefghijklmnopqrstuvwxyz';

/** A place, and what was found there: its bytes as Latin-1, so that each byte is a letter. */
export interface Place {
  readonly name: string;
  readonly content: string;
}

/** `SECRET in PLACE` for each secret that is in a place: plain, in hexadecimal or in base64. */
export function leaks(
  secrets: Readonly<Record<string, string>>,
  places: readonly Place[],
): readonly string[] {
  return Object.entries(secrets).flatMap(([name, secret]) => {
    if (secret.length < 16) throw new Error(`${name} is too short to be looked for`);
    const spellings = spellingsOf(secret);
    return places
      .filter(({ content }) => spellings.some((spelling) => content.includes(spelling)))
      .map((place) => `${name} in ${place.name}`);
  });
}

function spellingsOf(secret: string): readonly string[] {
  const bytes = Buffer.from(secret);
  // Base64 spells the same bytes in three ways, by where they begin.
  const base64 = [0, 1, 2].map((lead) => {
    const text = Buffer.concat([Buffer.alloc(lead), bytes]).toString('base64');
    return text.replace(/=+$/, '').slice(lead === 0 ? 0 : lead + 1, -2);
  });
  return [
    secret,
    encodeURIComponent(secret),
    JSON.stringify(secret).slice(1, -1),
    bytes.toString('hex'),
    ...base64,
    ...base64.map((text) => text.replaceAll('+', '-').replaceAll('/', '_')),
  ];
}

/** All files below a folder. */
export async function filesBelow(folder: string): Promise<readonly Place[]> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return Promise.all(
    files.map(async ({ parentPath, name }) => {
      const path = join(parentPath, name);
      return { name: path.slice(folder.length), content: await readFile(path, 'latin1') };
    }),
  );
}

/** The words that a process was started with, which every user of the machine may read. */
export async function wordsOf(pid: number | undefined): Promise<Place> {
  const content = await readFile(`/proc/${pid}/cmdline`, 'latin1').catch(() => '');
  return { name: `the command line of ${pid}`, content };
}
