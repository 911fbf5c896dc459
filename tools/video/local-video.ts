// A video in a file of this machine, whose frames become images.

import { basename, extname } from 'node:path';
import { invalidArgument } from '../../src/errors.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { openPart } from '../local-file.ts';

/** A video in a file, and what is stored with its frames. */
export interface LocalVideo {
  readonly path: string;
  /** Without its extension: names of frames begin with it. */
  readonly name: string;
  readonly metadata: Readonly<Record<string, string>>;
}

/** Throws as `openPart`. */
export async function videoOfFile(path: string, context: ToolContext): Promise<LocalVideo> {
  const { name, content } = await openPart(path, 'file', context);
  if (!('path' in content)) throw invalidArgument('file', 'must be a path');
  const stem = basename(name, extname(name));
  return { path: content.path, name: stem, metadata: { video: name } };
}
