// Chooses the path of the contact sheet of a preview, and saves it.

import { createHash } from 'node:crypto';
import { mkdir, readdir, realpath, rm, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { refuseExisting, saveTarget } from '../download-link.ts';
import { replaceFile } from '../replace-file.ts';

interface Given {
  readonly save_to?: string | undefined;
  readonly overwrite?: boolean | undefined;
}

/** The requested path, or the folder of all previews. */
export type SheetTarget =
  | { readonly kind: 'asked'; readonly path: string }
  | { readonly kind: 'kept'; readonly folder: string; readonly name: string };

/**
 * A path that ends in .jpg is the file; any other is a folder. Without a path, the
 * sheet goes to the data folder. Throws `invalid_input` for a path outside the file roots, and
 * `conflict` for an existing file that must not be replaced.
 */
export async function sheetTarget(
  { save_to, overwrite = false }: Given,
  name: string,
  { files, settings }: ToolContext,
): Promise<SheetTarget> {
  if (save_to === undefined) return { kind: 'kept', folder: join(settings.home, 'previews'), name };
  const path = await saveTarget(save_to, name, { files }, ['.jpg', '.jpeg']);
  if (!overwrite) await refuseExisting(path, 'overwrite');
  return { kind: 'asked', path };
}

/** Writes it whole or not at all, and gives its path. */
export async function saveSheet(bytes: Uint8Array, target: SheetTarget): Promise<string> {
  if (target.kind === 'asked') {
    await replaceFile(target.path, (handle) => handle.writeFile(bytes));
    return target.path;
  }
  const { name } = target;
  await mkdir(target.folder, { recursive: true, mode: 0o700 });
  const folder = await realpath(target.folder);
  // Sheets of other settings stay beside it, to be compared.
  const content = createHash('sha256').update(bytes).digest('hex').slice(0, 8);
  const path = join(folder, `${basename(name, '.jpg')}-${content}.jpg`);
  await replaceFile(path, (handle) => handle.writeFile(bytes));
  await removeOldest(folder);
  return path;
}

async function removeOldest(folder: string): Promise<void> {
  const names = (await readdir(folder)).filter((name) => name.endsWith('.jpg'));
  if (names.length <= limits.previewsKeptMax) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const found = await stat(join(folder, name)).catch(() => undefined);
      return { name, time: found?.mtimeMs ?? 0 };
    }),
  );
  const oldest = files.sort((a, b) => b.time - a.time).slice(limits.previewsKeptMax);
  await Promise.all(oldest.map(({ name }) => rm(join(folder, name), { force: true })));
}
