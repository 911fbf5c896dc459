// Video inference from the upload of a video to its result, with a model whose answers are known.

import { spawnSync } from 'node:child_process';
import { readFile, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { PlatformOptions } from '../../../src/platform/platform.ts';
import { hasFfmpeg } from '../../fixtures/has-ffmpeg.ts';
import { testImage } from '../../fixtures/images.ts';
import { blue, red, type Square, squaresOn } from '../../fixtures/onnx-models.ts';
import { startTestPlatform } from '../../fixtures/platform.ts';
import { settableClock } from '../../fixtures/settable-clock.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { callsTo, modelFile, squaresModel } from '../platform-with-model.ts';

if (!hasFfmpeg) process.stderr.write('DID NOT RUN: videos; ffmpeg is not installed.\n');

const environment = { PATH: process.env.PATH ?? '' };

/** Three pictures, one each second: a red square, none, a blue one. */
async function video(name: string, ...words: readonly string[]): Promise<Buffer> {
  const folder = await temporaryFolder();
  const squares: Square[][] = [
    [{ left: 16, top: 16, colour: red }],
    [],
    [{ left: 32, top: 48, colour: blue }],
  ];
  for (const [index, shown] of squares.entries()) {
    await writeFile(join(folder, `${index}.png`), await squaresOn(64, 64, shown));
  }
  const path = join(folder, name);
  const made = spawnSync(
    'ffmpeg',
    ['-v', 'error', '-framerate', '1', '-i', join(folder, '%d.png'), '-q:v', '1', ...words, path],
    { encoding: 'utf8' },
  );
  expect(made.stderr).toBe('');
  return readFile(path);
}

const statsPath =
  '/acme/inference-stats?startTime=2020-01-01%2000:00:00&endTime=2100-01-01%2000:00:00';

let clip: Promise<Buffer> | undefined;

/** The same as MP4, made once. */
function mp4(): Promise<Buffer> {
  clip ??= video('clip.mp4', '-c:v', 'mpeg4');
  return clip;
}

async function start(options: Partial<PlatformOptions> = {}) {
  const started = await open(options);
  onTestFinished(() => started.platform.close());
  return started;
}

async function open(options: Partial<PlatformOptions>) {
  const platform = await startTestPlatform({ environment, videoStatusIntervalMs: 0, ...options });
  const { tell } = callsTo(platform.url);
  const upload = async (content: Uint8Array, name = 'clip.mp4') => {
    const { body } = await tell('POST', '/video_upload_signed_url/', { file_name: name });
    const put = await fetch(String(body.signed_url), {
      method: 'PUT',
      body: new Uint8Array(content),
    });
    expect(put.status).toBe(200);
    return String(body.signed_url);
  };
  const run = async (input_url: string, more: Readonly<Record<string, unknown>> = {}) => {
    const { status, body } = await tell('POST', '/videoinfer/', {
      input_url,
      infer_fps: 1,
      models: [local],
      ...more,
    });
    expect(status).toBe(200);
    return ended(String(body.job_id));
  };
  const ended = async (id: string) => {
    for (;;) {
      const { body } = await tell('GET', `/videoinfer/?job_id=${id}`);
      if (body.status !== 1) return body;
      await delay(20);
    }
  };
  return { platform, tell, upload, run, ended };
}

const local = {
  model_id: 'local',
  model_version: '1',
  inference_type: 'object-detection',
  inference_params: { confidence: 0.5 },
};

describe.skipIf(!hasFfmpeg)('a video', () => {
  /** One platform with a model for all that need no other: a model takes a while to load. */
  let shared: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    shared = await open({ model: squaresModel });
  });

  afterAll(() => shared.platform.close());

  it.each([
    ['clip.mp4', ['-c:v', 'mpeg4']],
    ['clip.avi', ['-c:v', 'mpeg4']],
    ['clip.mkv', ['-c:v', 'mjpeg', '-pix_fmt', 'yuvj420p']],
  ])('as %s is run frame by frame', async (name, words) => {
    const { upload, run } = shared;
    const job = await run(await upload(await video(name, ...words), name));
    expect(job).toMatchObject({ status: 0, progress: { current: 3, total: 3 } });
    const answer = await fetch(String(job.output_signed_url));
    expect(answer.headers.get('content-type')).toBe('application/json');
    const result = JSON.parse(await answer.text());
    expect(result).toMatchObject({
      fps: 1,
      frame_offset: [0, 1, 2],
      time_offset: [0, 1, 2],
      models: { local: { confidence: 0.5, classes: ['red', 'blue'] } },
    });
    const image = { width: 64, height: 64 };
    const box = { width: 16, height: 16 };
    expect(result.local).toMatchObject([
      { image, predictions: [{ ...box, x: 24, y: 24, class: 'red', class_id: 0 }] },
      { image, predictions: [] },
      { image, predictions: [{ ...box, x: 40, y: 56, class: 'blue', class_id: 1 }] },
    ]);
  });

  it('counts among what models saw', async () => {
    const { upload, run, tell } = shared;
    const counts = async () => {
      const { body } = await tell('GET', statsPath);
      const of = (name: string) =>
        [body.inference_stats]
          .flat()
          .map(Object)
          .find((row) => row.predicted_class === name && row.model_name === 'local')?.class_count;
      return [body.num_inferences, body.num_errors, of('blue'), of('red')].map((n) => n ?? 0);
    };
    const before = await counts();
    await run(await upload(await mp4()));
    const after = await counts();
    expect(after.map((count, place) => count - before[place])).toEqual([3, 0, 1, 1]);
  });

  it('with fewer frames than are asked for gives those that it has', async () => {
    const { upload, run } = shared;
    const link = await upload(await mp4());
    const job = await run(link, { infer_fps: 30 });
    expect(job).toMatchObject({ status: 0, progress: { current: 3, total: 3 } });
  });

  it('of another host is fetched, where that host is public or allowed', async () => {
    const content = await mp4();
    const server = createServer((_request, response) => response.end(content));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    onTestFinished(() => void server.close());
    const address = server.address();
    const port = typeof address === 'object' ? address?.port : 0;
    const url = `http://127.0.0.1:${port}/clip.mp4`;
    const model = squaresModel;
    const open = await start({ model, isAllowedHost: (host) => host === `127.0.0.1:${port}` });
    expect(await open.run(url)).toMatchObject({ status: 0 });
    expect(await shared.run(url)).toMatchObject({
      status: 2,
      error: 'The URL could not be fetched: its address is not public.',
    });
  });

  it('that is a playlist of files of this machine is not read', async () => {
    const { upload, run } = shared;
    const secret = join(await temporaryFolder(), 'secret.mp4');
    await writeFile(secret, await mp4());
    const playlists = [
      `#EXTM3U\n#EXTINF:1,\nfile://${secret}\n#EXT-X-ENDLIST\n`,
      `ffconcat version 1.0\nfile '${secret}'\n`,
      await testImage(1),
      Buffer.concat([Buffer.from('\0\0\0\x18ftypmp42'), Buffer.alloc(2_000, 7)]),
    ];
    for (const content of playlists) {
      expect(await run(await upload(Buffer.from(content)))).toMatchObject({
        status: 2,
        error: 'The file is no video that can be read: MP4, MOV, WebM, MKV or AVI.',
      });
    }
  });

  it('whose service is closed in the middle is run to its end by the next one, and counts once', async () => {
    const folder = await temporaryFolder();
    const path = join(folder, 'long.mp4');
    const words = ['-v', 'error', '-f', 'lavfi', '-i', 'color=red:size=64x64:rate=30:duration=3'];
    expect(spawnSync('ffmpeg', [...words, '-c:v', 'mpeg4', path]).status).toBe(0);
    const options = { data: join(folder, 'data'), model: squaresModel };
    const first = await start(options);
    const input_url = await first.upload(await readFile(path));
    const body = { input_url, infer_fps: 30, models: [local] };
    const { job_id: id } = (await first.tell('POST', '/videoinfer/', body)).body;
    for (let done = 0; done < 30; ) {
      await delay(5);
      const { body: job } = await first.tell('GET', `/videoinfer/?job_id=${id}`);
      done = Number(Object(job.progress).current ?? 0);
    }
    await first.platform.close();
    const next = await start(options);
    expect(await next.ended(String(id))).toMatchObject({
      status: 0,
      progress: { current: 90, total: 90 },
    });
    const { body: stats } = await next.tell('GET', statsPath);
    expect(stats).toMatchObject({ num_inferences: 90 });
  });

  it('is a failed job that says why where there is no model', async () => {
    const { upload, run } = await start();
    const job = await run(await upload(await mp4()));
    expect(job.status).toBe(2);
    expect(job.error).toMatch(/^No detection model is configured/);
    expect(job).not.toHaveProperty('output_signed_url');
  });

  it.each([
    [
      { model_id: 'local', inference_type: 'gaze-detection' },
      'models[1].inference_type: is not run here: choose "object-detection"',
    ],
    [{ model_id: 'nobody' }, 'models[1].model_id: There is no model "nobody/1".'],
    [{ model_id: 'nobody/7' }, 'models[1].model_id: There is no model "nobody/7".'],
  ])('is not begun with the model %j', async (wrong, message) => {
    const models = [local, { ...local, ...wrong }];
    const body = { input_url: 'https://example.com/a.mp4', models };
    const answer = await shared.tell('POST', '/videoinfer/', body);
    expect([answer.status, Object(answer.body.error).message]).toEqual([400, message]);
  });

  it('is not begun with a file that is no model', async () => {
    const { tell } = await start({ model: await modelFile(Buffer.from('no model')) });
    const body = { input_url: 'https://example.com/a.mp4', models: [local] };
    const answer = await tell('POST', '/videoinfer/', body);
    expect([answer.status, Object(answer.body.error).message]).toEqual([
      400,
      expect.stringMatching(/^models\[0\]\.model_id: model: /),
    ]);
  });

  it('can be run for as long as it is kept, though its link takes no other', async () => {
    const clock = settableClock();
    const { upload, run, tell } = await start({ model: squaresModel, clock });
    const link = await upload(await mp4());
    const { body } = await tell('POST', '/video_upload_signed_url/', { file_name: 'b.mp4' });
    clock.advance(23 * 60 * 60 * 1000);
    expect(await run(link)).toMatchObject({ status: 0, progress: { current: 3, total: 3 } });
    expect((await fetch(link, { method: 'PUT', body: 'another' })).status).toBe(403);
    const late = await tell('POST', '/videoinfer/', {
      input_url: body.signed_url,
      models: [local],
    });
    expect(late.status).toBe(400);
    // The first cleanup may run before the date is another one, or after it.
    expect(Object(late.body.error).message).toMatch(
      /^input_url: is an upload link (to which no video was sent in time|whose video is not kept any more, or never came)$/,
    );
  });

  it('is a failed job where FFmpeg is not installed', async () => {
    const nowhere = { PATH: await temporaryFolder() };
    const { upload, run } = await start({ model: squaresModel, environment: nowhere });
    const job = await run(await upload(await mp4()));
    const error = 'FFmpeg is not installed: no video can be read here.';
    expect(job).toMatchObject({ status: 2, error });
  });
});

describe('a job', () => {
  let plain: Awaited<ReturnType<typeof open>>;

  beforeAll(async () => {
    plain = await open({});
  });

  afterAll(() => plain.platform.close());

  it('takes no link of another workspace, none that was altered, and none that is forgotten', async () => {
    const data = await temporaryFolder();
    const { platform, tell } = await start({ data });
    const { body } = await tell('POST', '/video_upload_signed_url/', { file_name: 'a.mp4' });
    const link = String(body.signed_url);
    const other = await platform.otherWorkspace('globex');
    const begin = async (input_url: string, key?: string) => {
      const told = await tell('POST', '/videoinfer/', { input_url, models: [local] }, key);
      return [told.status, Object(told.body.error).message];
    };
    expect(await begin(link, other.key)).toEqual([
      400,
      'input_url: is an upload link for no video of this workspace',
    ]);
    // Nothing is told of the upload.
    const altered = link.replace(/signature=./, (start) =>
      start.endsWith('-') ? 'signature=A' : 'signature=-',
    );
    expect(await begin(altered)).toEqual([
      400,
      'input_url: is an upload link that was not given like this: its signature does not match',
    ]);
    await platform.query('DELETE FROM uploads');
    expect(await begin(link)).toEqual([
      400,
      'input_url: is an upload link whose video is not kept any more, or never came',
    ]);
  });

  it('needs a video that is there', async () => {
    const { tell } = plain;
    const { body } = await tell('POST', '/video_upload_signed_url/', { file_name: 'a.mp4' });
    const wrong = [
      [String(body.signed_url), 'is an upload link to which no video was sent yet'],
      ['file:///etc/passwd', 'must be an http or https URL'],
      ['clip.mp4', 'must be an http or https URL'],
    ];
    for (const [input_url, message] of wrong) {
      const answer = await tell('POST', '/videoinfer/', { input_url, models: [local] });
      expect(answer.status).toBe(400);
      expect(JSON.stringify(answer.body)).toContain(message);
    }
  });

  it.each([
    [{ models: [local, local] }, 'models[1].model_id: is given twice'],
    [{ models: Array.from({ length: 9 }, () => local) }, 'models: has 9 models; at most 8 run'],
    [
      { models: [{ ...local, inference_params: { confidence: 2 } }] },
      'models[0].inference_params.confidence: must be a number from 0 to 1',
    ],
    [{ models: [local], infer_fps: 0 }, 'infer_fps'],
  ])('refuses %j', async (body, message) => {
    const { tell } = plain;
    const input_url = 'https://example.com/a.mp4';
    const answer = await tell('POST', '/videoinfer/', { input_url, ...body });
    expect(answer.status).toBe(400);
    expect(JSON.stringify(answer.body)).toContain(message);
  });

  it.each(['notes.txt', 'noextension', 'clip.mp4.exe'])('has no address for %s', async (name) => {
    const { tell } = plain;
    const answer = await tell('POST', '/video_upload_signed_url/', { file_name: name });
    expect(answer.status).toBe(400);
  });

  it('may be looked at once a minute, and another one at once', async () => {
    const { tell } = await start({ videoStatusIntervalMs: 60_000 });
    const begin = async () => {
      const input_url = 'https://127.0.0.1/a.mp4';
      const { body } = await tell('POST', '/videoinfer/', { input_url, models: [local] });
      return `/videoinfer/?job_id=${body.job_id}`;
    };
    const [first, other] = [await begin(), await begin()];
    expect((await tell('GET', first)).status).toBe(200);
    expect((await tell('GET', other)).status).toBe(200);
    const answer = await tell('GET', first);
    expect(answer.status).toBe(429);
    expect(JSON.stringify(answer.body)).toContain('every 60 s');
  });

  it('of nobody is not found', async () => {
    const { tell } = plain;
    expect((await tell('GET', '/videoinfer/?job_id=ffffffffffffffffffff')).status).toBe(404);
  });
});
