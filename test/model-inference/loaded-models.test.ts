// When a loaded model gives its memory back.

import { expect, onTestFinished, test, vi } from 'vitest';
import { createLoadedModels } from '../../src/model-inference/loaded-models.ts';
import { colourFinder } from '../fixtures/onnx-models.ts';

test('a model is given up when it is idle for a while, not in between, and loaded again', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const loaded = createLoadedModels(1);
  onTestFinished(() => loaded.close());
  let reads = 0;
  const file = {
    key: 'one',
    classes: undefined,
    read: async () => {
      reads += 1;
      return new Uint8Array(colourFinder());
    },
  };
  const classes = () =>
    loaded.with(file, new AbortController().signal, async (model) => {
      vi.advanceTimersByTime(60_000);
      return model.classes;
    });
  expect(await classes()).toEqual(['red', 'blue']);
  vi.advanceTimersByTime(29_000);
  await classes();
  expect(reads).toBe(1);
  vi.advanceTimersByTime(30_000);
  expect(await classes()).toEqual(['red', 'blue']);
  expect(reads).toBe(2);
});
