// Random requests for the operations of an OpenAPI document.

import fc from 'fast-check';
import type { Described, Parameter, Schema } from './document.ts';
import { type Known, oddValue, rightValue, withOneOdd } from './values.ts';

/** Who asks: with the key of the workspace, of another one, with a made-up one, or with none. */
export type Asker = 'owner' | 'other' | 'wrong' | 'nobody';

export interface FuzzRequest {
  readonly described: Described;
  readonly asker: Asker;
  /** With its query, as it goes out. */
  readonly target: string;
  readonly body: FuzzBody | undefined;
  /** Whether the path is certainly that of this operation. */
  readonly isPlain: boolean;
}

export type FuzzBody =
  | { readonly kind: 'text'; readonly type: string | undefined; readonly text: string }
  | { readonly kind: 'form'; readonly parts: readonly FormPart[] };

export interface FormPart {
  readonly name: string;
  readonly value: string | Uint8Array<ArrayBuffer>;
}

/** `files` are contents for the files of forms. */
export function requestOf(
  described: Described,
  known: Known,
  files: readonly Uint8Array<ArrayBuffer>[],
): fc.Arbitrary<FuzzRequest> {
  const asker = fc.oneof<fc.WeightedArbitrary<Asker>[]>(
    { weight: 30, arbitrary: fc.constant('owner') },
    { weight: 2, arbitrary: fc.constant('other') },
    { weight: 1, arbitrary: fc.constantFrom('wrong', 'nobody') },
  );
  return fc
    .tuple(
      asker,
      pathOf(described, known),
      queryOf(described, known),
      bodyOf(described, known, files),
    )
    .map(([who, path, query, body]) => ({
      described,
      asker: who,
      target: path.text + query,
      body,
      isPlain: path.isPlain,
    }));
}

interface Piece {
  readonly text: string;
  readonly isPlain: boolean;
}

function pathOf({ path, parameters }: Described, known: Known): fc.Arbitrary<Piece> {
  const values = parameters.filter((parameter) => parameter.in === 'path');
  const names = values.map(({ name }) => name);
  return fc.tuple(...values.map((parameter) => pathValue(parameter, known))).map((pieces) => ({
    text: path.replaceAll(/\{(\w+)\}/g, (_, name) => pieces[names.indexOf(name)]?.text ?? 'x'),
    isPlain: pieces.every(({ isPlain }) => isPlain),
  }));
}

function pathValue(parameter: Parameter, known: Known): fc.Arbitrary<Piece> {
  const { name, schema, description = '' } = parameter;
  // Where two paths have one shape the document has the names of the first, and says the other.
  const meant = /^The (\w+)\.$/.exec(description)?.[1] ?? name;
  const ids = known(meant);
  const id = fc.constantFrom(...(ids.length > 0 ? ids : ['unknown']));
  const plain = (value: unknown) => ({ text: encodeURIComponent(String(value)), isPlain: true });
  const right = ids.length > 0 ? id : rightValue(schema, meant, known);
  return fc.oneof(
    { weight: 40, arbitrary: right.filter(isPlainPart).map(plain) },
    { weight: 1, arbitrary: oddPart.map((text) => ({ text, isPlain: false })) },
  );
}

function isPlainPart(value: unknown): boolean {
  return /^[\w-]+$/.test(String(value));
}

/** Percent-encoded already, or not as it should be. */
const oddPart = fc.oneof(
  fc.constantFrom(
    '%00',
    '%ff',
    '%2e%2e',
    '..%2f..',
    '%ED%A0%80',
    '%',
    '.',
    'a%2Fb',
    '%20',
    '0',
    '-1',
  ),
  fc.constantFrom('1e9', '99999999999999999999', 'x'.repeat(2_000), '__proto__', 'constructor'),
  fc.string({ maxLength: 30 }).map(encodeURIComponent),
);

function queryOf({ parameters }: Described, known: Known): fc.Arbitrary<string> {
  const inQuery = parameters.filter((parameter) => parameter.in === 'query');
  const pairs = inQuery.map(({ name, schema, required }) => {
    const right = rightValue(schema, name, known);
    const value = fc
      .oneof({ weight: 8, arbitrary: right }, oddValue)
      .map((one) =>
        (Array.isArray(one) ? one : [one]).map((text): [string, string] => [name, queryText(text)]),
      );
    return required ? value : fc.option(value, { nil: [] });
  });
  const stray = fc
    .nat({ max: 29 })
    .map((chance): [string, string][] => (chance === 0 ? [['unheard_of', '1']] : []));
  return fc.tuple(...pairs, stray).map((lists) => {
    const query = new URLSearchParams(lists.flat());
    return query.size === 0 ? '' : `?${query}`;
  });
}

function queryText(value: unknown): string {
  return (typeof value === 'string' ? value : (JSON.stringify(value) ?? '')).toWellFormed();
}

function bodyOf(
  { requestBody, method }: Described,
  known: Known,
  files: readonly Uint8Array<ArrayBuffer>[],
): fc.Arbitrary<FuzzBody | undefined> {
  if (method === 'GET') return fc.constant(undefined);
  const content = requestBody?.content ?? {};
  const json = content['application/json']?.schema;
  const form = content['multipart/form-data']?.schema;
  const raw = fc.constantFrom<FuzzBody>(...malformed);
  const none = fc.constant(undefined);
  if (form !== undefined) {
    const whole = formOf(form, known, files);
    return fc.oneof({ weight: 12, arbitrary: whole }, raw, none);
  }
  if (json === undefined) return fc.oneof({ weight: 6, arbitrary: none }, raw);
  const right = rightValue(json, '', known);
  const odd = right.chain(withOneOdd);
  const text = (value: unknown): FuzzBody => ({
    kind: 'text',
    type: 'application/json',
    text: JSON.stringify(value) ?? '',
  });
  return fc.oneof(
    { weight: 10, arbitrary: right.map(text) },
    { weight: 6, arbitrary: odd.map(text) },
    { weight: 1, arbitrary: oddValue.map(text) },
    { weight: 1, arbitrary: raw },
    { weight: 1, arbitrary: right.map((value) => ({ ...text(value), type: 'text/plain' })) },
    none,
  );
}

const malformed: readonly FuzzBody[] = [
  ...['', '{', '{"a":1', 'null', '[]', '"text"', '{"a":1e999}', '{"a":1,"a":2}', '\u0000'].map(
    (text): FuzzBody => ({ kind: 'text', type: 'application/json', text }),
  ),
  { kind: 'text', type: 'application/json', text: '['.repeat(100_000) },
  { kind: 'text', type: 'application/json', text: `{"a":"${'x'.repeat(100_000)}"}` },
  { kind: 'text', type: 'application/json; charset=utf-7', text: '{}' },
  { kind: 'text', type: 'application/xml', text: '<a/>' },
  { kind: 'text', type: 'multipart/form-data', text: 'no boundary' },
  { kind: 'text', type: 'multipart/form-data; boundary=x', text: '--x\r\n\r\nhello\r\n--x--' },
  { kind: 'text', type: 'multipart/form-data; boundary=x', text: '--x\r\nbroken' },
  { kind: 'text', type: 'application/x-www-form-urlencoded', text: 'a=1&b=2' },
  { kind: 'text', type: undefined, text: 'bare' },
];

function formOf(
  schema: Schema,
  known: Known,
  files: readonly Uint8Array<ArrayBuffer>[],
): fc.Arbitrary<FuzzBody> {
  const { properties = {}, required = [] } = schema;
  const parts = Object.entries(properties).map(([name, member]) => {
    const value = isFile(member)
      ? fc.array(fc.constantFrom(...files), { minLength: 1, maxLength: member.items ? 2 : 1 })
      : fc
          .oneof({ weight: 20, arbitrary: rightValue(member, name, known) }, oddValue)
          .map((one) => (Array.isArray(one) ? one : [one]).map(queryText));
    const made = value.map((list) => list.map((one): FormPart => ({ name, value: one })));
    return required.includes(name) ? made : fc.option(made, { nil: [] });
  });
  return fc.tuple(...parts).map((lists) => ({ kind: 'form', parts: lists.flat() }));
}

function isFile({ contentMediaType, items }: Schema): boolean {
  if (contentMediaType === 'application/octet-stream') return true;
  return typeof items === 'object' && isFile(items);
}
