// The day of day_steps.py by MCP tools: the same deeds in the same order, by an MCP client over
// stdio whose Fovea works with a platform of its own.

import { join } from 'node:path';
import { launchFovea } from '../../test/fixtures/fovea.ts';
import { kinds } from './day-folders.ts';
import { startDayPlatform, workspace } from './day-platform.ts';
import type { EndState } from './end-state.ts';
import { ToolCalls } from './tool-calls.ts';
import { workOnImages, workOnLine } from './tool-day-lines.ts';
import { workOnProject } from './tool-day-projects.ts';
import { train, trainByCommand } from './tool-day-trainings.ts';
import {
  recordEvents,
  recordEventsByCommand,
  useTrash,
  workOnWorkspace,
  writeKeysAndFolders,
} from './tool-day-workspace.ts';

/** Throws where a call fails. */
export async function runToolDay(): Promise<EndState> {
  const platform = await startDayPlatform();
  const fovea = await launchFovea({
    FOVEA_BASE_URL: platform.url,
    FOVEA_SERVERLESS_URL: platform.url,
    FOVEA_API_KEY: platform.key,
    FOVEA_WORKSPACE: workspace,
    FOVEA_FILE_ROOTS: [join(import.meta.dirname, '../..'), platform.work].join(':'),
  });
  const calls = new ToolCalls(fovea, platform.work);
  try {
    for (const kind of kinds) await workOnProject(calls, kind);
    await workOnWorkspace(calls);
    await train(calls);
    await recordEvents(calls);
    for (const kind of kinds) await workOnLine(calls, kind);
    await workOnImages(calls);
    await trainByCommand(calls);
    await writeKeysAndFolders(calls);
    await recordEventsByCommand(calls);
    await useTrash(calls);
    return await platform.endState();
  } finally {
    await fovea.close();
    await platform.remove();
  }
}
