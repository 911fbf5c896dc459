// The same bytes on every machine: by V8's baseline and optimizing compilers, with and without AVX.

import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';

// Whoever changes one of these changes the pixels of every version that is made from now on.
const expected = {
  warp: '9ae5944563682225',
  blurLittle: '76306eaecc9f99c9',
  blur: '8bce1ed84fdb205a',
  blurMuch: 'd4119521f356c789',
  resampleSmaller: '82c955d9d034c212',
  resampleLarger: '253eb254385bfab5',
  mirror: '7f1a14945019e997',
  turn: '121c0566fc80593d',
  add: '1c5fb123a49adc6a',
  lookup: 'e634fb52ec12338c',
  mix: 'd77701e905170afe',
  rotateHue: '0218667c783c0e2e',
};

test.each([
  [['--liftoff-only']],
  [['--no-liftoff']],
  [['--liftoff-only', '--no-enable-avx']],
  [['--no-liftoff', '--no-enable-avx']],
])('compiled with %s', (options) => {
  const program = join(import.meta.dirname, 'processes/hashes.ts');
  const output = execFileSync(process.execPath, [...options, program], { encoding: 'utf8' });
  expect(JSON.parse(output)).toEqual(expected);
});
