// Queries of every kind of the language, and the other reads of the search: the slowest is judged.

import { systemClock } from '../../src/clock.ts';
import type { AccessibleProjects } from '../../src/platform/store/search.ts';
import { parseQuery } from '../../src/query-language/parse-query.ts';
import {
  type After,
  newestFirst,
  type SearchRequest,
} from '../../src/query-language/query-syntax-tree.ts';
import type { OpenStore } from './rows.ts';

export interface TimedKind {
  readonly name: string;
  readonly found: number;
  /** Conditions that are judged together: 1 for all but those made of very many. */
  readonly conditions: number;
  /** Of each run, without what other processes took. */
  readonly cpuMs: readonly number[];
  readonly ms: readonly number[];
}

interface Kind {
  readonly name: string;
  readonly conditions: number;
  readonly ask: () => Promise<number>;
}

const plain = [
  '* -split:train annotated:false predicted:true metadata:site batch:one job:none',
  'class:RBC<3 class:RBC=0 class:RBC=7 min-width:1 max-width:700 min-height:481',
  'max-annotations:0 max-annotations:10 min-annotations:1 metadata:site=site-7',
  // Words, numbers and their beginnings.
  'fr* n* j* -frame jpg 7 0* 1* 00* 000* 2026* 20260* 0001234 line-1',
  // Names: whole, with a beginning, an end, pieces that all, many or no names have.
  'filename:frame_0001234.jpg filename:frame_* filename:frame_0* filename:frame_00*',
  'filename:*g filename:*.jpg filename:*0.jpg filename:*00.jpg filename:i*9.jpg',
  'filename:*0* filename:*7* filename:*99* filename:*000* filename:*2026* filename:*zzz*',
  'filename:*_0* filename:f*0*g filename:*m*_* filename:*0*1*2* filename:*0*0*0*0*',
  '-filename:*00*',
].flatMap((line) => line.split(' '));

/** Orders in which hits come early, late and in the middle. */
const sorted = [
  ...['* sort:created-asc', '* sort:width', '* sort:height-asc', '* sort:annotations'],
  ...['* sort:class:RBC-asc', '* sort:name', '* sort:name-desc', 'frame sort:name-desc'],
  ...['filename:img* sort:name', 'filename:cam* sort:name-desc', 'class:dent>=20 sort:name'],
  ...['project:project-5 sort:name', '-project:project-0 sort:name-desc'],
];

function anyOf(count: number, condition: (number: number) => string): string {
  return Array.from({ length: count }, (_, number) => condition(number)).join(' OR ');
}

/** As many conditions as one query may have, or of which there is something to find. */
const composed: readonly (readonly [name: string, conditions: number, text: string])[] = [
  ['50 values of metadata', 50, anyOf(50, (number) => `metadata:site=site-${number}`)],
  ['200 tags that no image has', 200, anyOf(200, (number) => `tag:t${number}`)],
  ['200 counts of a class', 200, anyOf(200, (number) => `class:RBC=${number % 30}`)],
  ['200 limits of the width', 200, anyOf(100, (at) => `(min-width:${at} max-width:${at})`)],
  ['100 long numbers', 100, anyOf(100, (at) => String(at * 9_973).padStart(7, '0'))],
  ['20 beginnings of numbers', 20, anyOf(20, (number) => `${number}*`)],
  ['20 names of two digits', 20, anyOf(20, (number) => `filename:*${10 + number}*`)],
  ['20 names of four digits', 20, anyOf(20, (number) => `filename:*${1000 + number * 37}*`)],
  ['20 names with two stars', 20, anyOf(20, (at) => `filename:*${at % 10}*${(at * 3) % 10}*`)],
];

export async function timeKinds(filled: OpenStore, runs: number): Promise<readonly TimedKind[]> {
  const timed: TimedKind[] = [];
  for (const { name, conditions, ask } of kindsOf(filled)) {
    const cpuMs: number[] = [];
    const ms: number[] = [];
    let found = 0;
    for (let run = 0; run < runs; run += 1) {
      const [cpu, start] = [process.cpuUsage(), systemClock.monotonic()];
      found = await ask();
      ms.push(systemClock.monotonic() - start);
      const { user, system } = process.cpuUsage(cpu);
      cpuMs.push((user + system) / 1000);
    }
    timed.push({ name, found, conditions, cpuMs, ms });
  }
  return timed;
}

function kindsOf({ store: { search }, database, workspaceId }: OpenStore): readonly Kind[] {
  const reach: AccessibleProjects = { workspaceId, projectIds: undefined };
  const all = { kind: 'all' } as const;
  const descriptor = { vector: new Int8Array(64), hash: new Uint8Array(8) };
  const common = { offset: 0, limit: 50, withAnnotations: false };
  const find = (text: string, given: Partial<SearchRequest> = {}) => {
    const { query, sort = newestFirst } = parseQuery(text, (slug) => slug);
    return search.find(reach, { query, sort, after: undefined, ...common, ...given });
  };
  const page = (name: string, text: string, given: Partial<SearchRequest>): Kind => ({
    name: `${text}, ${name}`,
    conditions: 1,
    ask: async () => (await find(text, given)).total,
  });
  const read = (name: string, ask: () => Promise<number>): Kind => ({ name, conditions: 1, ask });
  const images = database.get('SELECT count(*) AS n FROM search_names', [], (row) =>
    row.integer('n'),
  );
  const half = Math.floor((images ?? 0) / 2);
  const middle = database.get(
    'SELECT name, ordinal FROM search_names ORDER BY name, ordinal LIMIT 1 OFFSET ?',
    [half],
    (row): After => ({ value: row.text('name'), ordinal: row.integer('ordinal') }),
  );
  return [
    ...[...plain, ...sorted].map((text) => read(text, async () => (await find(text)).total)),
    ...composed.map(([name, conditions, text]) => {
      return { name, conditions, ask: async () => (await find(text)).total };
    }),
    page('from the middle', '* sort:name', { after: middle }),
    page('from the middle', 'project:project-5 sort:name', { after: middle }),
    page('from the middle', '* sort:width', { after: { value: 1280, ordinal: half } }),
    page('from the middle', '*', { after: { value: half, ordinal: half } }),
    page('behind 90 %', '*', { offset: Math.floor(half * 1.8) }),
    page('1,000 with annotations', '*', { limit: 1_000, withAnnotations: true }),
    page('1,000', 'project:project-5 sort:name', { limit: 1_000 }),
    read('a count of all', () => search.count(reach, all)),
    read('ids from the middle', async () => (await search.ids(reach, all, half, 1_000)).length),
    read('rows from the middle', async () => (await search.found(reach, all, half, 1_000)).length),
    ...(['class', 'tag', 'metadata-key', 'metadata:site='] as const).map((kind) =>
      read(`names: ${kind}`, async () => (await search.names(reach, kind))?.length ?? 0),
    ),
    ...['*', 'split:train', 'filename:*00*'].map((text) =>
      read(`the most similar of ${text}`, async () => {
        const { query } = parseQuery(text, (slug) => slug);
        return (await search.like(reach, { descriptor, query, ...common })).total;
      }),
    ),
    ...['', 'project', 'class:RBC', 'tag:night,day,rain'].map((q) =>
      read(`the catalog: "${q}"`, async () => {
        const asked = { q, type: undefined, limit: 12, page: 1, now: 5 };
        return (await search.catalog.search('bench', asked)).total;
      }),
    ),
    read('similar projects of the catalog', async () => {
      return (await search.catalog.like('bench', descriptor)).total;
    }),
  ];
}
