// XML without anything special is read in a shorter way: it says the same as the parser does.

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FoveaError } from '../../src/errors.ts';
import { parse } from './sample-annotations.ts';

/** A comment leaves the text to the parser. */
const withComment = (text: string) => `${text}<!-- -->`;

function said(text: string): unknown {
  try {
    return parse(text);
  } catch (thrown) {
    if (thrown instanceof FoveaError) return thrown.problems;
    throw thrown;
  }
}

const names = fc.constantFrom('object', 'name', 'bndbox', 'xmin', 'size', 'width', 'polygon', 'x1');
const texts = fc.constantFrom(
  '',
  ' ',
  '\n\t',
  'cat',
  ' 12 ',
  '-1.5',
  'a b',
  '&lt;',
  ']]',
  '"',
  '/',
);

const { element } = fc.letrec<{ element: string; inside: string }>((tie) => ({
  element: fc
    .tuple(names, tie('inside'), fc.constantFrom('', '\n'))
    .map(([name, inside, gap]) =>
      inside === '/' ? `<${name}/>` : `<${name}>${inside}</${name}>${gap}`,
    ),
  inside: fc.oneof(
    { depthSize: 'small', withCrossShrink: true },
    texts,
    fc.array(tie('element'), { maxLength: 4 }).map((all) => all.join('')),
  ),
}));

const box = fc
  .tuple(
    fc.constantFrom('cat', 'constructor', 'toString', 'ä'),
    fc.nat(50),
    fc.array(element, { maxLength: 2 }),
  )
  .map(
    ([name, at, others]) =>
      `<object>\n<name>${name}</name>${others.join('')}<bndbox><xmin>${at}</xmin><ymin>${at}</ymin>` +
      `<xmax>60</xmax><ymax>60</ymax></bndbox></object>`,
  );

const document = fc
  .tuple(
    fc.constantFrom('', '\n', '<?xml version="1.0"?>\n', '<?xml version="1.0" encoding="utf-8" ?>'),
    fc.array(fc.oneof(box, element, texts), { maxLength: 5 }),
    fc.constantFrom('</annotation>', '</annotation>\n', '</annotations>', '</annotation>x', ''),
  )
  .map(([start, inside, end]) => `${start}<annotation>${inside.join('')}${end}`);

test('what is said of a file does not depend on a comment behind it', () => {
  fc.assert(
    fc.property(document, (text) => {
      expect(said(text)).toEqual(said(withComment(text)));
    }),
    { numRuns: 2_000 },
  );
});

test('names of what every object has are names of elements', () => {
  const text = '<annotation><toString>1</toString><toString>2</toString></annotation>';
  expect(said(text)).toEqual(said(withComment(text)));
});
