// The targets of the fuzzer: each service of the release, and the source of its requests.

import fc from 'fast-check';
import { oddEvent } from '../../test/event-store/fuzz/generators.ts';
import { testImage } from '../../test/fixtures/images.ts';
import { type Described, fetchDocument } from '../../test/platform/fuzz/document.ts';
import { createWorld, type World } from '../../test/platform/fuzz/existing-resources.ts';
import { requestOf } from '../../test/platform/fuzz/requests.ts';
import type { Running } from '../attacks/targets.ts';
import { onTheWire, type WireRequest, withDamage } from './malformed-requests.ts';
import { messageRequest } from './mcp-messages.ts';
import { signInRequest } from './oauth-requests.ts';

export type Fuzzed = 'platform' | 'event-store' | 'http';

export interface Source {
  /** Takes the ids of an answer, so that later requests are about existing things. */
  learn(text: string): void;
  /** Requests with the ids that are known now. */
  sample(count: number, seed: number): Promise<readonly WireRequest[]>;
}

/** Events of which the ids are kept: the newest. */
const idsMax = 30;

/** Requests after which the platform gets a new project: most are about the newest. */
const requestsPerWorld = 600;

/** And after which the ids that answers told are used: to make the arbitraries anew takes time. */
const requestsPerIds = 200;

export function openSource(target: Fuzzed, running: Running): Promise<Source> {
  return sources[target](running);
}

const sources: Readonly<Record<Fuzzed, (running: Running) => Promise<Source>>> = {
  platform: platformSource,
  'event-store': eventStoreSource,
  http: async () => ({
    learn: () => {},
    sample: async (count, seed) => {
      const own = fc.oneof({ weight: 6, arbitrary: messageRequest }, signInRequest);
      return fc.sample(own.chain(withDamage), { numRuns: count, seed });
    },
  }),
};

async function platformSource({ service, key }: Running): Promise<Source> {
  const world = createWorld({ url: service.url, key, workspace: 'local' });
  const described = await fetchDocument(service.url);
  const files = await someFiles();
  let made = 0;
  let ofContract = requestsOf(described, world, files);
  return {
    learn: world.learn,
    sample: async (count, seed) => {
      if (made % requestsPerWorld < count) await world.renew();
      if (made % requestsPerIds < count) ofContract = requestsOf(described, world, files);
      made += count;
      const all = fc.oneof({ weight: 7, arbitrary: ofContract }, signInRequest);
      return fc.sample(all.chain(withDamage), { numRuns: count, seed });
    },
  };
}

async function eventStoreSource({ service }: Running): Promise<Source> {
  const described = await fetchDocument(service.url);
  const files = await someFiles();
  const ids: string[] = [];
  const known = (name: string) => (name === 'event_id' ? ids : []);
  let made = 0;
  let ofContract = requestsOf(described, { known }, files);
  const event = oddEvent.map(
    (value): WireRequest => ({
      name: 'events_create',
      asker: 'owner',
      method: 'POST',
      target: '/v2/events',
      headers: { 'content-type': 'application/json' },
      body: Buffer.from(JSON.stringify(value) ?? ''),
    }),
  );
  return {
    learn: (text) => {
      const [, id] = /^\{"id":"([0-9a-f-]{36})"/.exec(text) ?? [];
      if (id === undefined) return;
      ids.push(id);
      if (ids.length > idsMax) ids.shift();
    },
    sample: async (count, seed) => {
      if (made % requestsPerIds < count) ofContract = requestsOf(described, { known }, files);
      made += count;
      const all = fc.oneof({ weight: 3, arbitrary: ofContract }, event);
      return fc.sample(all.chain(withDamage), { numRuns: count, seed });
    },
  };
}

function requestsOf(
  described: readonly Described[],
  { known }: Pick<World, 'known'>,
  files: readonly Uint8Array<ArrayBuffer>[],
): fc.Arbitrary<WireRequest> {
  return fc.oneof(...described.map((one) => requestOf(one, known, files).map(onTheWire)));
}

async function someFiles(): Promise<readonly Uint8Array<ArrayBuffer>[]> {
  const images = [testImage(7), testImage(8, 'jpeg'), testImage(9, 'webp'), testImage(10, 'tiff')];
  const others = [Buffer.from('no image'), Buffer.alloc(0)];
  return [...(await Promise.all(images)), ...others].map((bytes) => Uint8Array.from(bytes));
}
