// On Linux a service runs with a trim threshold of the allocator that stays as it is.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFovea } from '../fixtures/fovea-services.ts';

const own = 'MALLOC_TRIM_THRESHOLD_';

async function trimThresholdOf(threshold: string | undefined): Promise<string | undefined> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-allocator-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const service = await startFovea(['event-store', '--port', '0', '--data', data], {
    HOME: data,
    [own]: threshold,
  });
  onTestFinished(() => service.stop());
  const variables = (await readFile(`/proc/${service.child.pid}/environ`, 'utf8')).split('\0');
  return variables.find((variable) => variable.startsWith(`${own}=`));
}

describe.skipIf(process.platform !== 'linux')('the trim threshold of a service', () => {
  test('is that of the start of a process', async () => {
    expect(await trimThresholdOf(undefined)).toBe('MALLOC_TRIM_THRESHOLD_=131072');
  });

  test('is the one of its user', async () => {
    expect(await trimThresholdOf('4194304')).toBe(`${own}=4194304`);
  });
});
