// A private folder for files that a call needs only while it runs.

import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { join } from 'node:path';
import type { ToolContext } from '../src/mcp/tool.ts';

export async function withScratchFolder<Result>(
  { settings }: Pick<ToolContext, 'settings'>,
  use: (folder: string) => Promise<Result>,
): Promise<Result> {
  const all = join(settings.home, 'scratch');
  await mkdir(all, { recursive: true, mode: 0o700 });
  const folder = await mkdtemp(join(await realpath(all), 'call-'));
  try {
    return await use(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
