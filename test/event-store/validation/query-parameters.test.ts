// Query parameters as they come over the wire.

import { describe, expect, test } from 'vitest';
import {
  parseMetadataFilter,
  prepareQuery,
} from '../../../src/event-store/validation/query-parameters.ts';

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

  test('32 metadata filters, and no more', () => {
    expect(prepareQuery({ metadata_filter: list(32) })).toEqual({ metadata_filter: list(32) });
    expect(() => prepareQuery({ metadata_filter: list(33) })).toThrow(
      'metadata_filter: has 33 filters; at most 32 are taken',
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

describe('metadata filters', () => {
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
    expect(parseMetadataFilter(text)).toEqual(condition);
  });

  test.each(['count:GT:5', 'count:>=:5', 'count: gt :5'])('"%s" names no operator', (text) => {
    expect(() => parseMetadataFilter(text)).toThrow('metadata_filter: the operators are eq');
  });

  test.each(['', 'shift', ':late', ':eq:late'])('"%s" is refused', (text) => {
    expect(() => parseMetadataFilter(text)).toThrow('metadata_filter: must be key:value');
  });
});
