// Images and batches: upload, annotation, tags, metadata, deletion, ZIP.

import assert from 'node:assert/strict';
import * as z from 'zod';
import { testImage } from '../../../fixtures/images.ts';
import { plainZip, voc } from '../../zip-import/zip-files.ts';
import { taskStarted, uploaded } from '../answers.ts';
import { type Context, check, type FamilyChecks } from '../check.ts';
import {
  annotate,
  ask,
  askFor,
  askForNothing,
  at,
  ended,
  newProject,
  pathOf,
  refused,
  upload,
} from '../steps.ts';

const image = z.looseObject({
  image: z.looseObject({
    id: z.string().min(1),
    split: z.string(),
    tags: z.array(z.string()),
    metadata: z.looseObject({}).nullable(),
    labels: z.array(z.string()),
  }),
});

const batch = z.looseObject({ id: z.string().min(1), name: z.string(), images: z.int().min(0) });
const zipStarted = taskStarted.extend({ signedUrl: z.url() });

async function imageOf(context: Context, project: string, id: string) {
  return (await askFor(context, image, { path: at(context, project, `/images/${id}`) })).image;
}

export const imageChecks: FamilyChecks = {
  default: [
    check(
      'an image is uploaded, labelled and read',
      ['2.6', '15.1', '15.3', '15.4'],
      async (context) => {
        const project = await newProject(context);
        const id = await upload(context, project, 1, { split: 'valid' });
        await annotate(context, project, id, [
          ['cat', 4, 8, 16, 16],
          ['dog', 20, 8, 8, 8],
        ]);
        const found = await imageOf(context, project, id);
        assert.equal(found.id, id);
        assert.equal(found.split, 'valid');
        assert.deepEqual(found.labels.toSorted(), ['cat', 'dog']);
        await refused(context, { path: at(context, project, '/images/nothing-of-ours') }, 404);
      },
    ),
    check(
      'a URL that cannot be fetched is 502, to be tried again',
      ['15.2', '27.6'],
      async (context) => {
        const project = await newProject(context);
        const path = `/dataset/${project}/upload`;
        const query = { image: 'https://nothing.invalid/picture.png' };
        const body = new FormData();
        body.set('metadata', '{}');
        const answer = await ask(context, { method: 'POST', path, query, body }, 502);
        const shape = z.looseObject({ error: z.unknown(), retryable: z.literal(true) });
        assert.ok(shape.safeParse(answer).success, `retryable: true in ${JSON.stringify(answer)}`);
      },
    ),
    check('images are deleted, all of them or none', ['15.5', '15.6'], async (context) => {
      const project = await newProject(context);
      const id = await upload(context, project, 1);
      const remove = (images: readonly string[]) => {
        return {
          method: 'DELETE',
          path: at(context, project, '/images'),
          json: { images },
        } as const;
      };
      const answer = await ask(context, remove([id, 'nothing-of-ours']), 400);
      assert.ok(z.looseObject({ error: z.string() }).safeParse(answer).success, 'error is a text');
      await imageOf(context, project, id);
      await askForNothing(context, remove([id]));
      await refused(context, { path: at(context, project, `/images/${id}`) }, 404);
    }),
    check('tags and metadata of an image change', ['15.7', '15.8'], async (context) => {
      const project = await newProject(context);
      const id = await upload(context, project, 1, { tag: 'old' });
      const tags = at(context, project, `/images/${id}/tags`);
      await ask(context, { path: tags, json: { operation: 'add', tags: ['new', 'newer'] } }, 200);
      await ask(context, { path: tags, json: { operation: 'remove', tags: ['old'] } }, 200);
      const path = `/${context.workspace}/images/${id}/metadata`;
      await ask(context, { path, json: { metadata: { line: 3 }, addTags: ['seen'] } }, 200);
      const found = await imageOf(context, project, id);
      assert.deepEqual(found.tags.toSorted(), ['new', 'newer', 'seen']);
      assert.deepEqual(found.metadata, { line: 3 });
      await ask(context, { path, json: { removeMetadata: ['line'] } }, 200);
      assert.deepEqual((await imageOf(context, project, id)).metadata, {});
    }),
    check('uploads are listed as batches', ['2.7', '15.10', '15.11'], async (context) => {
      const project = await newProject(context);
      await upload(context, project, 1, { batch: 'morning' });
      await upload(context, project, 2, { batch: 'evening' });
      await upload(context, project, 3, { batch: 'evening' });
      const list = z.looseObject({ batches: z.array(batch) });
      const { batches } = await askFor(context, list, { path: at(context, project, '/batches') });
      const sizes = batches.map(({ name, images }) => `${name} ${images}`);
      assert.deepEqual(sizes.toSorted(), ['evening 2', 'morning 1']);
      const [first] = batches;
      const path = at(context, project, `/batches/${first?.id}`);
      assert.equal(
        (await askFor(context, z.looseObject({ batch }), { path })).batch.name,
        first?.name,
      );
      await refused(context, { path: at(context, project, '/batches/nothing-of-ours') }, 404);
    }),
    check('a zip file is taken in, with its splits and labels', ['15.12', '15.13'], takeZip),
    check('a zip file has its exact duplicates named', ['29.15'], async (context) => {
      const pixels = await testImage(1);
      const zip = plainZip({
        'train/a.png': pixels,
        'train/a.xml': voc('a.png', 'cat'),
        'valid/b.png': pixels,
        'valid/b.xml': voc('b.png', 'dog'),
      });
      const { task } = await sendZip(context, await newProject(context), zip);
      const expected = [{ file: 'valid/b.png', of: 'train/a.png', labels: 'conflicting' }];
      assert.deepEqual(Object(task.result).exactDuplicates, expected);
    }),
    check('what is no zip file fails, and says so', ['15.13', '8.4'], async (context) => {
      const { task } = await sendZip(
        context,
        await newProject(context),
        Buffer.from('no zip file at all'),
      );
      assert.equal(task.status, 'failed');
      await refused(context, { path: `/${context.workspace}/upload/zip/nothing-of-ours` }, 404);
    }),
  ],
};

async function sendZip(context: Context, project: string, zip: Uint8Array) {
  const call = { path: at(context, project, '/upload/zip'), json: { batchName: 'a zip' } };
  const { taskId, url, signedUrl } = await askFor(context, zipStarted, call, 202);
  const path = `/${context.workspace}/upload/zip/${taskId}`;
  const created = await askFor(context, z.looseObject({ status: z.string() }), { path });
  assert.equal(created.status, 'created', 'before the file is there');
  // The link is the credential: none is sent.
  const put = await fetch(signedUrl, { method: 'PUT', body: new Uint8Array(zip) });
  assert.ok(put.ok, `PUT to signedUrl: ${put.status} ${await put.text()}`);
  return { task: await ended(context, path), url };
}

async function takeZip(context: Context): Promise<void> {
  const project = await newProject(context);
  const zip = plainZip({
    'train/a.png': await testImage(1),
    'train/a.xml': voc('a.png', 'cat'),
    'valid/b.png': await testImage(2),
    'valid/b.xml': voc('b.png', 'dog'),
  });
  const { task, url } = await sendZip(context, project, zip);
  assert.equal(task.status, 'completed');
  assert.equal(
    (await ended(context, pathOf(context, url))).status,
    'completed',
    'at the task address too',
  );
  const shape = z.looseObject({
    project: z.looseObject({
      images: z.int(),
      splits: z.looseObject({ train: z.int(), valid: z.int() }),
      classes: z.record(z.string(), z.int()),
    }),
  });
  const found = (await askFor(context, shape, { path: at(context, project) })).project;
  assert.equal(found.images, 2);
  assert.equal(found.splits.train, 1);
  assert.equal(found.splits.valid, 1);
  assert.deepEqual(found.classes, { cat: 1, dog: 1 });
  // The same image again is the one that is there.
  const body = new FormData();
  body.set('file', new Blob([Uint8Array.from(await testImage(1))]), 'again.png');
  const again = { method: 'POST', path: `/dataset/${project}/upload`, body } as const;
  const duplicate = uploaded.extend({ duplicate: z.literal(true) });
  await askFor(context, duplicate, again);
}
