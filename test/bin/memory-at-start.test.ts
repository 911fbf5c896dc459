// On Linux a service runs with settings of memory that are read only when a process starts.

import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { startFovea } from '../fixtures/fovea-services.ts';

const own = 'MALLOC_TRIM_THRESHOLD_';

/** Its words (`cmdline`) or its variables (`environ`). */
async function startedWith(
  what: 'cmdline' | 'environ',
  variables: Record<string, string | undefined> = {},
): Promise<readonly string[]> {
  const data = await mkdtemp(join(tmpdir(), 'fovea-allocator-'));
  onTestFinished(() => rm(data, { recursive: true, force: true }));
  const service = await startFovea(['event-store', '--port', '0', '--data', data], {
    HOME: data,
    [own]: undefined,
    ...variables,
  });
  onTestFinished(() => service.stop());
  return (await readFile(`/proc/${service.child.pid}/${what}`, 'utf8')).split('\0');
}

describe.skipIf(process.platform !== 'linux')('the trim threshold of a service', () => {
  test('is that of the start of a process', async () => {
    expect(await startedWith('environ')).toContain('MALLOC_TRIM_THRESHOLD_=131072');
  });

  test('is the one of its user', async () => {
    const variables = await startedWith('environ', { [own]: '4194304' });
    expect(variables).toContain(`${own}=4194304`);
  });
});

describe.skipIf(process.platform !== 'linux')('the heap of an Event Store', () => {
  test('is bounded by flags of Node, and the arenas of the allocator by a variable', async () => {
    const flags = ['--max-semi-space-size=16', '--heap-growing-percent=50', '--expose-gc'];
    expect(await startedWith('cmdline')).toEqual(expect.arrayContaining(flags));
    expect(await startedWith('environ')).toContain('MALLOC_ARENA_MAX=2');
  });

  test('keeps what its user set', async () => {
    const variables = await startedWith('environ', { MALLOC_ARENA_MAX: '7' });
    expect(variables).toContain('MALLOC_ARENA_MAX=7');
    expect(variables).not.toContain('MALLOC_ARENA_MAX=2');
  });
});
