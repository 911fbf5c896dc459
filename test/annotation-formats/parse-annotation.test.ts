// Annotations of any format: which one a text is, class names alone, and the sample.

import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import type { ProjectType } from '../../src/annotations/annotation.ts';
import { coco, image, parse, voc } from './sample-annotations.ts';

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
    expect.objectContaining({
      code: 'invalid_input',
      message: 'annotationFile: projects of text-image-pairs keep images alone',
    }),
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
