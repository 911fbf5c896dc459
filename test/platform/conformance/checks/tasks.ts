// Async tasks: shape, states, whose they are; the description of the API; links to bytes.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { task, taskStarted } from '../answers.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { askFor, at, ended, given, newProject, pathOf, refused, upload } from '../steps.ts';

export const taskChecks: FamilyChecks = {
  default: [
    check(
      'what takes long answers with a task, which ends completed with its result',
      ['1.2', '6.1', '6.2', '6.3', '6.6', '8.1', '8.2', '8.3', '18.3', '18.5', '2.10', '29.6'],
      async (context) => {
        const { taskId, path } = await startMetadata(context, 'value');
        const done = await ended(context, path);
        assert.deepEqual([done.taskId, done.status], [taskId, 'completed']);
        assert.equal(path, `/${context.workspace}/asynctasks/${taskId}`);
        assert.deepEqual(done.progress, { current: 1, total: 1 });
        assert.equal(done.result?.succeeded, 1);
        // Ended is ended.
        assert.deepEqual(await askFor(context, task, { path }), done);
        const { tasks } = await askFor(context, taskList, {
          path: `/${context.workspace}/asynctasks`,
        });
        assert.ok(tasks.some((one) => one.taskId === taskId && one.kind === 'metadata'));
        assert.ok(tasks.length <= 100, `${tasks.length} tasks`);
      },
    ),
    check(
      'a task that cannot be done fails with words',
      ['6.5', '8.4', '27.8'],
      async (context) => {
        const slug = await newProject(context);
        const imageId = await upload(context, slug, 50);
        const json = { ...autolabel, batchId: await batchOf(context, slug) };
        const call = { method: 'POST', path: at(context, slug, '/autolabel'), json } as const;
        const { url } = await askFor(context, taskStarted, call, 202);
        const failed = await ended(context, pathOf(context, url));
        assert.equal(failed.status, 'failed', `the hosted model sam3 labelled ${imageId}`);
        assert.ok((failed.error ?? '') !== '', 'error is empty');
      },
    ),
    check('a task that is not there is 404', ['18.4', '27.4'], async (context) => {
      await refused(
        context,
        { path: `/${context.workspace}/asynctasks/there-is-no-such-task` },
        404,
      );
    }),
    check(
      'a link to bytes works by itself, and not when it is changed',
      ['29.8'],
      async (context) => {
        const slug = await newProject(context);
        const imageId = await upload(context, slug, 51);
        const path = at(context, slug, `/images/${imageId}`);
        const { image } = await askFor(context, imageAnswer, { path });
        for (const link of [image.urls.original, image.urls.thumb]) {
          const { pathname, searchParams } = new URL(link);
          const good = await context.stranger.send({
            path: pathname,
            rawQuery: `?${searchParams}`,
          });
          assert.equal(good.status, 200);
          assert.match(good.headers.get('content-type') ?? '', /^image\//);
          searchParams.set('expires', '99999999999999');
          await refused(context.stranger, { path: pathname, rawQuery: `?${searchParams}` }, 403);
        }
      },
    ),
    check('the API describes itself', ['29.2', '29.3', '1.1', '1.6'], async (context) => {
      const document = await askFor(context.stranger, openApi, { path: '/openapi.json' });
      for (const address of addresses) {
        assert.ok(Object.keys(document.paths).includes(address), `${address} is not described`);
      }
      const docs = await context.stranger.send({ path: '/docs' });
      assert.equal(docs.status, 200);
      assert.match(docs.headers.get('content-security-policy') ?? '', /default-src 'none'/);
      const files = [...docs.text.matchAll(/(?:src|href)="([^"]+)"/g)].map(
        ([, name]) => name ?? '',
      );
      assert.ok(files.length > 3, 'the page loads nothing');
      for (const path of files) {
        assert.ok(path.startsWith('/'), `${path} is not of this service`);
        if (path.startsWith('/docs/')) {
          assert.equal((await context.stranger.send({ path })).status, 200, path);
        }
      }
    }),
    check('browsers get a page that may load nothing from elsewhere', ['29.4'], async (context) => {
      const page = await context.stranger.send({ path: '/', headers: { accept: 'text/html' } });
      assert.equal(page.status, 200);
      assert.match(page.headers.get('content-type') ?? '', /^text\/html/);
      const policy = page.headers.get('content-security-policy') ?? '';
      assert.match(policy, /default-src 'none'; script-src 'self'; style-src 'self'/);
      assert.doesNotMatch(policy, /unsafe/);
      assert.doesNotMatch(page.text, /<script(?![^>]*\bsrc=)/);
    }),
  ],
  other: [
    check(
      'a task of another workspace is 404, and in no list',
      ['18.4', '27.4'],
      async (context) => {
        const other = given(context.other, '--other-key');
        const { taskId } = await startMetadata(context, 'foreign');
        const { workspace } = await askFor(other, whose, { path: '/' });
        await refused(other, { path: `/${workspace}/asynctasks/${taskId}` }, 404);
        const { tasks } = await askFor(other, taskList, { path: `/${workspace}/asynctasks` });
        assert.ok(tasks.every((one) => one.taskId !== taskId));
      },
    ),
    check(
      'the workspace in the path is that of the credential',
      ['18.6', '27.3'],
      async (context) => {
        const other = given(context.other, '--other-key');
        await refused(other, { path: `/${context.workspace}` }, 403);
        await refused(other, { path: `/${context.workspace}/asynctasks` }, 403);
      },
    ),
  ],
};

const autolabel = { modelType: 'sam3', ontology: { RBC: 'RBC' } };

const taskList = z.looseObject({
  tasks: z.array(z.looseObject({ taskId: z.string(), kind: z.string(), status: z.string() })),
});

const whose = z.looseObject({ workspace: z.string() });

const imageAnswer = z.looseObject({
  image: z.looseObject({ urls: z.looseObject({ original: z.url(), thumb: z.url() }) }),
});

const batches = z.looseObject({ batches: z.array(z.looseObject({ id: z.string() })) });

const openApi = z.looseObject({
  openapi: z.string().startsWith('3.1'),
  paths: z.record(z.string(), z.unknown()),
});

/** One of each section of the specification. */
const addresses = [
  '/',
  '/{workspace}',
  '/{workspace}/projects',
  '/{workspace}/{project}',
  '/{workspace}/{project}/{version}',
  '/{workspace}/{project}/{version}/{format}',
  '/{workspace}/{project}/{version}/v2/trainings/recipe',
  '/{workspace}/api-keys',
  '/{workspace}/groups',
  '/dataset/{project}/upload',
  '/{workspace}/{project}/jobs',
  '/{workspace}/search/v1',
  '/{workspace}/trash',
  '/{workspace}/{project}/deploy',
  '/{workspace}/inference-stats',
  '/vision-events',
  '/videoinfer/',
  '/{workspace}/asynctasks/{taskId}',
];

async function batchOf(context: Context, slug: string): Promise<string> {
  const found = await askFor(context, batches, { path: at(context, slug, '/batches') });
  return found.batches[0]?.id ?? '';
}

/** Starts a task that sets the metadata of one image. */
async function startMetadata(context: Context, value: string) {
  const slug = await newProject(context);
  const imageId = await upload(context, slug, 52);
  const json = { updates: [{ imageId, metadata: { name: value } }] };
  const path = `/${context.workspace}/images/metadata`;
  const started = await askFor(context, taskStarted, { method: 'POST', path, json }, 202);
  return { taskId: started.taskId, path: pathOf(context, started.url) };
}
