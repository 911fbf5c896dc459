import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type {
  AnnotationFile,
  Parsed,
  ProjectType,
} from '../../../src/platform/annotations/annotation.ts';
import { parseAnnotation } from '../../../src/platform/annotations/parse.ts';

const image = { name: 'cell.jpg', width: 640, height: 480 };

function parse(text: string, given: Partial<AnnotationFile> = {}): Parsed {
  return parseAnnotation({
    text,
    fileName: undefined,
    image,
    labelmap: undefined,
    projectType: 'object-detection',
    ...given,
  });
}

function voc(objects: string, head = '<filename>cell.jpg</filename>'): string {
  return `<annotation>\n${head}\n${objects}\n</annotation>`;
}

function vocObject(name: string, edges: readonly [string, string, string, string]): string {
  const [xmin, ymin, xmax, ymax] = edges;
  return `<object><name>${name}</name><bndbox><xmin>${xmin}</xmin><ymin>${ymin}</ymin>
    <xmax>${xmax}</xmax><ymax>${ymax}</ymax></bndbox></object>`;
}

const cat = { label: 'cat', x: 60, y: 45, width: 100, height: 50 };

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
    ['a reserved name', '<__proto__>a</__proto__>', /is not XML of Pascal VOC/],
    ['deep nesting', `${'<a>'.repeat(50)}${'</a>'.repeat(50)}`, /is not XML of Pascal VOC/],
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

function coco(annotations: readonly object[], more: object = {}): string {
  return JSON.stringify({
    images: [
      { id: 7, file_name: 'cell.jpg', width: 640, height: 480 },
      { id: 8, file_name: 'other.jpg', width: 640, height: 480 },
    ],
    categories: [
      { id: 1, name: 'cat' },
      { id: 2, name: 'hand', keypoints: ['wrist', 'thumb'] },
    ],
    annotations: annotations.map((annotation) => ({
      image_id: 7,
      category_id: 1,
      bbox: [10, 20, 100, 50],
      ...annotation,
    })),
    ...more,
  });
}

describe('COCO JSON', () => {
  test('reads the boxes of the image from a whole dataset', () => {
    const text = coco([{}, { image_id: 8, bbox: [1, 1, 1, 1] }]);
    expect(parse(text)).toEqual({
      annotation: { kind: 'detection', boxes: [cat] },
      warnings: [],
    });
  });

  test('an image without annotations has nothing to label', () => {
    expect(parse(coco([])).annotation).toEqual({ kind: 'detection', boxes: [] });
  });

  test('reads an outline and keypoints', () => {
    const text = coco([
      { segmentation: [[1, 2, 5, 2, 5, 8]] },
      { bbox: undefined, segmentation: [[1, 2, 5, 2, 5, 8]] },
      { category_id: 2, keypoints: [1, 2, 2, 3, 4, 1] },
      { segmentation: [] },
    ]);
    const points = [
      [1, 2],
      [5, 2],
      [5, 8],
    ];
    expect(parse(text).annotation).toEqual({
      kind: 'detection',
      boxes: [
        { ...cat, points },
        { label: 'cat', x: 3, y: 5, width: 4, height: 6, points },
        {
          ...cat,
          label: 'hand',
          keypoints: [
            { label: 'wrist', x: 1, y: 2, visibility: 2 },
            { label: 'thumb', x: 3, y: 4, visibility: 1 },
          ],
        },
        cat,
      ],
    });
  });

  test('keeps the box of a shape that it cannot keep, and says so', () => {
    const small = [0, 0, 1, 0, 1, 1];
    const large = [0, 0, 9, 0, 9, 9];
    const { annotation, warnings } = parse(
      coco([
        { segmentation: { counts: 'abc', size: [480, 640] } },
        { segmentation: [small, large] },
        { segmentation: [[0, 0, 1, 1]] },
      ]),
    );
    expect(annotation.kind === 'detection' && annotation.boxes).toEqual([
      cat,
      {
        ...cat,
        points: [
          [0, 0],
          [9, 0],
          [9, 9],
        ],
      },
      cat,
    ]);
    expect(warnings.map(({ message }) => message)).toEqual([
      'cat box 1: its mask is run-length encoded; only the box was kept',
      'cat box 2: its outline has 2 parts; only the largest was kept',
      'cat box 3: its outline has fewer than three points; only the box was kept',
    ]);
  });

  test('an exact path goes before a base name', () => {
    const images = [
      { id: 1, file_name: 'a/cell.jpg' },
      { id: 7, file_name: 'cell.jpg' },
    ];
    expect(parse(coco([{}], { images })).annotation).toEqual({ kind: 'detection', boxes: [cat] });
  });

  test.each([
    [
      'no entry for the image',
      coco([], { images: [{ id: 1, file_name: 'other.jpg' }] }),
      /has no entry for image "cell.jpg"; it is about "other.jpg"/,
    ],
    ['no entries', coco([], { images: [] }), /it is about no image/],
    [
      'two entries for the image',
      coco([], {
        images: [
          { id: 1, file_name: 'a/cell.jpg' },
          { id: 2, file_name: 'b/cell.jpg' },
        ],
      }),
      /several entries for image "cell.jpg": "a\/cell.jpg", "b\/cell.jpg"/,
    ],
    [
      'an unknown category',
      coco([{ category_id: 9 }]),
      /annotations\[0\].category_id: "9" is not in categories; known ids: "1", "2"/,
    ],
    [
      'a negative size',
      coco([{ bbox: [1, 2, -3, 4] }]),
      /annotations\[0\].bbox\[2\]: must not be negative, but is -3/,
    ],
    ['a short bbox', coco([{ bbox: [1, 2, 3] }]), /annotations\[0\].bbox: must be \[x, y/],
    [
      'text in a bbox',
      coco([{ bbox: [1, '2', 3, 4] }]),
      /annotations\[0\].bbox\[1\]: must be a number/,
    ],
    ['null in a bbox', coco([{ bbox: [1, null, 3, 4] }]), /bbox\[1\]: must be a number/],
    ['no bbox', coco([{ bbox: undefined }]), /annotations\[0\].bbox: must be an array/],
    [
      'half a point',
      coco([{ segmentation: [[1, 2, 3, 4, 5, 6, 7]] }]),
      /segmentation\[0\]: must be pairs/,
    ],
    ['half a keypoint', coco([{ keypoints: [1, 2] }]), /keypoints: must be groups/],
    [
      'an unknown visibility',
      coco([{ keypoints: [1, 2, 3] }]),
      /keypoints\[2\]: must be 0, 1 or 2/,
    ],
    ['a nameless category', coco([], { categories: [{ id: 1 }] }), /categories\[0\].name/],
    ['no categories', coco([], { categories: 1 }), /categories: must be an array/],
    ['no annotations', coco([], { annotations: null }), /annotations: must be an array/],
    ['a nameless image', coco([], { images: [{ id: 1 }] }), /images\[0\].file_name/],
    ['other JSON', '{"shapes": []}', /is JSON, but not COCO/],
    ['broken JSON', '{\n"images": [\n1 2]}', /line 3, column 3: is not valid JSON/],
    ['JSON that was cut off', '{"images": [', /ends too early/],
  ])('refuses %s', (_case, text, message) => {
    expect(() => parse(text)).toThrow(message);
  });

  test('never quotes the file in the error of broken JSON', () => {
    expect(() => parse('{"images": ignore all rules}')).toThrow(
      /^annotationFile: is not valid JSON$/,
    );
  });
});

describe('YOLO TXT', () => {
  const labelmap = { '0': 'cat', '1': 'dog' };

  test('reads shares of the image with a labelmap', () => {
    const text = '0 0.09375 0.09375 0.15625 0.104166667\r\n\r\n1 0.5 0.5 0 0\n';
    expect(parse(text, { labelmap }).annotation).toEqual({
      kind: 'detection',
      boxes: [
        { label: 'cat', x: 60, y: 45, width: 100, height: 50 },
        { label: 'dog', x: 320, y: 240, width: 0, height: 0 },
      ],
    });
  });

  test('reads names in place of ids', () => {
    const boxes = [{ label: 'cat', x: 320, y: 240, width: 64, height: 48 }];
    expect(parse('cat 0.5 0.5 0.1 0.1').annotation).toEqual({ kind: 'detection', boxes });
    expect(parse('cat 0.5 0.5 0.1 0.1', { labelmap }).annotation).toEqual({
      kind: 'detection',
      boxes,
    });
  });

  test('reads outlines', () => {
    expect(parse('1 0.1 0.1 0.2 0.1 0.2 0.3', { labelmap }).annotation).toEqual({
      kind: 'detection',
      boxes: [
        {
          label: 'dog',
          x: 96,
          y: 96,
          width: 64,
          height: 96,
          points: [
            [64, 48],
            [128, 48],
            [128, 144],
          ],
        },
      ],
    });
  });

  test('an empty .txt file has nothing to label; empty text without a name is refused', () => {
    expect(parse('\n', { fileName: 'cell.txt' }).annotation).toEqual({
      kind: 'detection',
      boxes: [],
    });
    expect(() => parse('')).toThrow('is empty');
  });

  test.each([
    [
      'an unknown id',
      '7 0.5 0.5 0.1 0.1',
      /line 1: class id 7 is not in the labelmap; known ids: "0", "1"/,
    ],
    ['a name of Object', 'constructor 0.5 0.5 0.1 0.1', /"constructor" is not in the labelmap/],
    [
      'an unknown name',
      'cow 0.5 0.5 0.1 0.1',
      /class "cow" is not in the labelmap; known: "cat", "dog"/,
    ],
    ['an id with a point', '0.0 0.5 0.5 0.1 0.1', /the class id must be a whole number/],
    ['a negative id', '-1 0.5 0.5 0.1 0.1', /the class id must be a whole number/],
    ['too few values', '0 0.5 0.5 0.1', /line 1: has 3 values after the class/],
    ['a confidence', '0 0.5 0.5 0.1 0.1 0.9', /line 1: has 5 values/],
    ['text for a number', '0 0.5 x 0.1 0.1', /line 1, value 2: must be a number/],
    [
      'pixels',
      '\n0 320 240 64 48',
      /line 2, value 1: must be a share of the image from 0 to 1, but is 320/,
    ],
    ['a negative size', '0 0.5 0.5 -0.1 0.1', /line 1: width and height must not be negative/],
  ])('refuses %s', (_case, text, message) => {
    expect(() => parse(text, { labelmap })).toThrow(message);
  });

  test('refuses ids without a labelmap', () => {
    expect(() => parse('0 0.5 0.5 0.1 0.1')).toThrow('class id "0" needs a labelmap');
  });

  test('refuses keypoint rows, which look like outlines', () => {
    const projectType: ProjectType = 'keypoint-detection';
    expect(() => parse('0 0.5 0.5 0.1 0.1 0.5 0.5 2', { labelmap, projectType })).toThrow(
      'use COCO JSON',
    );
  });
});

describe('CreateML JSON', () => {
  const entry = {
    image: 'cell.jpg',
    annotations: [{ label: 'cat', coordinates: { x: 60, y: 45, width: 100, height: 50 } }],
  };

  test('reads centres in pixels', () => {
    const text = JSON.stringify([{ image: 'other.jpg', annotations: [] }, entry]);
    expect(parse(text).annotation).toEqual({ kind: 'detection', boxes: [cat] });
  });

  test.each([
    [
      'another image',
      [{ ...entry, image: 'other.jpg' }],
      /no entry for image "cell.jpg"; it is about "other.jpg"/,
    ],
    ['no image', [], /it is about no image/],
    ['no label', [{ ...entry, annotations: [{ coordinates: {} }] }], /\[0\].annotations\[0\]/],
    [
      'a missing number',
      [{ ...entry, annotations: [{ label: 'a', coordinates: { x: 1, y: 1, width: 1 } }] }],
      /\[0\].annotations\[0\].coordinates.height: must be a number/,
    ],
  ])('refuses %s', (_case, document, message) => {
    expect(() => parse(JSON.stringify(document))).toThrow(message);
  });
});

describe('classification', () => {
  const single: ProjectType = 'single-label-classification';
  const multi: ProjectType = 'multi-label-classification';

  test.each([
    [single, 'ripe banana\n', ['ripe banana']],
    [single, '["ripe"]', ['ripe']],
    [multi, '["ripe", "yellow", "ripe"]', ['ripe', 'yellow']],
    [multi, '[]', []],
    [multi, 'ripe', ['ripe']],
  ])('%s takes %s', (projectType, text, labels) => {
    expect(parse(text, { projectType })).toEqual({
      annotation: { kind: 'classification', labels },
      warnings: [],
    });
  });

  test.each([
    [single, '', /is blank/],
    [single, 'a\nb', /one line/],
    [single, '["a", "b"]', /has 2 class names; this project takes one/],
    [single, 'x'.repeat(201), /longer than 200/],
    [multi, '["a", 1]', /\[1\]: must be a class name/],
    [multi, '["a", ""]', /\[1\]: must be a class name/],
    [multi, coco([{}]), /is COCO JSON with boxes/],
    [single, voc(''), /is XML with boxes/],
  ])('%s refuses %s', (projectType, text, message) => {
    expect(() => parse(text, { projectType })).toThrow(message);
  });

  test('a project of boxes refuses class names', () => {
    expect(() => parse('["cat"]')).toThrow('labels boxes');
  });
});

test('the extension speaks where the content does not', () => {
  expect(() => parse('cat', { fileName: 'cell.xml' })).toThrow('is named .xml');
  expect(() => parse('', { fileName: 'cell.json' })).toThrow('is empty');
});

test('refuses text-image-pairs by name', () => {
  expect(() => parse('cat', { projectType: 'text-image-pairs' })).toThrow(
    expect.objectContaining({ code: 'not_implemented' }),
  );
});

test('names the field in every refusal', () => {
  expect(() => parse('{}')).toThrow(
    expect.objectContaining({
      code: 'invalid_input',
      problems: [expect.objectContaining({ path: 'annotationFile' })],
    }),
  );
});

test('the sample goes in whole', () => {
  const folder = 'sample/blood-cells/Annotations';
  const parsed = readdirSync(folder).map((fileName) => {
    const text = readFileSync(`${folder}/${fileName}`, 'utf8');
    const name = fileName.replace('.xml', '.jpg');
    return parse(text, { fileName, image: { ...image, name } });
  });
  const labels = parsed.flatMap(({ annotation }) =>
    annotation.kind === 'detection' ? annotation.boxes.map(({ label }) => label) : [],
  );
  const count = (label: string) => labels.filter((other) => other === label).length;
  expect([count('RBC'), count('WBC'), count('Platelets'), labels.length]).toEqual([
    125, 13, 21, 159,
  ]);
  expect(parsed.flatMap(({ warnings }) => warnings.map(({ message }) => message))).toEqual([
    'RBC box 13: zero width and height at 504, 337; kept as labelled',
    'RBC box 4: zero width and height at 181, 329; kept as labelled',
  ]);
});
