// A cloud and a line that fail in every way: nothing is lost, nothing arrives twice, and an event
// that the cloud will never take keeps no other one waiting.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { systemClock } from '../../../src/clock.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  closedPort,
  json,
  startMisbehavingServer,
  text,
} from '../../fixtures/scripted-http-server.ts';
import { noImage } from '../store/new-events.ts';
import {
  answer,
  answerCut,
  answerLost,
  closeDevices,
  cloudIds,
  type Device,
  jpegOf,
  lost,
  openDevice,
  openLine,
  paths,
  type Sent,
  silence,
  until,
} from './device-and-cloud.ts';

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(async () => {
  await closeDevices();
  await platform.close();
});

/** Five events, the second and the fourth with an image. */
async function addFive(device: Device): Promise<string[]> {
  const ids = [await device.add(), await device.addWithImage(`two ${device.useCase}`)];
  ids.push(await device.add(), await device.addWithImage(`four ${device.useCase}`));
  return [...ids, await device.add()];
}

describe('a line that fails for a while', () => {
  const garbage = answer(200, { hello: 'world' });
  it.each([
    ['429 with seconds', answer(429, { error: 'slow down' }, { 'retry-after': '0' })],
    ['503', answer(503, { error: 'away' })],
    ['500 as a page', answer(500, '<html>oops</html>')],
    ['529', answer(529, { error: 'full' })],
    ['408', answer(408, { error: 'slow' })],
    ['401', answer(401, { error: { message: 'who?' } })],
    ['403', answer(403, { error: { message: 'no' } })],
    ['a 400 of something else', answer(400, '<html>plain HTTP to an HTTPS port</html>')],
    ['a redirect', answer(302, '', { location: 'https://example.com/' })],
    ['resets before', lost],
    ['resets after', answerLost],
    ['half answers', answerCut],
    ['JSON that means nothing', garbage],
    ['a web page', answer(200, '<html>Sign in to the hotspot</html>')],
    ['silence', silence, 500],
  ])('%s', async (_, fault, timeoutMs = 60_000) => {
    const device = await openDevice();
    const line = await openLine(platform);
    line.behave((_sent, n) => (n < 8 && n % 4 !== 3 ? fault : undefined));
    const ids = await addFive(device);
    const uploader = device.upload(line.url, { timeoutMs });
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids);
    const states = await Promise.all(ids.map(async (id) => (await device.get(id)).upload));
    expect(states).toEqual(Array(5).fill('uploaded'));
    await until(() => uploader.state().lastError === undefined);
    expect(uploader.state()).toEqual({
      lastSuccessAt: expect.any(Number),
      lastError: undefined,
      nextAttemptAt: undefined,
    });
  });
});

it('an API that comes back after a time of 404 loses no event', async () => {
  const device = await openDevice();
  const line = await openLine(platform);
  const ids = await addFive(device);
  const isImage = (path: string) => path === paths.image;
  line.behave(({ path }, n) =>
    n < 12 && !isImage(path) ? answer(404, { error: 'x' }) : undefined,
  );
  device.upload(line.url);
  await device.drained();
  expect(cloudIds(platform, device.useCase)).toEqual(ids);
});

/** Fails a request that has this event in it. */
function whenIn(eventId: string, fault: ReturnType<typeof answer>) {
  return ({ eventIds }: Sent) => (eventIds.includes(eventId) ? fault : undefined);
}

describe('an event that the cloud refuses', () => {
  it.each([
    [400, 'the cloud refuses the event (status 400; its answer names timestamp)'],
    [409, 'the cloud has another event under its id (status 409; its answer names timestamp)'],
    [413, 'it is too large for the cloud (status 413; its answer names timestamp)'],
    [422, 'the cloud refuses the event (status 422; its answer names timestamp)'],
  ])('with %i is set aside alone', async (status, reason) => {
    const device = await openDevice();
    const line = await openLine(platform);
    const ids = await addFive(device);
    const [, , poison = ''] = ids;
    line.behave(whenIn(poison, answer(status, { error: { message: 'bad timestamp' } })));
    const uploader = device.upload(line.url);
    await device.drained();
    const others = ids.filter((id) => id !== poison);
    expect(cloudIds(platform, device.useCase)).toEqual(others);
    const refused = await device.get(poison);
    expect([refused.upload, refused.uploadError]).toEqual(['refused', reason]);
    await until(() => device.logLines.length > 0);
    expect(device.logLines).toEqual([
      expect.stringMatching(/warn upload: The cloud refused events for good.*events=1/),
    ]);

    line.behave(() => undefined);
    expect(await device.store.retryUpload(poison)).toBe(1);
    uploader.wake();
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([...others, poison]);
    expect(await device.get(poison)).toMatchObject({ upload: 'uploaded', uploadError: undefined });
  });

  it('is found among a hundred, and the others keep their order', async () => {
    const device = await openDevice();
    const ids: string[] = [];
    for (let n = 0; n < 120; n += 1) ids.push(await device.add());
    const poison = new Set([0, 1, 50, 51, 99, 119].map((n) => ids[n]));
    const line = await openLine(platform);
    line.behave(({ eventIds }) =>
      eventIds.some((id) => poison.has(id)) ? answer(400, { error: 'no' }) : undefined,
    );
    const { refused } = await device.store.usage();
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids.filter((id) => !poison.has(id)));
    expect((await device.store.usage()).refused - refused).toBe(6);
  });

  it('for a use case that is not there, where the API is', async () => {
    const device = await openDevice();
    const ids = await addFive(device);
    const line = await openLine(platform);
    line.behave(whenIn(ids[0] ?? '', answer(404, { error: 'no such use case' })));
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids.slice(1));
    expect((await device.get(ids[0] ?? '')).uploadError).toBe(
      'the cloud does not find what it refers to (status 404)',
    );
  });

  it('for its image', async () => {
    const device = await openDevice();
    const file = await device.file('image', Buffer.from('no image at all'));
    const images = [{ ...noImage, file_id: file.id }];
    const poison = await device.add({ images, files: [file] });
    const fine = await device.add();
    device.upload(platform.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([fine]);
    expect((await device.get(poison)).uploadError).toBe(
      'the cloud does not take images of this type (status 415)',
    );
  });

  it('says why', async () => {
    const wrong: [object, RegExp][] = [
      [{ solution: undefined }, /^solution: is missing, and DEFAULT_SOLUTION_ID is not set$/],
      [{ eventSchema: 'shift_report' }, /^eventType: /],
      [{ inferenceTimestamp: 'noon' }, /^inference_timestamp: is no ISO 8601 time$/],
      [{ inferenceTimestamp: '2001-01-01T00:00:00Z' }, /status 400; .* timestamp\)$/],
      [{ customMetadata: { 'a.b': 1 } }, /^customMetadata\.a\.b: /],
      [{ customMetadata: { a: { b: 'x'.repeat(1000) } } }, /^customMetadata\.a: /],
    ];
    const device = await openDevice();
    const poison: string[] = [];
    for (const [members] of wrong) poison.push(await device.add(members));
    const fine = await device.add();
    device.upload(platform.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([fine]);
    const refused = await Promise.all(poison.map((id) => device.get(id)));
    expect(refused.map(({ upload, uploadError }) => [upload, uploadError])).toEqual(
      wrong.map(([, reason]) => ['refused', expect.stringMatching(reason)]),
    );
  });

  it('for more detections than the cloud keeps', async () => {
    const device = await openDevice();
    const file = await device.file('image', jpegOf('crowd'));
    const classifications = Array.from({ length: 1001 }, () => ({ class: 'a', confidence: 1 }));
    const images = [{ ...noImage, file_id: file.id, classifications }];
    const poison = await device.add({ images, files: [file] });
    const line = await openLine(platform);
    device.upload(line.url);
    await device.drained();
    expect((await device.get(poison)).uploadError).toMatch(/^images\[0\]\.classifications: /);
    expect(line.sent).toEqual([]);
  });
});

describe('an event on which the cloud itself fails', () => {
  const oops = answer(500, { error: 'oops' });

  it.each([
    ['with 500', oops, 60_000],
    ['by a crash', lost, 60_000],
    ['silently', silence, 300],
  ])('waits while others go first: %s', async (_, fault, timeoutMs) => {
    const device = await openDevice();
    const ids = await addFive(device);
    const [first, , third] = ids;
    const line = await openLine(platform);
    line.behave(({ eventIds }) =>
      eventIds.some((id) => id === first || id === third) ? fault : undefined,
    );
    // Its rest ends when the time is set on.
    let passed = 0;
    const clock = { ...systemClock, monotonic: () => systemClock.monotonic() + passed };
    const uploader = device.upload(line.url, { clock, timeoutMs });
    const told = () => device.logLines.filter((text) => text.includes('others go first'));
    await until(async () => told().length === 2 && (await device.store.usage()).waiting === 2);
    const others = ids.filter((id) => id !== first && id !== third);
    expect(cloudIds(platform, device.useCase)).toEqual(others);
    line.behave(() => undefined);
    passed = 300_001;
    uploader.wake();
    await device.drained();
    expect(cloudIds(platform, device.useCase).slice(3).sort()).toEqual([first, third]);
  });

  it('is not to blame where all others fail as well', async () => {
    const device = await openDevice();
    const ids = [];
    for (let n = 0; n < 8; n += 1) ids.push(await device.add());
    const line = await openLine(platform);
    line.behave((_sent, n) => (n < 60 ? oops : undefined));
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase).sort()).toEqual(ids);
  });
});

describe('an image file', () => {
  it('that is lost sets its event aside', async () => {
    const device = await openDevice();
    const gone = await device.addWithImage('gone');
    const kept = await device.addWithImage(`kept ${device.useCase}`);
    await device.files.remove([(await device.get(gone)).images[0]?.file_id ?? '']);
    device.upload(platform.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([kept]);
    expect((await device.get(gone)).uploadError).toBe(
      'an image of it is lost: its file cannot be read',
    );
  });

  it('that was never there sets its event aside, with nothing sent', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    const images = [{ ...noImage, file_id: 'not-there' }];
    const id = await device.add({ images });
    device.upload(line.url);
    await device.drained();
    expect((await device.get(id)).uploadError).toBe(
      'an image of it is lost: its file cannot be read',
    );
    expect(line.sent).toEqual([]);
  });

  it('whose whole disk is away waits for it', async () => {
    const device = await openDevice({ isNew: true });
    const content = `away ${device.useCase}`;
    const id = await device.addWithImage(content);
    const fileId = (await device.get(id)).images[0]?.file_id ?? '';
    await rm(join(device.data, 'files', fileId.slice(0, 5)), { recursive: true });
    const uploader = device.upload(platform.url);
    await until(() => uploader.state().lastError !== undefined);
    expect(uploader.state().lastError).toBe(
      'The images of events cannot be read from the disk now.',
    );
    expect((await device.get(id)).upload).toBe('waiting');
    await device.files.write(fileId, jpegOf(content));
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
  });
});

describe('while the cloud is away', () => {
  const noon = Date.UTC(2026, 10, 21, 12);
  const atNoon = 'Sat, 21 Nov 2026 12:00:00 GMT';
  const clock = { ...systemClock, now: () => noon };

  it.each([
    ['120', 120_000],
    ['86400', 86_400_000],
    ['Sat, 21 Nov 2026 13:00:00 GMT', 3_600_000],
    ['99999999', 86_400_000],
  ])('it is not asked before Retry-After: %s', async (header, waitMs) => {
    const device = await openDevice();
    const server = await startMisbehavingServer(
      json(429, { error: 'later' }, { 'retry-after': header, date: atNoon }),
    );
    await device.add();
    const uploader = device.upload(server.url, { clock });
    await until(() => uploader.state().nextAttemptAt !== undefined);
    expect(uploader.state()).toEqual({
      lastSuccessAt: undefined,
      lastError: 'The cloud asks to be asked less often (status 429).',
      nextAttemptAt: noon + waitMs,
    });
    for (let n = 0; n < 50; n += 1) {
      await device.add();
      uploader.wake();
    }
    await delay(100);
    expect(server.seen.length).toBe(1);
    await uploader.stop();
    await server.close();
  });

  it('the wait grows to its bound, and the log has one line', async () => {
    const device = await openDevice();
    await device.add();
    const uploader = device.upload(`http://127.0.0.1:${await closedPort()}`, {
      retryDelayMs: { min: 1, max: 4 },
      clock,
    });
    const waits = new Set<number>();
    while (waits.size < 4) {
      const { nextAttemptAt } = uploader.state();
      if (nextAttemptAt !== undefined) waits.add(nextAttemptAt - noon);
      await delay(1);
    }
    expect(Math.max(...waits)).toBeLessThanOrEqual(4);
    expect(uploader.state().lastError).toBe('The cloud cannot be reached.');
    expect(device.logLines).toEqual([
      expect.stringMatching(/warn upload: Uploads to the cloud wait\. reason="The cloud cannot be/),
    ]);
  });

  it.each([
    ['a wrong key', json(401, {}), 'The cloud does not know CLOUD_UPLOAD_API_KEY (status 401).'],
    ['no scope', json(403, {}), 'CLOUD_UPLOAD_API_KEY may not write vision events (status 403).'],
    [
      'another service',
      json(404, { error: 'not found' }),
      'There is no management API at CLOUD_UPLOAD_URL (status 404).',
    ],
    [
      'a port for HTTPS',
      text(400, '<html>400 The plain HTTP request was sent to HTTPS port</html>'),
      'There is no management API at CLOUD_UPLOAD_URL (status 400).',
    ],
    ['a failure', json(503, {}), 'The cloud fails (status 503).'],
    [
      'a hotspot',
      text(200, '<html>Sign in</html>'),
      'The cloud answers something else than its contract says (status 200).',
    ],
  ])('the reason is told: %s', async (_, step, lastError) => {
    const device = await openDevice();
    const server = await startMisbehavingServer(step);
    const id = await device.add();
    const uploader = device.upload(server.url);
    await until(() => server.seen.length > 2 && uploader.state().nextAttemptAt !== undefined);
    expect(uploader.state().lastError).toBe(lastError);
    expect((await device.get(id)).upload).toBe('waiting');
    await uploader.stop();
    await server.close();
  });

  it('nothing is sent without a key', async () => {
    const device = await openDevice();
    await device.add();
    const line = await openLine(platform);
    const uploader = device.upload(line.url, { cloud: { url: line.url, apiKey: undefined } });
    await until(() => uploader.state().lastError !== undefined);
    expect(uploader.state().lastError).toBe(
      'CLOUD_UPLOAD_API_KEY is missing, or no key can look like it.',
    );
    expect(line.sent).toEqual([]);
  });

  it('it stops at once, and goes on where it was', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    line.behave(({ path }) => (path === paths.image ? undefined : silence));
    const id = await device.addWithImage(`stop ${device.useCase}`);
    const first = device.upload(line.url);
    await until(() => line.count(paths.event) === 1);
    await first.stop();
    expect((await device.get(id)).upload).toBe('waiting');
    line.behave(() => undefined);
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([id]);
    expect([line.count(paths.image), line.count(paths.event)]).toEqual([1, 2]);
  });
});
