// Many images in one call: so many are taken, all or none, and one more is refused.

import { expect, it, onTestFinished } from 'vitest';
import { annotationExtensions } from '../../src/contract/annotation.ts';
import { images } from '../../src/contract/images.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { refusal } from './labelled-projects.ts';
import { numberIn, seedImages } from './seed-images.ts';

const at = { workspace: 'acme', project: 'large' };

/** The ids of the images from one to another. */
function ids(from: number, to: number): string[] {
  return Array.from({ length: to - from + 1 }, (_, place) => `image-${from + place}`);
}

async function tell(url: string, key: string, method: string, path: string, body: object) {
  const answer = await fetch(`${url}${path}`, {
    method,
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, text: await answer.text() };
}

it('deletes 500 images at once, or none', async () => {
  const { data, database } = await seedImages(1_500);
  const platform = await startTestPlatform({ data });
  onTestFinished(() => platform.close());
  const left = () => numberIn(database, 'SELECT count(*) AS n FROM images');
  const path = '/acme/large/images';
  const many = { images: ids(1, 501) };
  const refused = await tell(platform.url, platform.key, 'DELETE', path, many);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('names more than 500 images: delete them in several calls');
  const { call } = platform.client;
  const wrong = { ...at, images: [...ids(1, 499), 'nobody'] };
  expect((await refusal(call(images.images_delete, wrong))).status).toBe(400);
  expect(left()).toBe(1_500);
  expect((await call(images.images_delete, { ...at, images: ids(1, 500) })).status).toBe(204);
  expect(left()).toBe(1_000);
});

it('reviews 500 images at once, those of both lists together', async () => {
  const { data, database } = await seedImages(501);
  database.run(
    `INSERT INTO annotation_jobs (id, project_id, batch_id, name, created_by, created)
     VALUES ('job', 'large-project', 'large-batch', 'Job', 'me', 1)`,
  );
  database.run(
    `INSERT INTO annotation_job_images (job_id, image_id, state)
     SELECT 'job', id, 'annotated' FROM images`,
  );
  const platform = await startTestPlatform({ data });
  onTestFinished(() => platform.close());
  const path = '/acme/large/jobs/job';
  const many = { approve: ids(1, 250), reject: ids(251, 501) };
  const refused = await tell(platform.url, platform.key, 'PATCH', path, many);
  expect(refused.status).toBe(400);
  expect(refused.text).toContain('more than 500 images together: review them in several calls');
  const review = { ...at, jobId: 'job', approve: ids(1, 250), reject: ids(251, 500) };
  const { body } = await platform.client.call(annotationExtensions.annotation_jobs_review, review);
  expect(body).toMatchObject({ approved: 250, rejected: 250, annotated: 1 });
});
