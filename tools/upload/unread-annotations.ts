// Annotation files that lie where images were taken from, when a call names none: people expect a
// folder to be taken as a whole.

import { basename } from 'node:path';
import { looseStemOf } from '../../src/annotation-formats/path-hints.ts';
import type { FileRoots } from '../../src/file-access/file-roots.ts';
import type { NextCall } from '../../src/mcp/tool.ts';
import { fileAt } from '../format.ts';
import { slashed } from './dataset-folders.ts';

export interface UploadedFiles {
  readonly project: string;
  readonly files?: readonly string[] | undefined;
  readonly annotations?: string | undefined;
}

/** What an upload leaves unread, and how to have it read. */
export interface Unread {
  /** Empty where there is nothing. */
  readonly words: string;
  readonly next: readonly NextCall[];
}

export const nothingUnread: Unread = { words: '', next: [] };

/**
 * ` 364 annotation files beside them … were not read: …`. Looks for files that are named like the
 * images, and for what is called COCO or annotations.
 */
export async function findUnreadAnnotations(
  { files: patterns = [], annotations, project }: UploadedFiles,
  paths: readonly string[],
  files: FileRoots,
): Promise<Unread> {
  if (annotations !== undefined) return nothingUnread;
  const found = await files.find(patterns, 'files', { extensions }).catch(() => []);
  const others = found.map(({ path }) => path);
  const stemAt = (path: string) => looseStemOf(slashed(path));
  const stems = new Set(paths.map(stemAt));
  const beside = others.filter((path) => stems.has(stemAt(path)) || forAll.test(basename(path)));
  const [first] = beside;
  if (first === undefined) return nothingUnread;
  const [pattern = '', ...more] = patterns;
  const folder = folderOf(pattern);
  const next = {
    tool: 'images_upload',
    arguments: { project, files: patterns, annotations: folder },
    why: 'Adds their labels to the images that are there.',
  };
  return {
    words: ` ${beside.length} annotation files beside them (such as ${fileAt(first)}) were not read: name them in "annotations".`,
    next: more.length === 0 && folder !== '' ? [next] : [],
  };
}

/** `annotations` takes a folder, and no pattern: the part before the first sign of one. */
function folderOf(pattern: string): string {
  const parts = pattern.split('/');
  const end = parts.findIndex((part) => /[*?[{]/.test(part));
  return end === -1 ? pattern : parts.slice(0, end).join('/');
}

const extensions = ['.xml', '.txt', '.json'];

const forAll = /(annotation|coco|instances|createml).*\.json$/i;
