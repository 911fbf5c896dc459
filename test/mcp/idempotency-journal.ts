// What tests of the journal use that belongs to no host of theirs.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { onTestFinished } from 'vitest';
import type { Fovea } from '../fixtures/fovea.ts';

/** By its key of the host, where one is given. */
export async function callWithKey(fovea: Fovea, name: string, args: object, key: unknown) {
  const result = await fovea.client.callTool({
    name,
    arguments: { ...args },
    _meta: { 'fovea/idempotencyKey': key },
  });
  return { isError: result.isError === true, text: JSON.stringify(result.content) };
}

/** The file as another process has it. */
export function openJournalFile(folder: string): DatabaseSync {
  const file = new DatabaseSync(join(folder, 'journal.sqlite'), { timeout: 5_000 });
  onTestFinished(() => file.close());
  return file;
}

/** As if all calls so far had been made so much earlier. */
export function ageCalls(folder: string, milliseconds: number): void {
  openJournalFile(folder)
    .prepare('UPDATE calls SET started_at = started_at - ?, ended_at = ended_at - ?')
    .run(milliseconds, milliseconds);
}
