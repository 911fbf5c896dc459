// Requests about vision events, for tests: events are recorded and read back over HTTP.

import { expect } from 'vitest';
import * as z from 'zod';
import type { TestPlatform } from '../fixtures/platform.ts';
import { send } from './api-key-requests.ts';

/** A minute of the day before today: events may be a year old. */
export const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString().slice(0, 11);
export const at = (minute: string) => `${yesterday}10:${minute}:00Z`;

export const Page = z.object({
  events: z.array(z.looseObject({ eventId: z.string() })),
  nextCursor: z.string().nullable(),
  hasMore: z.boolean(),
  lookbackDays: z.literal(36_500),
});

/** The platform is there once the tests run. */
export function eventRequests(platform: () => TestPlatform) {
  const tell = (line: string, body?: unknown, key = platform().key) =>
    send(platform(), key, line, body);

  const record = async (event: object, key = platform().key) => {
    const whole = { eventType: 'custom', useCaseId: 'line-3', timestamp: at('00'), ...event };
    const { status } = await tell('POST /vision-events', whole, key);
    expect(status).toBe(201);
  };

  const query = async (body: object) => {
    const answer = await tell('POST /vision-events/query', body);
    expect(answer).toMatchObject({ status: 200 });
    return Page.parse(answer.body);
  };

  const idsOf = async (body: object): Promise<readonly string[]> =>
    (await query(body)).events.map(({ eventId }) => eventId);

  /** The status and the words of a call that must be refused. */
  const refusal = async (line: string, body?: unknown, key = platform().key) => {
    const answer = await tell(line, body, key);
    const { error } = z
      .object({ error: z.looseObject({ message: z.string() }) })
      .parse(answer.body);
    return [answer.status, error.message];
  };

  return { tell, record, query, idsOf, refusal };
}
