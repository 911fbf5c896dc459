// Letters of our own: where their ink is, how long a text is, and what is cut.

import { describe, expect, test } from 'vitest';
import {
  cutName,
  cutText,
  drawText,
  type TextStyle,
  textWidth,
  wrapText,
} from '../../src/imaging/draw-text.ts';
import { createCanvas } from '../../src/imaging/drawing-canvas.ts';

const style: TextStyle = { scale: 1, lineWidth: 1 };

/** The ink of a text at 5, 20 as rows of marks: `#` nearly black, `+` grey, `.` nearly white. */
function inkOf(text: string, width: number, height: number): readonly string[] {
  const canvas = createCanvas(width, height, [255, 255, 255]);
  drawText(canvas, text, 5, 20, style, [0, 0, 0]);
  const mark = (shade: number) => (shade < 64 ? '#' : shade < 192 ? '+' : '.');
  return Array.from({ length: height }, (_, y) =>
    Array.from({ length: width }, (_, x) => mark(canvas.data[(y * width + x) * 3] ?? 255)).join(''),
  );
}

describe('text', () => {
  test('has stems of one pixel at scale 1, and capitals of ten', () => {
    expect(inkOf('H', 18, 26).slice(9, 21)).toEqual([
      '..................',
      '.....#.....#......',
      '.....#.....#......',
      '.....#.....#......',
      '.....#.....#......',
      '.....#######......',
      '.....#.....#......',
      '.....#.....#......',
      '.....#.....#......',
      '.....#.....#......',
      '.....#.....#......',
      '..................',
    ]);
  });

  test('draws every character of ASCII, each different from all others', () => {
    const codes = Array.from({ length: 94 }, (_, index) => String.fromCharCode(33 + index));
    const drawn = codes.map((character) => inkOf(character, 24, 30).join('\n'));
    expect(drawn.filter((ink) => !/[#+]/.test(ink))).toEqual([]);
    expect(new Set(drawn).size).toBe(94);
  });

  test('keeps the letter where it has no accent, and marks what it does not know', () => {
    expect(inkOf('é', 20, 30)).toEqual(inkOf('e', 20, 30));
    expect(inkOf('漢', 20, 30)).toEqual(inkOf('🙂', 20, 30));
    expect(inkOf('漢', 20, 30)).not.toEqual(inkOf(' ', 20, 30));
    expect(inkOf('constructor', 90, 30)).not.toEqual(inkOf('漢', 90, 30));
  });

  test('knows its width', () => {
    expect(textWidth('', style)).toBe(0);
    expect(textWidth('H', style)).toBe(7);
    expect(textWidth('HH', style)).toBe(16);
  });

  test('is cut with an ellipsis where it is too long', () => {
    expect(cutText('short', style, 100)).toBe('short');
    const cut = cutText('rotate 12°, crop 8 %, blur 1.3 px', style, 100);
    expect(cut).toBe('rotate 12°, c…');
    expect(textWidth(cut, style)).toBeLessThanOrEqual(100);
    expect(cutText('anything', style, 3)).toBe('');
  });

  test('of a file keeps its end, which tells it from others', () => {
    expect(cutName('short.jpg', style, 100)).toBe('short.jpg');
    const cut = cutName('BloodImage_00040_copy.jpg', style, 100);
    expect(cut).toMatch(/^Bl.*….*opy\.jpg$/);
    expect(textWidth(cut, style)).toBeLessThanOrEqual(100);
    expect(cutName('anything', style, 3)).toBe('');
  });

  test('is broken at blanks, and cut on its last line', () => {
    expect(wrapText('one two three', style, 200, 2)).toEqual(['one two three']);
    expect(wrapText('one two three four', style, 60, 3)).toEqual(['one two', 'three', 'four']);
    expect(wrapText('one two three four', style, 60, 2)).toEqual(['one two', 'three f…']);
    expect(wrapText('', style, 60, 2)).toEqual([]);
    const [unbroken = ''] = wrapText('a_file_name_without_any_blank.jpg', style, 60, 2);
    expect(unbroken).toMatch(/^a_file_.*…$/);
  });

  test('stays inside the canvas', () => {
    const canvas = createCanvas(4, 4, [255, 255, 255]);
    drawText(canvas, 'WWW', -8, 2, style, [0, 0, 0]);
    expect(canvas.data).toHaveLength(48);
  });
});
