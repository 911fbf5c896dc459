// Searches over many images: ours by the index, beside plain SQL on the same rows.

import { systemClock } from '../../src/clock.ts';
import type { AccessibleProjects } from '../../src/platform/store/search.ts';
import { parseQuery } from '../../src/query-language/parse-query.ts';
import { newestFirst } from '../../src/query-language/query-syntax-tree.ts';
import type { Database } from '../../src/storage/database.ts';
import { askPeer, peerHasClass, peerHasTag, peerIsIn } from './label-studio.ts';
import type { OpenStore } from './rows.ts';

/** A search, and the same question in plain SQL with its own indexes. */
interface Search {
  readonly query: string;
  /** Condition on `i` (images); undefined: SQL alone has no fair form of it. */
  readonly sql: string | undefined;
  readonly order?: string;
  /** Condition on the tables of the peer: for tags, classes and splits. */
  readonly peer?: string;
}

const hasTag = (tag: string) =>
  `EXISTS (SELECT 1 FROM image_tags WHERE image_id = i.id AND tag = '${tag}')`;
const countOf = (label: string) =>
  `coalesce((SELECT n FROM image_labels WHERE image_id = i.id AND label = '${label}'), 0)`;
const inName = (text: string) => `i.name LIKE '${text}' ESCAPE '\\'`;

const searches: readonly Search[] = [
  { query: '*', sql: '1' },
  { query: 'tag:night', sql: hasTag('night'), peer: peerHasTag('night') },
  {
    query: 'tag:night tag:rain',
    sql: `${hasTag('night')} AND ${hasTag('rain')}`,
    peer: `${peerHasTag('night')} AND ${peerHasTag('rain')}`,
  },
  {
    query: 'tag:fog OR tag:new',
    sql: `(${hasTag('fog')} OR ${hasTag('new')})`,
    peer: `(${peerHasTag('fog')} OR ${peerHasTag('new')})`,
  },
  { query: 'class:car', sql: `${countOf('car')} > 0`, peer: peerHasClass('car') },
  {
    query: 'class:RBC -tag:night split:train',
    sql: `${countOf('RBC')} > 0 AND NOT ${hasTag('night')} AND i.split = 'train'`,
    peer: `${peerHasClass('RBC')} AND NOT ${peerHasTag('night')} AND ${peerIsIn('train')}`,
  },
  { query: 'class:RBC>=3', sql: `${countOf('RBC')} >= 3` },
  {
    query: 'class:RBC>=3 -tag:night split:train',
    sql: `${countOf('RBC')} >= 3 AND NOT ${hasTag('night')} AND i.split = 'train'`,
  },
  { query: 'min-width:1280 max-height:1080', sql: 'i.width >= 1280 AND i.height <= 1080' },
  { query: 'min-annotations:10', sql: 'i.objects >= 10' },
  { query: 'metadata:site=site-7', sql: "i.metadata ->> 'site' = 'site-7'" },
  {
    query: 'project:project-3 class:car',
    sql: `i.project_id = 'project-3' AND ${countOf('car')} > 0`,
    peer: `t.project_id = 'project-3' AND ${peerHasClass('car')}`,
  },
  { query: 'frame night', sql: `${inName('frame%')} AND ${hasTag('night')}` },
  { query: '0001234', sql: "i.name GLOB '*[^0-9]0001234[^0-9]*'" },
  { query: 'fra*', sql: inName('fra%') },
  { query: 'filename:frame_*', sql: inName('frame\\_%') },
  { query: 'filename:*rame*', sql: inName('%rame%') },
  { query: 'filename:*0123*', sql: inName('%0123%') },
  { query: 'filename:*.png split:test', sql: `${inName('%.png')} AND i.split = 'test'` },
  {
    query: 'class:Platelets sort:class:Platelets-desc',
    sql: `${countOf('Platelets')} > 0`,
    order: `${countOf('Platelets')} DESC`,
  },
  { query: 'tag:new sort:name', sql: hasTag('new'), order: 'i.name' },
  { query: '(tag:fog OR class:dent>=5) -split:test sort:width-asc', sql: undefined },
  // What the index helps least with: two digits anywhere in a name.
  { query: 'filename:*00*', sql: inName('%00%') },
];

export interface Timed {
  readonly query: string;
  readonly found: number;
  /** Of each run. */
  readonly ms: readonly number[];
  readonly sqlMs: readonly number[];
  readonly peerMs: readonly number[];
}

/** Every search with its exact total and a page of 50 images, as the API answers it. */
export async function timeSearches(
  { store, database, workspaceId }: OpenStore,
  peer: Database,
  runs: number,
  sqlRuns: number,
): Promise<readonly Timed[]> {
  const reach: AccessibleProjects = { workspaceId, projectIds: undefined };
  const timed: Timed[] = [];
  for (const { query: text, sql, order = 'i.created DESC', peer: ofPeer } of searches) {
    const ms: number[] = [];
    let found = 0;
    for (let run = 0; run < runs; run += 1) {
      const start = systemClock.monotonic();
      const { query, sort = newestFirst } = parseQuery(text, (slug) => slug);
      const page = await store.search.find(reach, {
        query,
        sort,
        after: undefined,
        offset: 0,
        limit: 50,
        withAnnotations: false,
      });
      ms.push(systemClock.monotonic() - start);
      found = page.total;
    }
    const sqlMs: number[] = [];
    for (let run = 0; sql !== undefined && run < sqlRuns; run += 1) {
      const start = systemClock.monotonic();
      const from = `FROM images i JOIN projects p ON p.id = i.project_id
        WHERE p.workspace_id = ? AND p.deleted_at IS NULL AND ${sql}`;
      const count = database.get(`SELECT count(*) AS n ${from}`, [workspaceId], (row) =>
        row.integer('n'),
      );
      const page = `SELECT i.id ${from} ORDER BY ${order} LIMIT 50`;
      database.all(page, [workspaceId], (row) => row.text('id'));
      sqlMs.push(systemClock.monotonic() - start);
      if (count !== found) throw new Error(`${text}: the index finds ${found}, SQL ${count}`);
    }
    const peerMs: number[] = [];
    for (let run = 0; ofPeer !== undefined && run < sqlRuns; run += 1) {
      const { total, ms: took } = askPeer(peer, ofPeer);
      peerMs.push(took);
      if (total !== found) throw new Error(`${text}: the index finds ${found}, the peer ${total}`);
    }
    timed.push({ query: text, found, ms, sqlMs, peerMs });
  }
  return timed;
}

/** The most similar images to a picture, of all that there are. */
export async function timeSimilarity(
  { store, workspaceId }: OpenStore,
  runs: number,
): Promise<readonly number[]> {
  const descriptor = { vector: new Int8Array(64), hash: new Uint8Array(8) };
  const ms: number[] = [];
  for (let run = 0; run < runs; run += 1) {
    const start = systemClock.monotonic();
    const reach = { workspaceId, projectIds: undefined };
    const common = { offset: 0, limit: 50, withAnnotations: false };
    await store.search.like(reach, { descriptor, query: { kind: 'all' }, ...common });
    ms.push(systemClock.monotonic() - start);
  }
  return ms;
}
