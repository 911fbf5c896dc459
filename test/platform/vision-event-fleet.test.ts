// Vision events of many devices: they are told to wait before their events are read, old events go,
// and none comes back.

import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { describe, expect, it, onTestFinished } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { eventRequests } from './vision-event-requests.ts';

const dayMs = 24 * 60 * 60 * 1000;

// The tables are in a file there.
describe.skipIf(process.env.FOVEA_TEST_DATABASE === 'postgres')('devices that send at once', () => {
  it('are told to wait before they send their events, and lose none', async () => {
    const platform = await startTestPlatform();
    onTestFinished(() => platform.close());
    const { tell } = eventRequests(() => platform);
    const batch = (number: number) =>
      tell('POST /vision-events/batch', {
        events: Array.from({ length: 100 }, (_, place) => ({
          eventId: `${number} ${place}`,
          eventType: 'custom',
          useCaseId: 'line-3',
          timestamp: new Date().toISOString(),
        })),
      });
    expect(await batch(0)).toMatchObject({ status: 201 });
    const other = new DatabaseSync(join(platform.data, 'platform.db'), { timeout: 10_000 });
    other.exec('BEGIN IMMEDIATE');
    const waiting = Array.from({ length: 60 }, (_, number) => batch(number + 1));
    // It announces a body, and sends none of it.
    const refused = await refusedWithoutBody(platform.url, platform.key);
    expect(refused).toMatchObject({ status: 429, retryAfter: expect.stringMatching(/^\d+$/) });
    other.exec('ROLLBACK');
    other.close();
    const taken = (await Promise.all(waiting)).filter(({ status }) => status === 201).length;
    const { body } = await tell('GET /vision-events/use-cases');
    const eventCount = (taken + 1) * 100;
    expect(body).toMatchObject({ useCases: [{ id: 'line-3', eventCount }] });
    expect(await batch(100)).toMatchObject({ status: 201 });
  });
});

/** Asks until an answer comes before the body was sent. */
async function refusedWithoutBody(url: string, key: string) {
  for (;;) {
    const asked = request(`${url}/vision-events/batch`, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': 'application/json',
        'content-length': 1_000_000,
      },
    });
    asked.on('error', () => undefined);
    asked.flushHeaders();
    const answered = once(asked, 'response');
    const answer = await Promise.race([answered, laterThan(200)]);
    asked.destroy();
    answered.catch(() => undefined);
    if (answer === undefined) continue;
    const [{ statusCode: status, headers }] = answer;
    return { status, retryAfter: headers['retry-after'] };
  }
}

async function laterThan(ms: number): Promise<undefined> {
  await new Promise((resolve) => setTimeout(resolve, ms));
}

describe('events that are kept for some days', () => {
  it('go after them, and older ones are refused', async () => {
    const data = await mkdtemp(join(tmpdir(), 'fovea-events-'));
    onTestFinished(() => rm(data, { recursive: true, force: true }));
    const now = systemClock.now();
    const opened = async (days: number) => {
      const clock = { ...systemClock, now: () => now + days * dayMs };
      const platform = await startTestPlatform({ data, clock, visionEventDays: 30 });
      onTestFinished(() => platform.close());
      return { platform, ...eventRequests(() => platform) };
    };
    const event = (eventId: string, age: number) => ({
      eventId,
      eventType: 'custom',
      useCaseId: 'line-3',
      timestamp: new Date(now - age * dayMs).toISOString(),
    });
    const first = await opened(0);
    expect(await first.tell('POST /vision-events', event('a', 20))).toMatchObject({ status: 201 });
    expect(await first.tell('POST /vision-events', event('b', 1))).toMatchObject({ status: 201 });
    expect(await first.refusal('POST /vision-events', event('c', 31))).toEqual([
      400,
      'timestamp: lies more than 30 days back, and events are kept so long',
    ]);
    await first.platform.close();
    const later = await opened(11);
    const useCases = async () => (await later.tell('GET /vision-events/use-cases')).body;
    const left = { useCases: [{ id: 'line-3', eventCount: 1 }], lookbackDays: 30 };
    await expect.poll(useCases, { timeout: 20_000 }).toMatchObject(left);
    expect(await later.refusal('POST /vision-events', event('a', 20))).toEqual([
      400,
      expect.any(String),
    ]);
    const found = await later.tell('POST /vision-events/query', { useCaseId: 'line-3' });
    expect(found.body).toMatchObject({ events: [{ eventId: 'b' }], hasMore: false });
  });
});
