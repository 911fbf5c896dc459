// A whole version through the platform, as its users have it: rows, and a file on the disk for each
// image. Each run has a copy of the same project, since files that are there are not written again.

import { cpSync, mkdtempSync, readdirSync, rmSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { type Images, writeCopies } from './images.ts';
import {
  createProject,
  generateVersion,
  untilLookedAt,
  uploadFolder,
  withPlatform,
} from './platform-process.ts';
import { type Answer, settings } from './request.ts';

const project = 'bench';

/** Makes a platform in the folder, with the images in a project. */
export async function prepareProject(
  entry: string,
  folder: string,
  { train, others }: Images,
): Promise<void> {
  await withPlatform(entry, folder, async (platform) => {
    await createProject(platform, project);
    for (const [split, paths] of [
      ['train', train],
      ['valid', others],
    ] as const) {
      const files = join(folder, split);
      writeCopies(paths, files);
      await uploadFolder(platform, project, files, split);
    }
    await untilLookedAt(folder);
  });
}

/** A new process, whose first work this is. */
export async function storeVersion(
  entry: string,
  prepared: string,
  { train, others }: Images,
): Promise<Omit<Answer, 'versions'>> {
  const folder = mkdtempSync(join(prepared, 'run-'));
  cpSync(join(prepared, 'home'), join(folder, 'home'), { recursive: true });
  const images = train.length * settings.augmentation.image.versions + others.length;
  const bytesBefore = bytesIn(folder);
  try {
    return await withPlatform(entry, folder, async (platform) => {
      await platform.call('projects_get', { project });
      const { wallMs, cpuMs } = await generateVersion(platform, project, images);
      return { images, bytes: bytesIn(folder) - bytesBefore, cpuMs, wallMs };
    });
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** Of the contents of images, whose names are their hashes. */
function bytesIn(folder: string): number {
  const files = readdirSync(folder, { recursive: true, withFileTypes: true });
  return files
    .filter(({ name }) => /^[0-9a-f]{64}$/.test(name))
    .reduce((sum, { name, parentPath }) => sum + statSync(join(parentPath, name)).size, 0);
}
