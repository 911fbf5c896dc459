// Which entries a full cache drops.

import { expect, test } from 'vitest';
import { LruCache } from '../src/lru-cache.ts';

test('the least recently used entry goes first', () => {
  const cache = new LruCache<string, number>({ weightMax: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.get('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.get('a'), cache.get('b'), cache.get('c')]).toEqual([1, undefined, 3]);
});

test('a look without use keeps the order', () => {
  const cache = new LruCache<string, number>({ weightMax: 2 });
  cache.set('a', 1);
  cache.set('b', 2);
  expect(cache.peek('a')).toBe(1);
  cache.set('c', 3);
  expect([cache.peek('a'), cache.peek('b')]).toEqual([undefined, 2]);
});

test('weights bound what is kept, and a replaced entry counts once', () => {
  const cache = new LruCache<string, string>({ weightMax: 10, weightOf: ({ length }) => length });
  cache.set('a', '12345');
  cache.set('b', '12345');
  cache.set('a', '123');
  cache.set('c', '12');
  expect([cache.size, cache.get('b')]).toEqual([3, '12345']);
  cache.set('d', '12345678');
  expect(['a', 'b', 'c', 'd'].map((key) => cache.peek(key))).toEqual([
    undefined,
    undefined,
    undefined,
    '12345678',
  ]);
  cache.set('e', 'longer than all');
  expect([cache.size, cache.peek('e')]).toEqual([0, undefined]);
});
