// What every trainer in Python does: goes on where it was killed, and ends when it is to.

import { once } from 'node:events';
import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  ended,
  metricsOf,
  modelIn,
  reported,
  reports,
  squaresJob,
  start,
  type Trainer,
} from './square-jobs.ts';

interface Expected {
  /** Holds the epochs that are reported after a kill in the second one against those wanted. */
  readonly goesOn: (epochs: readonly number[]) => void;
  readonly modelBytesMin: number;
}

export function judgeTrainer(trainer: Trainer, { goesOn, modelBytesMin }: Expected): void {
  it('goes on where it was killed, to the same model', async () => {
    const [whole, killed] = [await squaresJob(trainer), await squaresJob(trainer)];
    expect(await ended(start(whole))).toBe(0);

    const first = start(killed);
    await reported(first, ({ epoch }) => epoch === 2);
    first.kill('SIGKILL');
    await once(first, 'exit');
    goesOn((await reports(start(killed))).map(({ epoch }) => epoch));
    const found = await metricsOf(killed);
    expect(found).toEqual(await metricsOf(whole));
    const { epochs } = trainer.hyperparameters;
    expect(found).toMatchObject({ epochs, images_train: 6, images_valid: 1 });
    expect((await modelIn(killed.output)).equals(await modelIn(whole.output))).toBe(true);
  });

  it('ends with what it has where it is asked to', async () => {
    const job = await squaresJob(trainer, { epochs: 300 });
    const child = start(job);
    await reported(child, ({ epoch }) => epoch === 1);
    child.kill('SIGTERM');
    expect(await ended(child)).toBe(0);
    const { epochs } = await metricsOf(job);
    expect(epochs).toBeGreaterThanOrEqual(1);
    expect(epochs).toBeLessThan(300);
    expect((await stat(join(job.output, 'model.onnx'))).size).toBeGreaterThan(modelBytesMin);
  });

  it('ends early where it gets no better', async () => {
    const job = await squaresJob(trainer, { epochs: 300, patience: 3 });
    expect(await ended(start(job))).toBe(0);
    const { epochs = 0, best_epoch = 0, map50 } = await metricsOf(job);
    expect(epochs).toBe(best_epoch + 3);
    expect(epochs).toBeLessThan(300);
    expect(map50).toBeGreaterThan(0);
  });
}
