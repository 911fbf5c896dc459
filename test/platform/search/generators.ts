// Random images, conditions and their texts in the query language.

import fc from 'fast-check';
import type { NewModel } from './indexed-images.ts';
import type { Condition, LimitField } from './naive-query.ts';

const stems = [
  'IMG_',
  'img',
  'frame-',
  'Zélle ',
  'a.b',
  '"q"',
  'x[1]?',
  'Σας',
  'ﬁn',
  'İ',
  '日本',
  '😀',
  '\ue000',
  '',
];
const tags = ['night', 'day', 'batch-7', 'lot2024', 'x', 'X', '20240101', '_', 'img'];
export const labels = ['RBC', 'WBC', 'red cell', 'a"b', 'x\\y', 'Ü'];
const metadataKeys = ['site', 'a=b', 'n', 'with space', '__proto'];
const metadataValues = [
  'x',
  'b=c',
  'two words',
  '',
  '5',
  'q"q',
  5,
  1.5,
  true,
  'y'.repeat(300),
  'a\u0000b',
];

const name = fc
  .tuple(
    fc.constantFrom(...stems),
    fc.oneof(fc.nat(9), fc.nat(99_999), fc.constantFrom('', '0001', '000123', '20240101', '7 (2)')),
    fc.constantFrom('.jpg', '.JPG', '.png', '', '.tar.gz', '.verylongextension', '.'),
  )
  .map((parts) => parts.join('') || 'image');

export const newImage: fc.Arbitrary<NewModel> = fc.record({
  project: fc.constantFrom('cells', 'cells', 'cars', 'foreign'),
  name,
  batch: fc.constantFrom('one', 'two'),
  width: fc.oneof(fc.integer({ min: 1, max: 5 }), fc.constantFrom(416, 640, 1024, 16_400)),
  height: fc.integer({ min: 1, max: 700 }),
  split: fc.constantFrom('train', 'valid', 'test'),
  tags: fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 }),
  metadata: fc
    .array(fc.tuple(fc.constantFrom(...metadataKeys), fc.constantFrom(...metadataValues)), {
      maxLength: 2,
    })
    .map((entries) => Object.fromEntries(entries)),
});

export const someTags = fc.uniqueArray(fc.constantFrom(...tags), { maxLength: 3 });
export const someMetadata = newImage.map(({ metadata }) => metadata);
export const someLabels = fc.array(fc.constantFrom(...labels), { maxLength: 9 });

const limitFields: readonly LimitField[] = [
  ...(['min-width', 'max-width', 'min-height', 'max-height'] as const),
  ...(['min-annotations', 'max-annotations'] as const),
];

/** Parts of names become stars. */
const namePattern = fc
  .tuple(name, fc.array(fc.tuple(fc.nat(12), fc.nat(6)), { maxLength: 3 }))
  .map(([whole, cuts]) => {
    const letters = [...whole];
    for (const [at, length] of cuts) letters.splice(at, length, '*');
    return letters.join('') || '*';
  });

const words = [
  'img',
  'IMG',
  'zelle',
  'frame',
  'night',
  'x',
  'lot',
  '2024',
  '20240101',
  '1',
  '0001',
];
const word = fc.oneof(
  fc.constantFrom(...words, ...words.map((one) => `${one}*`), 'im*', '0*', '20*', 'fin', '日*'),
  fc.constantFrom('img 0001', 'frame-7', 'batch-7', 'IMG_0*', 'σας', 'jpg', 'gz*'),
);

const leaf: fc.Arbitrary<Condition> = fc.oneof(
  fc.record({ is: fc.constant('tag' as const), text: fc.constantFrom(...tags, 'none') }),
  fc.record({
    is: fc.constant('split' as const),
    text: fc.constantFrom('train', 'valid', 'test'),
  }),
  fc.record({ is: fc.constant('project' as const), text: fc.constantFrom('cells', 'cars') }),
  fc.record({ is: fc.constant('job' as const), text: fc.constantFrom('job-cells', 'job-none') }),
  fc.record({ is: fc.constant('batch' as const), text: fc.constantFrom('one', 'two', 'none') }),
  fc.record({ is: fc.constant('word' as const), text: word }),
  fc.record({ is: fc.constant('name' as const), text: namePattern }),
  fc.record(
    {
      is: fc.constant('class' as const),
      text: fc.constantFrom(...labels, 'none'),
      bound: fc.record({
        operator: fc.constantFrom('>=', '<=', '>', '<', '='),
        count: fc.oneof(fc.nat(9), fc.constant(999_999_999)),
      }),
    },
    { requiredKeys: ['is', 'text'] },
  ),
  fc.record(
    {
      is: fc.constant('metadata' as const),
      key: fc.constantFrom(...metadataKeys),
      value: fc.constantFrom(...metadataValues.map(String)),
    },
    { requiredKeys: ['is', 'key'] },
  ),
  fc.record({
    is: fc.constantFrom('annotated' as const, 'predicted' as const),
    yes: fc.boolean(),
  }),
  fc.record({
    is: fc.constant('limit' as const),
    field: fc.constantFrom(...limitFields),
    count: fc.oneof(fc.nat(700), fc.constantFrom(0, 416, 640, 16_400, 999_999_999)),
  }),
  fc.constant({ is: 'all' as const }),
);

export const condition: fc.Arbitrary<Condition> = fc.letrec<{ condition: Condition }>((tie) => ({
  condition: fc.oneof(
    { maxDepth: 3, depthSize: 'small' },
    leaf,
    fc.record({
      is: fc.constantFrom('and' as const, 'or' as const),
      parts: fc.array(tie('condition'), { minLength: 2, maxLength: 4 }),
    }),
    fc.record({ is: fc.constant('not' as const), part: tie('condition') }),
  ),
})).condition;

/** A condition in the query language; `spare` chooses among ways to write the same. */
export function textOf(condition: Condition, spare: boolean): string {
  switch (condition.is) {
    case 'all':
      return '*';
    case 'and':
      return condition.parts.map((part) => inBrackets(part, spare)).join(spare ? ' ' : ' AND ');
    case 'or':
      return condition.parts.map((part) => inBrackets(part, spare)).join(' OR ');
    case 'not':
      return `${spare ? '-' : 'NOT '}${inBrackets(condition.part, spare)}`;
    case 'word':
      return condition.text;
    case 'name':
      return `filename:${quoted(condition.text)}`;
    case 'class': {
      const { bound } = condition;
      const value = quoted(condition.text);
      return `class:${value}${bound ? `${bound.operator}${bound.count}` : ''}`;
    }
    case 'metadata': {
      const { key, value } = condition;
      return `metadata:${quoted(key)}${value === undefined ? '' : `=${quoted(value)}`}`;
    }
    case 'annotated':
    case 'predicted':
      return `${condition.is}:${condition.yes}`;
    case 'limit':
      return `${condition.field}:${condition.count}`;
    default:
      return `${condition.is}:${condition.text}`;
  }
}

function inBrackets(condition: Condition, spare: boolean): string {
  const text = textOf(condition, spare);
  const isOne = !/\s/.test(text) && condition.is !== 'and' && condition.is !== 'or';
  return isOne ? text : `(${text})`;
}

/** Quotation marks around what needs them. */
function quoted(text: string): string {
  const isPlain = /^[\w.*-]+$/.test(text);
  return isPlain ? text : `"${text.replaceAll(/["\\]/g, '\\$&')}"`;
}
