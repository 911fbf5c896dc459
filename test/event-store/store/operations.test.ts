// Any sequence of operations, on SQLite and on the model: both say the same, always.

import { deepStrictEqual } from 'node:assert/strict';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { FoveaError } from '../../../src/errors.ts';
import type {
  EventQuery,
  EventStore,
  NewEvent,
  StoredEvent,
} from '../../../src/event-store/store/store.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { arbitraryEvent, arbitraryQuery } from './arbitraries.ts';
import { memoryStore } from './memory-store.ts';
import { allPages, newFile, sqliteStore } from './new-events.ts';

type Step =
  | { readonly kind: 'create'; readonly event: NewEvent; readonly times: number }
  | { readonly kind: 'attach' | 'finalize' | 'hold' | 'release' | 'uploaded'; readonly at: number }
  | { readonly kind: 'refuse' | 'retry' | 'image'; readonly at: number }
  | { readonly kind: 'wait'; readonly milliseconds: number }
  | { readonly kind: 'sweep'; readonly spared: number; readonly limit: number }
  | {
      readonly kind: 'remove';
      readonly before: number | undefined;
      readonly sparesUnsent: boolean;
      readonly limit: number;
      readonly diskBytes: number | undefined;
    }
  | { readonly kind: 'unlink'; readonly limit: number }
  | { readonly kind: 'query'; readonly query: EventQuery };

const at = fc.nat(200);
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('create' as const),
      event: arbitraryEvent,
      // Now and then so many that events come into the index.
      times: fc.oneof({ weight: 5, arbitrary: fc.integer({ min: 1, max: 3 }) }, fc.constant(300)),
    }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constantFrom('attach', 'finalize', 'hold', 'release', 'uploaded', 'refuse', 'retry'),
      at,
    }),
  },
  fc.record({ kind: fc.constant('image' as const), at }),
  // Clocks are set back too.
  fc.record({ kind: fc.constant('wait' as const), milliseconds: fc.integer({ min: -5, max: 20 }) }),
  fc.record({
    kind: fc.constant('sweep' as const),
    spared: at,
    limit: fc.integer({ min: 1, max: 5 }),
  }),
  {
    weight: 2,
    arbitrary: fc.record({
      kind: fc.constant('remove' as const),
      before: fc.option(at, { nil: undefined }),
      sparesUnsent: fc.boolean(),
      limit: fc.integer({ min: 1, max: 400 }),
      diskBytes: fc.option(fc.constantFrom(1, 5000, 100_000), { nil: undefined }),
    }),
  },
  fc.record({ kind: fc.constant('unlink' as const), limit: fc.integer({ min: 1, max: 10 }) }),
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant('query' as const), query: arbitraryQuery }),
  },
);

test('SQLite and the model agree after every step', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 40 }), async (steps) => {
      const clock = settableClock();
      const store = await sqliteStore(clock);
      const pair = new Pair(store, memoryStore(clock), clock);
      for (const each of steps) await pair.take(each);
      await pair.compareAll();
      await store.close();
    }),
    { numRuns: 12 },
  );
}, 60_000);

/** Does everything twice. Ids end in random digits, so events are compared by their arrival. */
class Pair {
  readonly #stores: readonly [EventStore, EventStore];
  readonly #clock: { advance(milliseconds: number): void };
  readonly #ids: (readonly [string, string])[] = [];
  readonly #arrivals: number[] = [];

  constructor(store: EventStore, model: EventStore, clock: { advance(ms: number): void }) {
    this.#stores = [store, model];
    this.#clock = clock;
  }

  async take(step: Step): Promise<void> {
    switch (step.kind) {
      case 'create':
        return this.#create(step.event, step.times);
      case 'wait':
        return this.#clock.advance(step.milliseconds);
      case 'query':
        return this.#query(step.query);
      case 'sweep':
        return this.#both((store, which) =>
          store.finalizeDrafts(
            this.#arrival(step.spared),
            [this.#id(step.spared, which)],
            step.limit,
          ),
        );
      case 'remove': {
        const { kind: _, before, diskBytes, ...rest } = step;
        return this.#both((store) =>
          store.remove({
            ...rest,
            reason: rest.sparesUnsent ? 'byte_limit' : 'age',
            before: before === undefined ? undefined : this.#arrival(before),
            ...(diskBytes === undefined ? {} : { diskBytes }),
          }),
        );
      }
      case 'unlink':
        return this.#both(async (store) => {
          const ids = await store.filesToUnlink(step.limit);
          await store.unlinked(ids);
          return ids;
        });
      default:
        return this.#change(step.kind, step.at);
    }
  }

  async compareAll(): Promise<void> {
    for (const order of ['newest_first', 'oldest_first'] as const) {
      await this.#both(async (store) =>
        (await allPages(store, { order, limit: 7 })).map(comparable),
      );
    }
    await this.#both(async (store) => {
      const { removable, ...usage } = await store.usage();
      const goes = { all: removable(false), sent: removable(true) };
      return { ...usage, ...goes, databaseBytes: 0, ledgerBytes: 0, logBytes: 0 };
    });
    await this.#both((store) => store.count({}));
    await this.#both((store) => store.count({ deviceId: 'camera-1' }));
    await this.#both((store) => store.count({ eventSchema: 'custom', workflowId: 'flow' }));
    await this.#both(async (store) => (await store.waiting(0, 100)).map(comparable));
    await this.#both((store) => store.filesToUnlink(100));
    await this.#both(async (store) => {
      const { lines, next } = await store.ledger({ limit: 50, reason: 'age' });
      return { lines: lines.map(({ eventId: _, ...line }) => line), next };
    });
  }

  async #create(event: NewEvent, times: number): Promise<void> {
    const events = Array.from({ length: times }, () => ({
      ...event,
      files: event.files.map((file) => newFile(file.kind === 'image' ? {} : { kind: file.kind })),
    }));
    const [created, expected] = await Promise.all(
      this.#stores.map((store) => Promise.all(events.map((each) => store.create(each)))),
    );
    for (const [index, { id, arrival }] of (created ?? []).entries()) {
      expect(arrival).toBe(expected?.[index]?.arrival);
      this.#ids.push([id, expected?.[index]?.id ?? '']);
      this.#arrivals.push(arrival);
    }
  }

  async #query(query: EventQuery): Promise<void> {
    await this.#both(async (store) => {
      const { events, next } = await store.list(query);
      return { events: events.map(comparable), next };
    });
    await this.#both(async (store) => (await allPages(store, query)).map(({ arrival }) => arrival));
    await this.#both(async (store) => {
      const { scanned: _, ...counts } = await store.countMatching(query);
      return counts;
    });
  }

  async #change(kind: string, at: number): Promise<void> {
    const file = newFile({ kind: at % 2 === 0 ? 'video' : 'local_only', contentType: 'video/mp4' });
    await this.#both(async (store, which) => {
      const id = this.#id(at, which);
      if (kind === 'attach') return store.attach(id, file);
      if (kind === 'finalize') return { ...(await store.finalize(id)), id: 'each has its own' };
      if (kind === 'hold') return store.hold(id, `reason ${at}`);
      if (kind === 'release') return store.release(id);
      if (kind === 'uploaded') return store.uploaded([id, 'unknown']);
      if (kind === 'refuse') return store.uploadRefused(id, `error ${at}`);
      if (kind === 'retry') return store.retryUpload(at % 3 === 0 ? undefined : id);
      const images = (await store.images(id)).map(withoutEvent);
      for (const image of images) await store.imageUploaded(image.id, `source ${at}`);
      return [images, (await store.images(id)).map(withoutEvent)];
    });
  }

  async #both(call: (store: EventStore, which: 0 | 1) => Promise<unknown>): Promise<void> {
    const [store, model] = this.#stores;
    const [answer, expected] = [await outcome(call(store, 0)), await outcome(call(model, 1))];
    deepStrictEqual(answer, expected);
  }

  #id(at: number, which: 0 | 1): string {
    return this.#ids[at % (this.#ids.length || 1)]?.[which] ?? 'unknown';
  }

  #arrival(at: number): number {
    return this.#arrivals[at % (this.#arrivals.length || 1)] ?? 0;
  }
}

/** Errors are compared by their code. */
async function outcome(answer: Promise<unknown>): Promise<unknown> {
  try {
    return withoutUndefined(await answer);
  } catch (thrown) {
    if (thrown instanceof FoveaError) return thrown.code;
    throw thrown;
  }
}

function withoutUndefined(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}

function comparable({ id: _, videos, localOnlyFiles, ...event }: StoredEvent) {
  return {
    ...event,
    videos: videos.map(withoutEvent),
    localOnlyFiles: localOnlyFiles.map(withoutEvent),
  };
}

function withoutEvent<File extends { readonly eventId: string }>({ eventId: _, ...file }: File) {
  return file;
}
