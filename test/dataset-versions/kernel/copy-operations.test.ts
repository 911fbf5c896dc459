// What moves pixels without changing them, and the memory that they lie in.

import { describe, expect, test } from 'vitest';
import { copyOperations } from '../../../src/dataset-versions/kernel/copy-operations.ts';
import { filterOperations } from '../../../src/dataset-versions/kernel/filter-operations.ts';
import { createKernel } from '../../../src/dataset-versions/kernel/kernel.ts';
import type { Colour, Pixels } from '../../../src/dataset-versions/kernel/operations.ts';
import { createWasmInstance } from '../../../src/dataset-versions/kernel/wasm-instance.ts';
import { turns } from '../../../src/dataset-versions/orientation.ts';
import { numbered, reds, refusal } from './images.ts';

const kernel = createKernel();

function redsOf(pixels: Pixels): number[][] {
  return reds(kernel.read(pixels));
}

function load(width: number, height: number): Pixels {
  return kernel.load(numbered(width, height));
}

const grey: Colour = [9, 8, 7];

describe('copies', () => {
  test('an image comes out as it went in', () => {
    const image = numbered(5, 3);
    expect(kernel.read(kernel.load(image))).toEqual(image);
  });

  test('the bytes of pixels can be changed in place', () => {
    const pixels = load(2, 1);
    kernel.bytes(pixels)[3] = 77;
    expect([...kernel.read(pixels).data]).toEqual([0, 100, 200, 77, 101, 201]);
  });

  test('blank pixels have one colour', () => {
    const { data } = kernel.read(kernel.blank({ width: 3, height: 2 }, [1, 2, 3]));
    expect([...data]).toEqual([1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3, 1, 2, 3]);
  });

  test.each([
    [
      'none',
      turns.none,
      [
        [0, 1, 2],
        [3, 4, 5],
      ],
    ],
    [
      'horizontal',
      turns.horizontal,
      [
        [2, 1, 0],
        [5, 4, 3],
      ],
    ],
    [
      'vertical',
      turns.vertical,
      [
        [3, 4, 5],
        [0, 1, 2],
      ],
    ],
    [
      'clockwise',
      turns.clockwise,
      [
        [3, 0],
        [4, 1],
        [5, 2],
      ],
    ],
    [
      'upside-down',
      turns['upside-down'],
      [
        [5, 4, 3],
        [2, 1, 0],
      ],
    ],
    [
      'counter-clockwise',
      turns['counter-clockwise'],
      [
        [2, 5],
        [1, 4],
        [0, 3],
      ],
    ],
    [
      'mirrored, then clockwise',
      { mirrored: true, quarters: 1 },
      [
        [5, 2],
        [4, 1],
        [3, 0],
      ],
    ],
    [
      'mirrored, then the other way',
      { mirrored: true, quarters: 3 },
      [
        [0, 3],
        [1, 4],
        [2, 5],
      ],
    ],
  ] as const)('turns: %s', (_name, turn, expected) => {
    expect(redsOf(kernel.turn(load(3, 2), turn))).toEqual(expected);
  });

  test.each([
    [1, 1],
    [1, 9],
    [9, 1],
    [6, 5],
    [37, 41],
  ])('four quarter turns and two mirrorings give back %d x %d pixels', (width, height) => {
    const image = numbered(width, height);
    let pixels = kernel.load(image);
    for (let turn = 0; turn < 4; turn++) pixels = kernel.turn(pixels, turns.clockwise);
    for (let turn = 0; turn < 2; turn++) pixels = kernel.turn(pixels, turns.horizontal);
    expect(kernel.read(pixels)).toEqual(image);
  });

  test('crops a region', () => {
    const part = kernel.crop(load(4, 4), { left: 1, top: 2, width: 3, height: 2 });
    expect(redsOf(part)).toEqual([
      [9, 10, 11],
      [13, 14, 15],
    ]);
  });

  test.each([
    { left: -1, top: 0, width: 2, height: 2 },
    { left: 3, top: 0, width: 2, height: 2 },
    { left: 0, top: 3, width: 2, height: 2 },
    { left: 0, top: 0, width: -1, height: 2 },
    { left: 0.5, top: 0, width: 2, height: 2 },
    { left: Number.NaN, top: 0, width: 2, height: 2 },
  ])('refuses to crop %o of 4 x 4 pixels', (region) => {
    expect(() => kernel.crop(load(4, 4), region)).toThrow(refusal('invalid_input', 'region'));
  });

  test.each([
    [
      'inside',
      1,
      1,
      [
        [9, 9, 9],
        [9, 0, 1],
        [9, 2, 3],
      ],
    ],
    [
      'over the upper left corner',
      -1,
      -1,
      [
        [3, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
    ],
    [
      'over the lower right corner',
      2,
      2,
      [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 0],
      ],
    ],
    [
      'over the left edge',
      -1,
      0,
      [
        [1, 9, 9],
        [3, 9, 9],
        [9, 9, 9],
      ],
    ],
    [
      'just outside, left',
      -2,
      0,
      [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
    ],
    [
      'just outside, below',
      0,
      3,
      [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
    ],
    [
      'far outside',
      1e6,
      -1e6,
      [
        [9, 9, 9],
        [9, 9, 9],
        [9, 9, 9],
      ],
    ],
  ])('pastes %s', (_name, left, top, expected) => {
    const onto = kernel.blank({ width: 3, height: 3 }, grey);
    kernel.paste(onto, load(2, 2), left, top);
    expect(redsOf(onto)).toEqual(expected);
  });

  test('pasting pixels larger than those below fills them', () => {
    const onto = kernel.blank({ width: 2, height: 1 }, grey);
    kernel.paste(onto, load(4, 3), -1, -1);
    expect(redsOf(onto)).toEqual([[5, 6]]);
  });
});

describe('images without pixels', () => {
  test.each([
    [0, 0],
    [0, 4],
    [4, 0],
  ])('%d x %d', (width, height) => {
    const size = { width, height };
    const empty = kernel.blank(size, grey);
    expect(kernel.read(empty)).toEqual({ data: new Uint8Array(), ...size });
    expect(kernel.read(kernel.turn(empty, turns.clockwise))).toMatchObject({
      width: height,
      height: width,
    });
    expect(kernel.read(kernel.crop(load(4, 4), { left: 0, top: 0, ...size }))).toMatchObject(size);
    expect(kernel.read(kernel.resample(load(4, 4), size))).toMatchObject(size);
    expect(kernel.read(kernel.blur(empty, 2))).toMatchObject(size);
    expect(kernel.read(kernel.warp(load(4, 4), [1, 0, 0, 1, 0, 0], size, grey))).toMatchObject(
      size,
    );
    const onto = load(2, 1);
    kernel.paste(onto, empty, 0, 0);
    expect(redsOf(onto)).toEqual([[0, 1]]);
  });
});

describe('memory', () => {
  test('a release takes back what was made since the mark, and only that', () => {
    const before = load(4, 4);
    const mark = kernel.mark();
    const gone = load(100, 100);
    kernel.release(mark);
    const next = kernel.blank({ width: 100, height: 100 }, grey);
    expect(next.pointer).toBe(gone.pointer);
    expect(kernel.read(before)).toEqual(numbered(4, 4));
  });

  test('every operation leaves no more than its result behind', () => {
    const pixels = load(64, 48);
    const mark = kernel.mark();
    const size = { width: 64, height: 48 };
    const plain = kernel.blank(size, grey);
    const used = kernel.mark() - mark;
    kernel.release(mark);
    const makers: readonly (() => Pixels)[] = [
      () => kernel.turn(pixels, turns.clockwise),
      () => kernel.crop(pixels, { left: 0, top: 0, ...size }),
      () => kernel.resample(kernel.blank({ width: 10, height: 10 }, grey), size),
      () => kernel.warp(pixels, [0.9, 0.1, -0.1, 0.9, 3, 2], size, grey),
      () => kernel.blur(pixels, 3),
    ];
    for (const make of makers) {
      const result = make();
      expect(kernel.mark()).toBe(result.pointer + used);
      kernel.release(mark);
    }
    kernel.add(pixels, 1);
    kernel.lookup(pixels, new Uint8Array(256));
    kernel.mix(pixels, [1, 0, 0, 0, 1, 0, 0, 0, 1]);
    kernel.rotateHue(pixels, 10);
    expect(kernel.mark()).toBe(mark);
    expect(plain.pointer).toBe(mark);
  });

  test('pixels are kept where those below them are released', () => {
    const mark = kernel.mark();
    load(50, 50);
    const kept = kernel.keep(mark, load(7, 5));
    expect(kept.pointer).toBe(mark);
    expect(kernel.read(kept)).toEqual(numbered(7, 5));
    expect(kernel.mark() - mark).toBeLessThan(7 * 5 * 3 + 100);
  });

  test('pixels are kept that overlap the place where they go', () => {
    const mark = kernel.mark();
    load(2, 2);
    expect(kernel.read(kernel.keep(mark, load(60, 50)))).toEqual(numbered(60, 50));
  });

  test('pixels from before the mark stay where they are', () => {
    const old = load(3, 3);
    const mark = kernel.mark();
    load(10, 10);
    expect(kernel.keep(mark, old)).toEqual(old);
    expect(kernel.mark()).toBe(mark);
    expect(kernel.read(old)).toEqual(numbered(3, 3));
  });

  test('the memory grows, and what was there stays', () => {
    const own = createKernel();
    const first = own.load(numbered(30, 20));
    own.blank({ width: 3000, height: 2000 }, grey);
    const last = own.load(numbered(31, 21));
    expect(own.read(first)).toEqual(numbered(30, 20));
    expect(own.read(last)).toEqual(numbered(31, 21));
  });

  test('addresses above 2 GiB are addresses', () => {
    const wasm = createWasmInstance();
    // Never touched, so that it costs no memory.
    wasm.allocate(2 ** 31);
    const { load, crop, read, turn } = copyOperations(wasm);
    const { blur, resample, warp } = filterOperations(wasm);
    const pixels = load(numbered(20, 10));
    expect(pixels.pointer).toBeGreaterThan(2 ** 31);
    const size = { width: 20, height: 10 };
    const same = [
      crop(pixels, { left: 0, top: 0, ...size }),
      turn(turn(pixels, turns.clockwise), turns['counter-clockwise']),
      warp(pixels, [1, 0, 0, 1, 0, 0], size, grey),
      resample(pixels, size),
      blur(pixels, 0),
    ];
    for (const pixels of same) expect(read(pixels)).toEqual(numbered(20, 10));
  });

  test('what does not fit into 4 GiB is refused, and the memory stays usable', () => {
    const wasm = createWasmInstance();
    const { blank, load, read } = copyOperations(wasm);
    const mark = wasm.mark();
    wasm.allocate(2 ** 31);
    wasm.allocate(2 ** 30);
    const full = wasm.mark();
    expect(() => blank({ width: 32_767, height: 32_767 }, grey)).toThrow(refusal('too_large'));
    expect(wasm.mark()).toBe(full);
    wasm.release(mark);
    expect(read(load(numbered(6, 6)))).toEqual(numbered(6, 6));
  });

  test('a side of more than 32,767 pixels is refused', () => {
    const size = { width: 32_768, height: 1 };
    expect(() => kernel.blank(size, grey)).toThrow(refusal('too_large'));
  });

  test('an image with bytes too few is refused', () => {
    const image = { data: new Uint8Array(11), width: 2, height: 2 };
    expect(() => kernel.load(image)).toThrow(refusal('invalid_input', 'image'));
  });

  test.each([
    [-1, 4],
    [1.5, 4],
    [4, Number.NaN],
  ])('refuses sides of %d x %d', (width, height) => {
    expect(() => kernel.blank({ width, height }, grey)).toThrow(refusal('invalid_input', 'size'));
  });
});
