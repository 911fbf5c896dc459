// Pascal VOC XML: what is read, what is kept with a warning, what is refused.

import { describe, expect, test } from 'vitest';
import { cat, parse, voc } from './sample-annotations.ts';

describe('Pascal VOC', () => {
  test('takes xmin to ymax as edges, without a shift', () => {
    const { annotation, warnings } = parse(voc(vocObject('cat', ['10', '20', '110', '70'])));
    expect(annotation).toEqual({ kind: 'detection', boxes: [cat] });
    expect(warnings).toEqual([]);
  });

  test('is recognised after a byte order mark, a declaration and blank lines', () => {
    const declared = `\uFEFF\n\n<?xml version="1.0"?>\n${voc('')}`;
    expect(parse(declared).annotation).toEqual({ kind: 'detection', boxes: [] });
  });

  test('without objects is an image with nothing to label', () => {
    expect(parse('<annotation/>').annotation).toEqual({ kind: 'detection', boxes: [] });
    expect(parse(voc('')).annotation).toEqual({ kind: 'detection', boxes: [] });
  });

  test('reads decimals, entities of XML itself and CDATA', () => {
    const text = voc(
      vocObject('salt &amp; pepper', ['0.5', '1.5', '2.5', '3.5']) +
        vocObject('<![CDATA[a<b]]>', ['1e1', '0', '12', '4']),
    );
    expect(parse(text).annotation).toEqual({
      kind: 'detection',
      boxes: [
        { label: 'salt & pepper', x: 1.5, y: 2.5, width: 2, height: 2 },
        { label: 'a<b', x: 11, y: 2, width: 2, height: 4 },
      ],
    });
  });

  test('reads an outline', () => {
    const polygon =
      '<polygon><x1>1</x1><y1>2</y1><x2>5</x2><y2>2</y2><x3>5</x3><y3>8</y3></polygon>';
    const text = voc(
      vocObject('cat', ['1', '2', '5', '8']).replace('</object>', `${polygon}</object>`),
    );
    expect(parse(text).annotation).toEqual({
      kind: 'detection',
      boxes: [
        {
          label: 'cat',
          x: 3,
          y: 5,
          width: 4,
          height: 6,
          points: [
            [1, 2],
            [5, 2],
            [5, 8],
          ],
        },
      ],
    });
  });

  test('keeps odd boxes as labelled and reports each by name', () => {
    const { annotation, warnings } = parse(
      voc(
        vocObject('RBC', ['504', '337', '504', '337']) +
          vocObject('RBC', ['10', '20', '10', '30']) +
          vocObject('WBC', ['600', '-20', '700', '30']) +
          vocObject('WBC', ['700', '20', '720', '30']),
        '<size><width>1280</width><height>960</height></size>',
      ),
    );
    expect(annotation.kind === 'detection' && annotation.boxes).toEqual([
      { label: 'RBC', x: 504, y: 337, width: 0, height: 0 },
      { label: 'RBC', x: 10, y: 25, width: 0, height: 10 },
      { label: 'WBC', x: 650, y: 5, width: 100, height: 50 },
      { label: 'WBC', x: 710, y: 25, width: 20, height: 10 },
    ]);
    expect(warnings).toEqual([
      {
        problem: 'size_differs',
        message:
          'the file was made for 1280 x 960 pixels, the image has 640 x 480; ' +
          'the coordinates were kept as they are',
      },
      {
        problem: 'zero_size',
        box: 1,
        label: 'RBC',
        message: 'RBC box 1: zero width and height at 504, 337; kept as labelled',
      },
      {
        problem: 'zero_size',
        box: 2,
        label: 'RBC',
        message: 'RBC box 2: zero width at 10, 25; kept as labelled',
      },
      {
        problem: 'over_edge',
        box: 3,
        label: 'WBC',
        message:
          'WBC box 3: reaches over the upper edge by 20 and the right edge by 60 ' +
          'of 640 x 480 pixels; kept as labelled',
      },
      {
        problem: 'outside_image',
        box: 4,
        label: 'WBC',
        message: 'WBC box 4: outside of the image of 640 x 480 pixels; kept as labelled',
      },
    ]);
  });

  test.each([
    [
      'xmin beyond xmax',
      vocObject('a', ['20', '1', '10', '2']),
      /line 3, "a" box 1: xmin 20 is larger than xmax 10/,
    ],
    ['NaN', vocObject('a', ['NaN', '1', '10', '2']), /line 3, "a" box 1, xmin: must be a number/],
    ['an empty number', vocObject('a', ['', '1', '10', '2']), /xmin: must be a number/],
    ['a hexadecimal number', vocObject('a', ['0x1', '1', '10', '2']), /xmin: must be a number/],
    ['an immense number', vocObject('a', ['0', '1', '1e300', '2']), /xmax: must be at most/],
    ['no name', '<object><bndbox/></object>', /line 3, object 1, name: must be a class name/],
    ['a blank name', vocObject(' ', ['1', '1', '2', '2']), /is blank/],
    ['no bndbox', '<object><name>a</name></object>', /line 3, "a" box 1: needs one bndbox/],
    ['text for an object', '<object>a</object>', /object 1: has no name/],
    ['an open element', '<object><name>a</object>', /line 3, column \d+: is not well-formed XML/],
    [
      'U+0000 by its number',
      vocObject('a&#0;b', ['1', '1', '2', '2']),
      /line 3: has &#0;, which is/,
    ],
    [
      'a surrogate',
      vocObject('a&#xD800;b', ['1', '1', '2', '2']),
      /has &#xD800;, which is no char/,
    ],
    ['a reserved name', '<__proto__>a</__proto__>', /is not XML of Pascal VOC/],
    [
      'deep nesting',
      `${'<a>'.repeat(50)}${'</a>'.repeat(50)}`,
      /line 3: has more than 32 elements in each other/,
    ],
  ])('refuses %s', (_case, objects, message) => {
    expect(() => parse(voc(objects))).toThrow(message);
  });

  test('refuses document types and entities', () => {
    const text = `<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY x "y">]>\n${voc('')}`;
    expect(() => parse(text)).toThrow('line 2: must not have a document type');
  });

  test('refuses other XML', () => {
    expect(() => parse('<annotations/>')).toThrow('the <annotation> element is missing');
  });

  test('refuses XML beyond the size of one image', () => {
    expect(() => parse(voc(' '.repeat(5_000_000)))).toThrow(
      expect.objectContaining({ code: 'too_large' }),
    );
  });
});

function vocObject(name: string, edges: readonly [string, string, string, string]): string {
  const [xmin, ymin, xmax, ymax] = edges;
  return `<object><name>${name}</name><bndbox><xmin>${xmin}</xmin><ymin>${ymin}</ymin>
    <xmax>${xmax}</xmax><ymax>${ymax}</ymax></bndbox></object>`;
}
