// Makes a data folder with a release of Fovea, to be opened by later releases in
// test/data-folder.test.ts: `FOVEA_TEST_ENTRY=…/dist/fovea.js node scripts/record-data-folder.ts
// ARCHIVE.zip`. The archive holds `home/`, a FOVEA_HOME, and `recorded.json`: ids and secrets.

import { createWriteStream, readdirSync, statSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { ZipFile } from 'yazl';
import * as z from 'zod';
import { bloodCells } from '../test/fixtures/detected-images.ts';
import { startEventStoreProcess } from '../test/fixtures/event-store-process.ts';
import { type Fovea, launchFovea } from '../test/fixtures/fovea.ts';
import { runFovea, startFovea } from '../test/fixtures/fovea-services.ts';

type Environment = Readonly<Record<string, string>>;

const sample = resolve('sample/blood-cells');
const images = ['BloodImage_00040', 'BloodImage_00055', 'BloodImage_00065', 'BloodImage_00081'];
const cells = { workspace: 'local', project: 'cells' };

/** The project `cells`: three images with their boxes (a fourth is deleted), and a version. */
async function recordProject(fovea: Fovea) {
  const named = { workspace: 'local', name: 'Cells', type: 'object-detection' };
  await fovea.ok('projects_create', { ...named, annotation: 'cells' });
  await fovea.ok('images_upload', {
    project: 'cells',
    files: images.map((name) => join(sample, 'JPEGImages', `${name}.jpg`)),
    annotations: join(sample, 'Annotations'),
    split: 'train',
    batch: 'First batch',
    tags: ['microscope'],
  });
  const found = await fovea.ok('images_search', { ...cells, fields: ['id', 'name'], limit: 10 });
  const { results } = z
    .object({ results: z.array(z.object({ id: z.string(), name: z.string() })) })
    .parse(found);
  const idOf = (name: string) => results.find((image) => image.name === `${name}.jpg`)?.id ?? '';
  const imageId = idOf('BloodImage_00040');
  await fovea.ok('images_set_metadata', { workspace: 'local', imageId, metadata: { line: 3 } });
  const deleted = [idOf('BloodImage_00081')];
  await fovea.ok('images_delete', { ...cells, images: deleted, confirm: 'cells' });
  await fovea.ok('versions_generate', {
    ...cells,
    preprocessing: { resize: { width: 96, height: 96, format: 'Stretch to' } },
    augmentation: { flip: { horizontal: true }, image: { versions: 2 } },
    versionName: 'First version',
  });
  await fovea.ok('tasks_wait', { ...cells, version: 1 });
  return { imageId };
}

/** A folder, an API key, a vision event, and an idempotency record of a created project. */
async function recordWorkspace(fovea: Fovea) {
  const workspace = 'local';
  await fovea.ok('folders_create', { workspace, name: 'Line 3', projects: ['cells'] });
  const made = await fovea.ok('api_keys_create', { workspace, name: 'Camera', fullAccess: true });
  await fovea.ok('vision_events_create', {
    eventId: 'seen-1',
    eventType: 'custom',
    useCaseId: 'counting',
    timestamp: '2026-11-20T10:00:00Z',
    eventData: { value: 'seen' },
  });
  await fovea.client.callTool({
    name: 'projects_create',
    arguments: { workspace, name: 'Crystals', type: 'object-detection', annotation: 'crystals' },
    _meta: { 'fovea/idempotencyKey': 'recorded-1' },
  });
  return { apiKey: z.object({ key: z.string() }).parse(made).key };
}

/** A closed event on hold, with an image and a file; and a draft. */
async function recordEvents(fovea: Fovea) {
  const failed = { event_schema: 'quality_check', event_data: { result: 'fail' } };
  const { id: event_id } = await fovea.ok('events_create', {
    ...failed,
    device_id: 'line-3',
    custom_metadata: { part: 'A-17' },
    images: bloodCells(1),
    draft: true,
  });
  await fovea.ok('events_attach_file', { event_id, file: join(sample, 'ImageSets/Main/val.txt') });
  await fovea.ok('events_finalize', { event_id });
  await fovea.ok('events_hold', { event_id, reason: 'claim 12' });
  return { event: String(event_id) };
}

/** An account and an application of the sign-in service, and the key that signs its tokens. */
async function recordSignIn(environment: Environment) {
  const account = ['account', 'add', 'Ada Lovelace', '--email', 'ada@example.com'];
  const added = await runFovea(
    [...account, '--workspace', 'local'],
    environment,
    'eight purple lanterns\n',
  );
  if (added.code !== 0) throw new Error(added.stderr);
  const application = ['application', 'add', '--name', 'Reader', '--auth', 'none', '--homepage'];
  const uris = ['https://client.example/', '--redirect-uri', 'https://client.example/callback'];
  const registered = await runFovea([...application, ...uris], environment);
  if (registered.code !== 0) throw new Error(registered.stderr);
  const platform = await startFovea(['platform', '--port', '0'], environment);
  const keys = await (await fetch(`${platform.url}/.well-known/jwks.json`)).json();
  await platform.stop();
  return { clientId: /client_id: (\S+)/.exec(registered.stdout)?.[1], keys };
}

async function writeArchive(path: string, folder: string, recorded: object): Promise<void> {
  const zip = new ZipFile();
  zip.addBuffer(Buffer.from(JSON.stringify(recorded, undefined, 2)), 'recorded.json');
  for (const name of readdirSync(join(folder, 'home'), { encoding: 'utf8', recursive: true })) {
    const file = join(folder, 'home', name);
    if (statSync(file).isFile()) zip.addFile(file, `home/${name}`);
  }
  zip.end();
  await pipeline(zip.outputStream, createWriteStream(path));
}

async function withFovea<T>(settings: Environment, use: (fovea: Fovea) => Promise<T>): Promise<T> {
  const fovea = await launchFovea(settings);
  try {
    return await use(fovea);
  } finally {
    await fovea.close();
  }
}

const folder = await realpath(await mkdtemp(join(tmpdir(), 'fovea-recorded-')));
const home = join(folder, 'home');
const eventStore = await startEventStoreProcess({
  data: join(home, 'event-store'),
  environment: { RESERVE_BYTES: '0' },
});
try {
  const settings = { FOVEA_HOME: home };
  const recorded = await withFovea(settings, async (fovea) => ({
    ...(await recordProject(fovea)),
    ...(await recordWorkspace(fovea)),
  }));
  const events = await withFovea({ ...settings, FOVEA_DEVICE_URL: eventStore.url }, recordEvents);
  await eventStore.kill('SIGTERM');
  const signIn = await recordSignIn({ ...settings, HOME: folder });
  const all = { ...recorded, ...events, ...signIn };
  await writeArchive(process.argv[2] ?? 'data-folder.zip', folder, all);
} finally {
  await eventStore.kill('SIGKILL');
  await rm(folder, { recursive: true });
}
