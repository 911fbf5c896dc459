// Answers that are no words of the cloud: of proxies, of filters, of ports for another protocol.
// They blame no event, whatever their status says.

import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import {
  answer,
  closeDevices,
  cloudIds,
  openDevice,
  openLine,
  paths,
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

const compressed: ReturnType<typeof answer> = ({ response }) => {
  const head = { 'content-type': 'text/html', 'content-encoding': 'gzip' };
  response.writeHead(400, head).end(gzipSync('<html>Bad Request</html>'));
};

const plainText = { 'content-type': 'text/plain' };
const noApi = 'There is no management API at CLOUD_UPLOAD_URL';

describe('nothing is set aside for', () => {
  it.each([
    [
      'text of a port for HTTPS',
      answer(400, 'Client sent an HTTP request to an HTTPS server.', plainText),
      `${noApi} (status 400).`,
    ],
    ['an empty 400', answer(400, ''), `${noApi} (status 400).`],
    ['an empty 411', answer(411, ''), `${noApi} (status 411).`],
    ['an empty 431', answer(431, ''), `${noApi} (status 431).`],
    ['the text of a filter', answer(451, 'Blocked here.', plainText), `${noApi} (status 451).`],
    ['a compressed page', compressed, `${noApi} (status 400).`],
    ['a page after a blank', answer(422, '\ufeff <html></html>'), `${noApi} (status 422).`],
    ['a list', answer(400, ['no']), `${noApi} (status 400).`],
    ['a text as JSON', answer(400, '"no"'), `${noApi} (status 400).`],
    ['half an object', answer(400, '{"error": "no'), `${noApi} (status 400).`],
    ['a 404 in text', answer(404, 'no such page', plainText), `${noApi} (status 404).`],
  ])('%s', async (_, fault, lastError) => {
    const device = await openDevice();
    const line = await openLine(platform);
    const ids = [await device.add(), await device.addWithImage(`other ${device.useCase}`)];
    line.behave(() => fault);
    const uploader = device.upload(line.url);
    const isIdle = async () => (await device.store.usage()).waiting === 0;
    await until(async () => uploader.state().lastError !== undefined || (await isIdle()));
    const states = await Promise.all(ids.map(async (id) => (await device.get(id)).upload));
    expect(states).toEqual(['waiting', 'waiting']);
    expect(uploader.state().lastError).toBe(lastError);
    line.behave(() => undefined);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual(ids);
  });

  it('an event that is not found where a batch of none is answered by somebody else', async () => {
    const device = await openDevice();
    const line = await openLine(platform);
    const id = await device.add();
    line.behave(({ path }) =>
      path === paths.batch ? answer(400, 'Bad Request') : answer(404, { error: 'not found' }),
    );
    const uploader = device.upload(line.url);
    const isIdle = async () => (await device.store.usage()).waiting === 0;
    await until(async () => uploader.state().lastError !== undefined || (await isIdle()));
    expect((await device.get(id)).upload).toBe('waiting');
  });
});

describe('an event is set aside for', () => {
  it.each([
    ['an object without words', answer(400, {}), 'the cloud refuses the event (status 400)'],
    [
      'an object of another type',
      answer(422, '{"detail": "eventType"}', plainText),
      'the cloud refuses the event (status 422; its answer names eventType)',
    ],
    [
      'an object that is too long to be read whole',
      answer(400, { detail: 'x'.repeat(100_000) }),
      'the cloud refuses the event (status 400)',
    ],
    [
      'its size, whoever says so',
      answer(413, '<html>Request Entity Too Large</html>'),
      'it is too large for the cloud (status 413)',
    ],
  ])('%s', async (_, fault, reason) => {
    const device = await openDevice();
    const line = await openLine(platform);
    const ids = [await device.add(), await device.add(), await device.add()];
    const [first, poison = '', last] = ids;
    line.behave(({ eventIds }) => (eventIds.includes(poison) ? fault : undefined));
    device.upload(line.url);
    await device.drained();
    expect(cloudIds(platform, device.useCase)).toEqual([first, last]);
    expect(await device.get(poison)).toMatchObject({ upload: 'refused', uploadError: reason });
  });
});
