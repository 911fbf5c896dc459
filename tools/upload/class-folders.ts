// Folders that stand for classes: images_upload takes images from them, and no classes.

import { isKindFolder, splitOfName } from '../../src/annotation-formats/path-hints.ts';
import { projects } from '../../src/contract/projects.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { nameList } from '../format.ts';
import { folderFinder } from './dataset-folders.ts';
import { nothingUnread, type Unread, type UploadedFiles } from './unread-annotations.ts';

/**
 * ` Folders … were not taken as classes: …`. Asks for the type of the project only where folders
 * look like classes.
 */
export async function findUnreadClasses(
  { project, files = [], annotations }: UploadedFiles,
  paths: readonly string[],
  { client, settings: { workspace }, signal }: ToolContext,
): Promise<Unread> {
  const names = annotations === undefined ? classLike(paths) : [];
  if (names.length < 2 || workspace === undefined) return nothingUnread;
  const { body } = await client.call(projects.projects_get, { workspace, project }, { signal });
  if (body.project.type !== 'classification') return nothingUnread;
  const [folder, ...others] = files;
  const next = {
    tool: 'images_upload_zip',
    arguments: { project, path: folder },
    why: 'Gives the images the classes of their folders.',
  };
  return {
    words: ` Folders (${nameList(names)}) were not taken as classes: images_upload_zip does that.`,
    next: folder !== undefined && others.length === 0 ? [next] : [],
  };
}

/** Folders right above images that are named for no split, and for no kind of file. */
function classLike(paths: readonly string[]): readonly string[] {
  const foldersOf = folderFinder(paths);
  const names = paths.map((path) => foldersOf(path).at(-1) ?? '');
  return [...new Set(names)]
    .filter((name) => name !== '' && splitOfName(name) === undefined && !isKindFolder(name))
    .sort();
}
