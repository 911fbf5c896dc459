// Each operation gives the same bytes under the oldest and the current Node, with V8's baseline and
// optimizing compilers, with and without AVX. scripts/kernel/hold-operands.ts exists for this test.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { oldestNode } from '../../../scripts/bundle/installed-programs.ts';

// A change here changes the pixels of every version that is made from then on.
const expected = {
  warp: '9ae5944563682225',
  blurLittle: '76306eaecc9f99c9',
  blur: '8bce1ed84fdb205a',
  blurMuch: 'd4119521f356c789',
  resampleSmaller: '82c955d9d034c212',
  resampleLarger: '253eb254385bfab5',
  blank: '165de2399a2ddeca',
  mirror: '7f1a14945019e997',
  turn: '121c0566fc80593d',
  add: '1c5fb123a49adc6a',
  lookup: 'e634fb52ec12338c',
  mix: 'd77701e905170afe',
  rotateHue: '0218667c783c0e2e',
  decodeHalf: 'ef00a774e39f38cd',
  decodeQuarter: 'dc0c480e54cd76f2',
  jpeg30: 'd7c5f8975e14f0d9',
  jpeg95: '3072f333f938c520',
};

const program = join(import.meta.dirname, 'processes/hashes.ts');

describe.each([
  ['the oldest Node', oldestNode()],
  ['this Node', process.execPath],
])('%s', (_name, node) => {
  test.each([
    [['--liftoff-only']],
    [['--no-liftoff']],
    [['--liftoff-only', '--no-enable-avx']],
    [['--no-liftoff', '--no-enable-avx']],
  ])('compiled with %s', (options) => {
    const words = ['--experimental-strip-types', '--no-warnings', ...options, program];
    expect(JSON.parse(execFileSync(node, words, { encoding: 'utf8' }))).toEqual(expected);
  });
});
