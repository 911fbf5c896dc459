// What of a machine is asked to run a model. No GPU is needed: `create` is the runtime's part.

import { existsSync } from 'node:fs';
import { beforeEach, expect, test, vi } from 'vitest';

let createOnDevice: typeof import('../../src/model-inference/execution-providers.ts')['createOnDevice'];

beforeEach(async () => {
  // It remembers that a GPU has failed.
  vi.resetModules();
  ({ createOnDevice } = await import('../../src/model-inference/execution-providers.ts'));
});

const windows = [{ name: 'cpu' }, { name: 'dml' }, { name: 'webgpu' }];

test('a GPU is asked first, and the processor does what it cannot', async () => {
  const asked: (readonly string[] | undefined)[] = [];
  const create = async (providers?: readonly string[]) => asked.push(providers);
  await createOnDevice(windows, create);
  expect(asked).toEqual([['dml', 'cpu']]);
});

test('where the GPU fails, the processor does all, now and later', async () => {
  const asked: (readonly string[] | undefined)[] = [];
  const create = async (providers?: readonly string[]) => {
    asked.push(providers);
    if (providers !== undefined) throw new Error('no device');
    return 'session';
  };
  expect(await createOnDevice(windows, create)).toBe('session');
  expect(await createOnDevice(windows, create)).toBe('session');
  expect(asked).toEqual([['dml', 'cpu'], undefined, undefined]);
});

test('a file that no device takes is told, and the GPU is asked for the next one', async () => {
  const asked: (readonly string[] | undefined)[] = [];
  const refuse = async (providers?: readonly string[]) => {
    asked.push(providers);
    throw new Error('no model');
  };
  await expect(createOnDevice(windows, refuse)).rejects.toThrow('no model');
  await createOnDevice(windows, async (providers) => asked.push(providers));
  expect(asked).toEqual([['dml', 'cpu'], undefined, ['dml', 'cpu']]);
});

test('a runtime without a GPU, or none that lists any, runs as it does by itself', async () => {
  for (const backends of [undefined, [{ name: 'cpu' }, { name: 'webgpu' }, { name: 'coreml' }]]) {
    expect(await createOnDevice(backends, async (providers) => providers)).toBeUndefined();
  }
});

test('CUDA is asked beside the driver of NVIDIA alone', async () => {
  const asked = await createOnDevice([{ name: 'cuda' }], async (providers) => providers);
  const hasDriver = existsSync('/proc/driver/nvidia/version');
  expect(asked).toEqual(hasDriver ? ['cuda', 'cpu'] : undefined);
});
