// Devices that send vision events, each one request after the other.

import { randomUUID } from 'node:crypto';
import { Agent, request } from 'node:http';
import { text } from 'node:stream/consumers';
import { setTimeout as sleep } from 'node:timers/promises';
import sharp from 'sharp';
import { median } from '../measure/text-table.ts';

export interface Fleet {
  readonly url: string;
  readonly key: string;
  readonly devices: number;
  /** Of one request. */
  readonly eventsEach: number;
  readonly seconds: number;
}

export interface FleetFigures {
  readonly events: number;
  readonly eventsPerSecond: number;
  readonly requestsPerSecond: number;
  /** From a request to its answer. */
  readonly medianMs: number;
  /** That of 99 %. */
  readonly slowMs: number;
  /** Answers of 429 and 503, which say when to come again. */
  readonly asked: number;
  /** All others that are no success. */
  readonly failed: number;
}

export async function measureFleet(fleet: Fleet): Promise<FleetFigures> {
  const agent = new Agent({ keepAlive: true });
  const source = await uploadImage(fleet);
  const startMs = performance.now();
  const endMs = startMs + fleet.seconds * 1000;
  const times: number[] = [];
  let [asked, failed] = [0, 0];
  const device = async (name: string) => {
    while (performance.now() < endMs) {
      const body = bodyOf(fleet.eventsEach, name, source);
      const sentMs = performance.now();
      const { status, wait } = await post(fleet, agent, body);
      if (status === 201) times.push(performance.now() - sentMs);
      else if (status === 429 || status === 503) {
        asked += 1;
        await sleep(Math.min(wait * 1000, Math.max(0, endMs - performance.now())));
      } else failed += 1;
    }
  };
  await Promise.all(Array.from({ length: fleet.devices }, (_, place) => device(`line-${place}`)));
  const seconds = (performance.now() - startMs) / 1000;
  agent.destroy();
  const sorted = times.toSorted((one, other) => one - other);
  return {
    events: times.length * fleet.eventsEach,
    eventsPerSecond: (times.length * fleet.eventsEach) / seconds,
    requestsPerSecond: times.length / seconds,
    medianMs: median(times),
    slowMs: sorted[Math.floor(sorted.length * 0.99)] ?? Number.NaN,
    asked,
    failed,
  };
}

/** All events show the same image: what is measured are the events. */
async function uploadImage({ url, key }: Fleet): Promise<string> {
  const form = new FormData();
  const png = await sharp({ create: { width: 64, height: 64, channels: 3, background: 'red' } })
    .png()
    .toBuffer();
  form.append('file', new Blob([png], { type: 'image/png' }), 'image.png');
  const answer = await fetch(`${url}/vision-events/upload`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}` },
    body: form,
  });
  const { sourceId }: { sourceId?: unknown } = Object(await answer.json());
  if (typeof sourceId !== 'string') throw new Error(`no image was taken: ${answer.status}`);
  return sourceId;
}

function bodyOf(count: number, deviceId: string, sourceId: string): string {
  const events = Array.from({ length: count }, () => ({
    eventId: randomUUID(),
    eventType: 'quality_check',
    useCaseId: 'bottles',
    timestamp: new Date().toISOString(),
    eventData: { result: 'pass' },
    deviceId,
    customMetadata: { line: deviceId, shift: 3 },
    images: [{ sourceId, objectDetections: seen }],
  }));
  return JSON.stringify(count === 1 ? events[0] : { events });
}

const seen = [1, 2, 3].map((place) => ({
  class: `part-${place}`,
  x: 20 * place,
  y: 30,
  width: 12.5,
  height: 10,
  confidence: 0.9,
}));

function post({ url, key, eventsEach }: Fleet, agent: Agent, body: string) {
  const path = eventsEach === 1 ? '/vision-events' : '/vision-events/batch';
  return new Promise<{ status: number; wait: number }>((resolve) => {
    const sent = request(
      `${url}${path}`,
      {
        method: 'POST',
        agent,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
        },
      },
      async (answer) => {
        await text(answer).catch(() => '');
        const wait = Number(answer.headers['retry-after'] ?? 0);
        resolve({ status: answer.statusCode ?? 0, wait });
      },
    );
    sent.on('error', () => resolve({ status: 0, wait: 1 }));
    sent.end(body);
  });
}
