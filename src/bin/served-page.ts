// Where the page of a data folder is served: `fovea platform` leaves its address in the folder, so
// that other processes on the same data can send people there.

import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { url as parseUrl } from '../config.ts';
import { askPlatform } from '../http-client/recognise-platform.ts';
import { instance } from '../http-server/instance.ts';
import { isJsonObject, type JsonObject } from '../json-object.ts';

const fileIn = (data: string) => join(data, 'served-page.json');

/** Resolves with what takes the address away again. The page works as well where nobody knows. */
export async function leavePageAddress(data: string, url: string): Promise<() => Promise<void>> {
  const path = fileIn(data);
  await writeFile(path, JSON.stringify({ url, instance }), { mode: 0o600 }).catch(() => undefined);
  return async () => {
    // Another process may have come after this one.
    if ((await read(path))?.instance === instance) await rm(path, { force: true });
  };
}

/** The address of the page of a data folder; undefined: nobody serves it now. */
export async function findServedPage(data: string): Promise<string | undefined> {
  const left = await read(fileIn(data));
  const parsed = typeof left?.url === 'string' ? parseUrl(left.url) : undefined;
  if (left === undefined || parsed === undefined || 'wrong' in parsed) return undefined;
  // What died left its address, at which another platform may answer since.
  const answering = await askPlatform(parsed.value, undefined);
  const isSame = typeof answering === 'object' && answering.instance === left.instance;
  return isSame ? parsed.value : undefined;
}

async function read(path: string): Promise<JsonObject | undefined> {
  try {
    const left: unknown = JSON.parse(await readFile(path, 'utf8'));
    return isJsonObject(left) ? left : undefined;
  } catch {
    return undefined;
  }
}
