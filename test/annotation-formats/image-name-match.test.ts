// Which file names in an annotation mean the image that it was sent for.

import { describe, expect, test } from 'vitest';
import { image, parse, voc } from './sample-annotations.ts';

describe('the image that a file is about', () => {
  test.each(['cell.jpg', 'cell.png', 'cell', 'JPEGImages/cell.jpg', 'C:\\images\\cell.jpg'])(
    '%s is cell.jpg',
    (name) => {
      expect(parse(voc('', `<filename>${name}</filename>`)).warnings).toEqual([]);
    },
  );

  test.each(['Cell.jpg', 'cell2.jpg', 'cell.001', 'cell.jpg/other'])('%s is not', (name) => {
    expect(() => parse(voc('', `<filename>${name}</filename>`))).toThrow(
      `annotationFile: is about image "${name}", not about "cell.jpg"`,
    );
  });

  test('frame.001 is not frame.002', () => {
    const about = { image: { ...image, name: 'frame.002' } };
    expect(() => parse(voc('', '<filename>frame.001</filename>'), about)).toThrow('is about image');
  });
});
