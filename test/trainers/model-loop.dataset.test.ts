// The loop of `npm run measure:loop` on the sample, with few epochs: its machinery alone.

import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { runLoop } from '../../scripts/measure-loop/loop.ts';
import { foundTable, modelTable, rankTable } from '../../scripts/measure-loop/report.ts';
import { findPython } from '../../scripts/test-reference/find-python.ts';
import { entryUnderTest } from '../fixtures/under-test.ts';

const python = findPython(['torch', 'torchvision', 'onnx', 'PIL']);
const title =
  python === undefined
    ? 'the model loop (skipped: no Python with torch, torchvision and onnx; Debian has python3-torchvision and python3-onnx)'
    : 'the model loop';

describe.skipIf(python === undefined)(title, { timeout: 300_000 }, () => {
  it('finds and mends what is wrong, and judges a model before and after', async () => {
    const said: string[] = [];
    const result = await runLoop(
      {
        entry: entryUnderTest(),
        clean: resolve('sample/blood-cells'),
        share: 0.3,
        python: python ?? '',
        epochs: 2,
        imageSize: 64,
      },
      (line) => said.push(line),
    );
    const kinds = ['overlooked', 'swapped', 'badly placed', 'duplicate', 'copy in train'];
    const found = foundTable(result).slice(1);
    expect(found.map(([kind, made]) => [kind, Number(made)])).toEqual(
      kinds.map((kind, place) => [kind, [13, 13, 9, 14, 4][place]]),
    );
    // One whose class was mended before is another label then, and stays.
    const mended = found[3]?.[6] ?? '';
    expect(Number(mended)).toBeGreaterThan(0);
    expect(Number(mended)).toBeLessThanOrEqual(14);
    expect(found.slice(3)).toEqual([
      ['duplicate', '14', '14', '1.00', '1.00', 'all', mended, '14'],
      ['copy in train', '4', '4', '1.00', '1.00', 'all', '4', '4'],
    ]);
    expect(rankTable(result).at(-1)).toEqual(['duplicate', '1.00', '1.00', '1.00']);
    expect(modelTable(result).map(([labels]) => labels)).toEqual([
      'test labels',
      'as they were',
      'damaged',
      'mended',
    ]);
    const { better, worse, same } = result.images;
    expect(better + worse + same).toBe(2);
    // The damage is done to train too: the copies are gone from the second version.
    expect(
      said.filter((line) => line.includes(' is completed: ') && line.includes('train,')),
    ).toEqual([
      expect.stringContaining('16 images, 12 train'),
      expect.stringContaining('12 images, 8 train'),
    ]);
  });
});
