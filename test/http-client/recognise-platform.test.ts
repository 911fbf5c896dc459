// What the platform at FOVEA_BASE_URL is, as it says itself, and while it does not answer.

import { rm, writeFile } from 'node:fs/promises';
import { expect, test as it, onTestFinished, vi } from 'vitest';
import { readSettings } from '../../src/config.ts';
import { askPlatform, recognised } from '../../src/http-client/recognise-platform.ts';
import { json, startMisbehavingServer } from '../fixtures/scripted-http-server.ts';
import { temporaryFolder } from '../fixtures/temporary-folder.ts';

const ours = json(200, { status: 'ok', platform: 'fovea', instance: 'i1' });

/** A platform that answers what `answer` says now. */
async function platform() {
  const home = await temporaryFolder();
  let answer = ours;
  const service = await startMisbehavingServer((request, response) => answer(request, response));
  onTestFinished(() => service.close());
  const written: string[] = [];
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => written.push(String(line)) > 0);
  onTestFinished(() => void vi.restoreAllMocks());
  const settings = readSettings({ FOVEA_HOME: home, FOVEA_BASE_URL: service.url });
  return {
    home,
    url: service.url,
    close: () => service.close(),
    says: (next: typeof ours) => {
      answer = next;
    },
    isOurs: async () => (await recognised(settings)).isOurs,
    warnings: () => written.splice(0).map((line) => line.replace(/^.*? warn fovea: |\n$/g, '')),
  };
}

const away = 'the platform at FOVEA_BASE_URL does not answer:';

it('is ours where it says so, and another one where it says anything else', async () => {
  const { isOurs, says, warnings } = await platform();
  expect(await isOurs()).toBe(true);
  says(json(200, { status: 'ok' }));
  expect(await isOurs()).toBe(false);
  says(json(404, { error: 'no such page' }));
  expect(await isOurs()).toBe(false);
  expect(warnings()).toEqual([]);
});

it('is what it was while it is away, or what stands before it answers in its place', async () => {
  const { isOurs, says, warnings, close } = await platform();
  expect(await isOurs()).toBe(true);
  says(json(503, { error: 'no upstream' }));
  expect(await isOurs()).toBe(true);
  await close();
  expect(await isOurs()).toBe(true);
  const told = `${away} it counts as the fovea platform that answered there before`;
  expect(warnings()).toEqual([told, told]);
});

it('is ours although it answers that it is not ready', async () => {
  const { isOurs, says, warnings } = await platform();
  says(json(503, { status: 'database away', platform: 'fovea', instance: 'i1' }));
  expect(await isOurs()).toBe(true);
  expect(warnings()).toEqual([]);
});

it('is not known before it has answered, which is said', async () => {
  const { isOurs, warnings, close } = await platform();
  await close();
  expect(await isOurs()).toBeUndefined();
  expect(warnings()).toEqual([
    `${away} what only a fovea platform can do is not offered before the next start`,
  ]);
});

it('is not ours any more once another one answered in its place', async () => {
  const { isOurs, says, close } = await platform();
  expect(await isOurs()).toBe(true);
  says(json(200, {}));
  expect(await isOurs()).toBe(false);
  await close();
  expect(await isOurs()).toBeUndefined();
});

it('is recognised where the folder of Fovea cannot be written', async () => {
  const { isOurs, home } = await platform();
  await rm(home, { recursive: true });
  await writeFile(home, 'no folder');
  expect(await isOurs()).toBe(true);
});

it('has an instance, which tells two of them apart', async () => {
  const { url, says, close } = await platform();
  expect(await askPlatform(url, undefined)).toEqual({ instance: 'i1' });
  says(json(200, []));
  expect(await askPlatform(url, undefined)).toBe('other');
  await close();
  expect(await askPlatform(url, undefined)).toBe('silent');
});
