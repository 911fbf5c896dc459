// Query parameters as they come over the wire.

import { describe, expect, test } from 'vitest';
import { parseDetectionFilters } from '../../../src/event-store/validation/detection-filters.ts';
import { parseMemberFilters } from '../../../src/event-store/validation/member-filters.ts';
import { prepareQuery } from '../../../src/event-store/validation/query-parameters.ts';

describe('times', () => {
  test.each([
    ['2026-11-20T10:00:00Z', '2026-11-20T10:00:00.000000Z'],
    ['2026-11-20T10:00:00.123456+00:00', '2026-11-20T10:00:00.123456Z'],
    ['2026-11-20T10:00:00.123456 00:00', '2026-11-20T10:00:00.123456Z'],
    ['2026-11-20T10:00:00 02:00', '2026-11-20T08:00:00.000000Z'],
    ['2026-11-20T10:00:00-05:30', '2026-11-20T15:30:00.000000Z'],
    ['2026-11-20T10:00:00', '2026-11-20T10:00:00.000000Z'],
    ['2026-11-20', '2026-11-20T00:00:00.000000Z'],
    // The last moment of Python's datetime.
    ['9999-12-31T23:59:59.999999', '9999-12-31T23:59:59.000000Z'],
  ])('%s', (given, time) => {
    expect(prepareQuery({ start_time: given })).toEqual({ start_time: time });
  });

  test.each(['yesterday', '2026-13-01T00:00:00Z', '2026-02-30', '1732096800', '10:00'])(
    '%s is no time',
    (given) => {
      expect(() => prepareQuery({ end_time: given })).toThrow('end_time: must be an ISO 8601 time');
    },
  );
});

describe('how much is taken', () => {
  const list = (count: number) => Array.from({ length: count }, (_, at) => `key-${at}:v`);

  test.each(['device_id__in', 'event_schema__in', 'workflow_id__in', 'external_id__in'])(
    '200 values of %s, and no more',
    (name) => {
      const values = list(200).join(',');
      expect(prepareQuery({ [name]: values })).toEqual({ [name]: values });
      expect(() => prepareQuery({ [name]: `${values},one` })).toThrow(
        `${name}: has 201 values; at most 200 are taken`,
      );
    },
  );

  test.each(['metadata_filter', 'event_data_filter'])('32 filters of %s, and no more', (name) => {
    expect(prepareQuery({ [name]: list(32) })).toEqual({ [name]: list(32) });
    expect(() => prepareQuery({ [name]: list(33) })).toThrow(
      `${name}: has 33 filters; at most 32 are taken`,
    );
  });

  test('4 detection filters of 6 terms, and no more', () => {
    const terms = (count: number) => ['class:a', ...Array(count - 1).fill('count:1')].join(',');
    const filters = Array(4).fill(terms(6));
    expect(prepareQuery({ detection_filter: filters })).toEqual({ detection_filter: filters });
    expect(() => prepareQuery({ detection_filter: [...filters, 'class:b'] })).toThrow(
      'detection_filter: has 5 filters; at most 4 are taken',
    );
    expect(() => prepareQuery({ detection_filter: [terms(7)] })).toThrow(
      'detection_filter: has 7 terms; at most 6 are taken',
    );
  });
});

describe('other parameters', () => {
  test('what is empty is not given', () => {
    expect(prepareQuery({ device_id: '', limit: 5 })).toEqual({ limit: 5 });
  });

  test.each([
    ['1', true],
    ['True', true],
    ['no', false],
    ['FALSE', false],
    ['maybe', 'maybe'],
  ])('include_drafts %s', (given, value) => {
    expect(prepareQuery({ include_drafts: given })).toEqual({ include_drafts: value });
  });

  test('a direction that is none', () => {
    expect(() => prepareQuery({ sort_direction: 'up' })).toThrow('sort_direction: must be');
    expect(prepareQuery({ sort_direction: 'asc' })).toEqual({ sort_direction: 'asc' });
  });
});

describe('filters on members', () => {
  test.each([
    ['shift:late', { key: 'shift', operator: 'eq', values: ['late'] }],
    ['count:5', { key: 'count', operator: 'eq', values: ['5', 5] }],
    ['count:ne:5.50', { key: 'count', operator: 'ne', values: ['5.50', 5.5] }],
    ['ok:true', { key: 'ok', operator: 'eq', values: ['true', true] }],
    ['ok:False', { key: 'ok', operator: 'eq', values: ['False', false] }],
    ['count:gt:-2e3', { key: 'count', operator: 'gt', values: [-2000] }],
    ['name:lte:m', { key: 'name', operator: 'lte', values: ['m'] }],
    ['url:http://a:80/b', { key: 'url', operator: 'eq', values: ['http://a:80/b'] }],
    ['time:eq:10:30', { key: 'time', operator: 'eq', values: ['10:30'] }],
    ['code:eq:eq:7', { key: 'code', operator: 'eq', values: ['eq:7'] }],
    ['a key:gte:', { key: 'a key', operator: 'gte', values: [''] }],
    ['empty:', { key: 'empty', operator: 'eq', values: [''] }],
    ['long:1e999', { key: 'long', operator: 'eq', values: ['1e999'] }],
  ])('%s', (text, condition) => {
    expect(parseMemberFilters('metadata_filter', [text])).toEqual([condition]);
  });

  test.each(['count:GT:5', 'count:>=:5', 'count: gt :5'])('"%s" names no operator', (text) => {
    for (const name of ['metadata_filter', 'event_data_filter']) {
      const parse = () => parseMemberFilters(name, [text]);
      expect(parse).toThrow(`${name}: the operators are eq, ne, gt, lt, gte, lte, in lower case`);
    }
  });

  test.each(['', 'shift', ':late', ':eq:late'])('"%s" is refused', (text) => {
    for (const name of ['metadata_filter', 'event_data_filter']) {
      const parse = () => parseMemberFilters(name, [text]);
      expect(parse).toThrow(`${name}: must be key:value or key:op:value`);
    }
  });
});

describe('detection filters', () => {
  const bolt = { key: 'class', operator: 'eq', values: ['bolt'] };
  const sure = { key: 'confidence', operator: 'gte', values: [0.5] };
  const many = { key: 'count', operator: 'gte', values: [3] };
  const one = { operator: 'gte', values: [1] };

  test.each([
    ['class:bolt', { terms: [bolt], counts: [one] }],
    ['class:bolt,confidence:gte:0.5,count:gte:3', { terms: [bolt, sure], counts: [many] }],
    ['count:gte:3, confidence:gte:.5, class: bolt', { terms: [sure, bolt], counts: [many] }],
    ['class=bolt,confidence>=0.5,count>=3', { terms: [bolt, sure], counts: [many] }],
    ['confidence >= 0.5', { terms: [sure], counts: [one] }],
    [
      'class:ne:bolt,count:0',
      {
        terms: [{ key: 'class', operator: 'ne', values: ['bolt'] }],
        counts: [{ key: 'count', operator: 'eq', values: [0] }],
      },
    ],
    [
      'class:nut, small: m5,count<2',
      {
        terms: [{ key: 'class', operator: 'eq', values: ['nut, small: m5'] }],
        counts: [{ key: 'count', operator: 'lt', values: [2] }],
      },
    ],
    // A class is text, whatever it looks like.
    ['class:5', { terms: [{ key: 'class', operator: 'eq', values: ['5'] }], counts: [one] }],
  ])('%s', (text, condition) => {
    expect(parseDetectionFilters([text])).toEqual([condition]);
  });

  test('several filters, each with its class', () => {
    const texts = ['class:bolt,confidence:gte:0.5', 'class:nut'];
    expect(parseDetectionFilters(texts)).toHaveLength(2);
  });

  const example = ', as in class:person,confidence:gte:0.5,count:gte:3.';

  test.each([
    ['person', 'must be terms on class, confidence or count'],
    ['', 'must be terms on class, confidence or count'],
    ['label:person', 'must be terms on class, confidence or count'],
    ['class:', 'class has no value'],
    ['class:bolt,count:gte:', 'count has no value'],
    ['class:gt:bolt', 'class takes eq and ne'],
    ['class:NE:bolt', 'the operators are eq, ne, gt, lt, gte, lte, in lower case'],
    ['confidence=>0.5', 'the operators are eq, ne, gt, lt, gte, lte, in lower case'],
    ['confidence:gte:high', 'confidence is a number from 0 to 1'],
    ['confidence:gte:50', 'confidence is a number from 0 to 1'],
    ['class:bolt and confidence:gte:0.5', 'has terms that no comma separates'],
    ['class:bolt;count>=3', 'has terms that no comma separates'],
    ['count:1.5', 'count is a whole number from 0 on'],
    ['count:gte:-1', 'count is a whole number from 0 on'],
    ['class:bolt,class:nut', 'has several classes; each class is a filter of its own'],
  ])('"%s" is refused', (text, why) => {
    const parse = () => parseDetectionFilters([text]);
    expect(parse).toThrow(`detection_filter: ${why}${example}`);
  });

  test('terms that are apart are refused: each could be met by another detection', () => {
    const parse = () => parseDetectionFilters(['class:bolt', 'confidence:gte:0.5']);
    expect(parse).toThrow(
      `detection_filter: each of several filters names a class; terms of one filter stand in one text${example}`,
    );
  });
});
