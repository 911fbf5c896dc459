// Data folders made by earlier releases (scripts/record-data-folder.ts), opened by this one.

import { createHash } from 'node:crypto';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import * as z from 'zod';
import { openTestEventStore, type TestEventStore } from './fixtures/event-store.ts';
import { agree, openFormBrowser } from './fixtures/form-browser.ts';
import { type Fovea, launchFovea } from './fixtures/fovea.ts';
import { type RunningService, startFovea } from './fixtures/fovea-services.ts';
import { readZip, unzip } from './fixtures/read-zip.ts';

const Recorded = z.object({
  imageId: z.string(),
  apiKey: z.string(),
  event: z.string(),
  clientId: z.string(),
  keys: z.object({ keys: z.array(z.looseObject({ kid: z.string() })) }),
});

const cells = { workspace: 'local', project: 'cells' };
const sample = 'sample/blood-cells';

describe.each(['0.1.0'])('a data folder of release %s', (release) => {
  let folder: string;
  let home: string;
  let recorded: z.infer<typeof Recorded>;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'fovea-release-'));
    home = join(folder, 'home');
    await unzip(`test/fixtures/data-folder-${release}.zip`, folder);
    recorded = Recorded.parse(JSON.parse(await readFile(join(folder, 'recorded.json'), 'utf8')));
  });

  afterAll(() => rm(folder, { recursive: true, force: true, maxRetries: 5 }));

  describe('under the MCP server', () => {
    let fovea: Fovea;

    beforeAll(async () => {
      makeYoung(home);
      fovea = await launchFovea({ FOVEA_HOME: home });
    });

    afterAll(() => fovea.close());

    test('has its project', async () => {
      expect(await fovea.ok('projects_get', cells)).toMatchObject({
        project: {
          id: 'local/cells',
          name: 'Cells',
          type: 'object-detection',
          annotation: 'cells',
          images: 3,
          unannotated: 0,
          splits: { train: 3, valid: 0, test: 0 },
          classes: { Platelets: 7, RBC: 29, WBC: 4 },
        },
        versions: [{ id: 'local/cells/1', name: 'First version' }],
      });
    });

    test('has its images, with boxes, tags and metadata', async () => {
      const { imageId } = recorded;
      const path = join(fovea.folder, 'image.jpg');
      const got = await fovea.ok('images_get', { ...cells, imageId });
      await fovea.ok('images_download', { ...cells, imageId, save_to: path });
      expect(got.image).toMatchObject({
        name: 'BloodImage_00040.jpg',
        width: 640,
        height: 480,
        split: 'train',
        tags: ['microscope'],
        metadata: { line: 3 },
        annotation: { boxes: { length: 18 } },
      });
      const original = join(sample, 'JPEGImages', 'BloodImage_00040.jpg');
      expect(await readFile(path)).toEqual(await readFile(original));
    });

    test('finds them by class and by likeness', async () => {
      const byClass = await fovea.ok('images_search', {
        ...cells,
        class_name: 'WBC',
        fields: ['name'],
      });
      expect(byClass).toMatchObject({ total: 3 });
      const like_image = recorded.imageId;
      const alike = await fovea.ok('images_search', { ...cells, like_image, fields: ['name'] });
      expect(alike.results).toMatchObject([{ name: 'BloodImage_00040.jpg' }, {}, {}]);
    });

    test('has its batch and its folder', async () => {
      expect(await fovea.ok('batches_list', cells)).toMatchObject({
        batches: [{ name: 'First batch', images: 3 }],
      });
      expect(await fovea.ok('folders_list', { workspace: 'local' })).toMatchObject({
        data: [{ name: 'Line 3', projects: ['cells'] }],
      });
    });

    test('has its version, to be exported', async () => {
      const version = { ...cells, version: 1 };
      expect(await fovea.ok('versions_get', version)).toMatchObject({
        version: {
          name: 'First version',
          images: 6,
          preprocessing: { resize: { width: 96, height: 96, format: 'Stretch to' } },
          augmentation: { flip: { horizontal: true }, image: { versions: 2 } },
        },
      });
      const path = join(fovea.folder, 'version.zip');
      await fovea.ok('versions_export', { ...version, format: 'coco', save_to: path });
      const files = [...(await readZip(path)).keys()];
      expect(files.filter((name) => name.endsWith('.jpg'))).toHaveLength(6);
      expect(files).toContain('train/_annotations.coco.json');
    });

    test('knows a call that was made before', async () => {
      const named = { name: 'Crystals', type: 'object-detection', annotation: 'crystals' };
      const again = await fovea.client.callTool({
        name: 'projects_create',
        arguments: { workspace: 'local', ...named },
        _meta: { 'fovea/idempotencyKey': 'recorded-1' },
      });
      expect(again.structuredContent).toMatchObject({ id: 'local/crystals' });
      expect((await fovea.call('projects_get', { ...cells, project: 'crystals-2' })).isError).toBe(
        true,
      );
    });

    test('takes more images and versions', async () => {
      const files = [join(sample, 'JPEGImages', 'BloodImage_00092.jpg')];
      const annotations = join(sample, 'Annotations');
      await fovea.ok('images_upload', { project: 'cells', files, annotations, split: 'valid' });
      const steps = { preprocessing: {}, augmentation: {} };
      const { version } = await fovea.ok('versions_generate', { ...cells, ...steps });
      await fovea.ok('tasks_wait', { ...cells, version });
      expect(await fovea.ok('projects_get', cells)).toMatchObject({
        project: { images: 4 },
        versions: [
          { id: 'local/cells/2', images: 4 },
          { id: 'local/cells/1', images: 6 },
        ],
      });
    });
  });

  describe('under the platform', () => {
    let platform: RunningService;

    beforeAll(async () => {
      platform = await startFovea(['platform', '--port', '0'], { FOVEA_HOME: home, HOME: folder });
    });

    afterAll(() => platform.stop());

    test('has its API key, for the same things', async () => {
      const headers = { authorization: `Bearer ${recorded.apiKey}` };
      const get = async (path: string) => (await fetch(platform.url + path, { headers })).json();
      expect(await get('/local/cells')).toMatchObject({ project: { name: 'Cells' } });
      expect(await get('/local/api-keys')).toMatchObject({ apiKeys: [{ name: 'Camera' }] });
    });

    test('has its vision event, which is not stored again', async () => {
      const answer = await fetch(`${platform.url}/vision-events`, {
        method: 'POST',
        headers: {
          authorization: `Bearer ${recorded.apiKey}`,
          'content-type': 'application/json',
        },
        body: JSON.stringify({
          eventId: 'seen-1',
          eventType: 'custom',
          useCaseId: 'counting',
          timestamp: '2026-11-20T10:00:00Z',
          eventData: { value: 'seen' },
        }),
      });
      expect(await answer.json()).toEqual({ eventId: 'seen-1', created: false });
    });

    test('has the use case of that event, and finds it there', async () => {
      const headers = {
        authorization: `Bearer ${recorded.apiKey}`,
        'content-type': 'application/json',
      };
      const cases = await fetch(`${platform.url}/vision-events/use-cases`, { headers });
      expect(await cases.json()).toMatchObject({
        useCases: [{ id: 'counting', name: 'counting', status: 'active', eventCount: 1 }],
      });
      const found = await fetch(`${platform.url}/vision-events/query`, {
        method: 'POST',
        headers,
        body: JSON.stringify({ useCaseId: 'counting', eventType: 'custom' }),
      });
      expect(await found.json()).toMatchObject({
        events: [{ eventId: 'seen-1', eventData: { value: 'seen' } }],
        hasMore: false,
      });
    });

    test('lets its account sign in to its application, with tokens of the same key', async () => {
      const keys = await (await fetch(`${platform.url}/.well-known/jwks.json`)).json();
      expect(keys).toEqual(recorded.keys);
      const redirect_uri = 'https://client.example/callback';
      const client_id = recorded.clientId;
      const verifier = 'a-verifier-that-only-the-application-knows-43';
      const parameters = new URLSearchParams({
        client_id,
        redirect_uri,
        response_type: 'code',
        scope: 'openid project:read',
        state: 'a-state',
        code_challenge: createHash('sha256').update(verifier).digest('base64url'),
        code_challenge_method: 'S256',
      });
      const authorize = `${platform.url}/oauth/authorize?${parameters}`;
      const person = { name: 'ada@example.com', password: 'eight purple lanterns' };
      const code = (await agree(openFormBrowser(), authorize, person)).searchParams.get('code');
      const body = { grant_type: 'authorization_code', redirect_uri, client_id, code: code ?? '' };
      const tokens = await fetch(`${platform.url}/oauth/token`, {
        method: 'POST',
        body: new URLSearchParams({ ...body, code_verifier: verifier }),
      });
      const { access_token } = z.object({ access_token: z.string() }).parse(await tokens.json());
      const answer = await fetch(`${platform.url}/local/cells`, {
        headers: { authorization: `Bearer ${access_token}` },
      });
      expect(answer.status).toBe(200);
    });
  });

  describe('under the Event Store', () => {
    let store: TestEventStore;

    beforeAll(async () => {
      const settings = { RETENTION_DAYS: '36500' };
      store = await openTestEventStore({ data: join(home, 'event-store'), settings });
    });

    afterAll(() => store.close());

    test('has its event, still on hold', async () => {
      expect((await store.get(`/v2/events/${recorded.event}`)).body).toMatchObject({
        device_id: 'line-3',
        event_schema: 'quality_check',
        event_data: { result: 'fail' },
        custom_metadata: { part: 'A-17' },
        draft: false,
        hold: 'claim 12',
        images: [{ label: 'BloodImage_00040', object_detections: { length: 18 } }],
        local_only_files: [{ size_bytes: 34 }],
      });
      const found = await store.get('/v2/events?device_id=line-3');
      expect(found.body).toMatchObject({ events: [{ id: recorded.event }] });
    });

    test('has the image of the event, and draws it', async () => {
      const drawn = await store.get(`/v2/previews?event_id=${recorded.event}`);
      expect(drawn.body).toMatchObject({
        images: [{ label: 'BloodImage_00040', width: 640, height: 480, boxes: 18 }],
        warnings: [],
      });
    });

    test('takes more events', async () => {
      const event = { event_schema: 'quality_check', event_data: { result: 'pass' } };
      const inference_timestamp = new Date().toISOString();
      expect((await store.post('/v2/events', { ...event, inference_timestamp })).status).toBe(201);
      expect((await store.get('/events/count/stats')).body).toMatchObject({ total_count: 2 });
    });
  });
});

/** Calls are remembered for seven days: those of the recording must not be too old. */
function makeYoung(home: string): void {
  const journal = new DatabaseSync(join(home, 'journal.sqlite'));
  journal.prepare('UPDATE calls SET started_at = ?, ended_at = ?').run(Date.now(), Date.now());
  journal.close();
}
