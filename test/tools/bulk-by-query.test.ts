// Bulk calls with a query, on the embedded platform: counted first, and exactly what was found.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';

const sample = 'sample/blood-cells';

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  for (const name of ['Cells', 'Others']) {
    await fovea.ok('projects_create', { name, type: 'object-detection', annotation: 'cells' });
    const project = name.toLowerCase();
    const files = [`${sample}/JPEGImages`];
    await fovea.ok('images_upload', { project, files, split: 'train' });
  }
}, 60_000);

afterAll(async () => {
  await fovea.close();
});

async function total(query: string): Promise<unknown> {
  return (await fovea.ok('workspace_search', { query, pageSize: 1 })).total;
}

async function waitFor(taskId: unknown): Promise<void> {
  const { status } = await fovea.ok('tasks_wait', { taskId });
  expect(status).toBe('completed');
}

const updates = [{ addTags: ['night'], metadata: { camera: 7 } }];

describe('images_set_metadata_bulk', () => {
  it('says how many a query finds, shows some, and changes nothing', async () => {
    const args = { query: 'project:cells', updates, dry_run: true };
    const { text, data } = await fovea.call('images_set_metadata_bulk', args);
    expect(text).toContain('"project:cells" finds 12 images; nothing was changed.');
    expect(data).toMatchObject({
      images: 12,
      shown: { length: 10 },
      next: [{ tool: 'images_set_metadata_bulk', arguments: { query: 'project:cells', updates } }],
    });
    expect(await total('tag:night')).toBe(0);
  });

  it('gives all of them one change', async () => {
    const args = { query: 'project:cells', updates };
    const { images, taskId } = await fovea.ok('images_set_metadata_bulk', args);
    expect(images).toBe(12);
    await waitFor(taskId);
    expect(await total('tag:night metadata:camera=7')).toBe(12);
    expect(await total('tag:night project:others')).toBe(0);
  });

  it('takes tags and metadata away, from what had them at the beginning', async () => {
    const change = [{ removeTags: ['night'], removeMetadata: ['camera'] }];
    const args = { query: 'tag:night', updates: change };
    await waitFor((await fovea.ok('images_set_metadata_bulk', args)).taskId);
    expect(await total('tag:night')).toBe(0);
    expect(await total('metadata:camera=7')).toBe(0);
  });

  it('names the condition that excludes all, and changes nothing', async () => {
    const args = { query: 'project:cells split:valid', updates };
    const { text, data } = await fovea.call('images_set_metadata_bulk', args);
    expect(text).toContain('"project:cells split:valid" finds no image: nothing was changed.');
    expect(data).toMatchObject({ images: 0, notes: ['split:valid alone finds no image here.'] });
  });

  it.each([
    ['no query', { updates, dry_run: true }, 'dry_run: goes with query'],
    [
      'two changes',
      { query: '*', updates: [...updates, ...updates] },
      'updates: must have at most 1 item, has 2',
    ],
    ['no change', { query: '*', updates: [{}] }, 'updates[0]: give at least one of metadata'],
    [
      'what is set and removed, said once',
      { query: '*', updates: [{ addTags: ['a'], removeTags: ['a'] }] },
      'updates[0].removeTags: also sets what it removes: a\nRetry',
    ],
    ['an id', { query: '*', updates: [{ imageId: 'a', addTags: ['b'] }] }, 'updates[0].imageId'],
    ['an order', { query: 'like-image:a', updates }, 'query: like-image: orders images'],
    ['a wrong query', { query: 'camera=7', updates }, 'metadata:camera=7'],
  ])('refuses %s', async (_what, args, message) => {
    const { isError, text } = await fovea.call('images_set_metadata_bulk', args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });
});

describe('images_delete', () => {
  const query = 'filename:BloodImage_000*';

  it('says how many a query finds in the project, and how to go on', async () => {
    const args = { project: 'cells', query, dry_run: true };
    const { text, data } = await fovea.call('images_delete', args);
    expect(text).toContain('finds 6 images; nothing was changed.');
    expect(data).toMatchObject({
      images: 6,
      next: [{ tool: 'images_delete', arguments: { project: 'cells', query, confirm: 'cells/6' } }],
    });
  });

  it.each([['cells'], ['cells/4'], [undefined]])('refuses the confirmation %s', async (confirm) => {
    const { isError, text } = await fovea.call('images_delete', {
      project: 'cells',
      query,
      confirm,
    });
    expect(isError).toBe(true);
    expect(text).toContain(
      'confirm: must be "cells/6": the project, and how many images the query finds; nothing was',
    );
    expect(await total('project:cells')).toBe(12);
  });

  it('deletes exactly those, in this project alone', async () => {
    const args = { project: 'cells', query, confirm: 'cells/6' };
    const { text, data } = await fovea.call('images_delete', args);
    expect(text).toContain('Deleted 6 images of "cells"');
    expect(data).toMatchObject({ images: 6 });
    expect(await total('project:cells')).toBe(6);
    expect(await total('project:others')).toBe(12);
  });

  it('does nothing where nothing is found', async () => {
    const args = { project: 'cells', query: 'tag:never OR tag:none', confirm: 'cells/0' };
    const { text } = await fovea.call('images_delete', args);
    expect(text).toContain('finds no image: nothing was changed.');
  });

  it('takes ids or a query', async () => {
    const args = { project: 'cells', query, images: ['a'], confirm: 'cells' };
    const { text } = await fovea.call('images_delete', args);
    expect(text).toContain('images: give either images or query');
  });
});

describe('search_export_start', () => {
  it('says how many a query finds, and exports nothing', async () => {
    const args = { query: 'split:train', dataset: 'others', format: 'coco', dry_run: true };
    const { text, data } = await fovea.call('search_export_start', args);
    expect(text).toContain('"split:train" finds 12 images; nothing was changed.');
    expect(data).toMatchObject({ images: 12, shown: { length: 10 } });
    expect(data).not.toHaveProperty('taskId');
  });

  it.each([
    ['an annotation group', { annotationGroup: 'cells' }, 'dry_run: does not count'],
    ['a wrong format', { format: 7 }, 'format: '],
    ['a wrong query', { query: 'camera=7' }, 'metadata:camera=7'],
  ])('refuses %s', async (_what, changes, message) => {
    const args = { query: '*', format: 'coco', dry_run: true, ...changes };
    const { isError, text } = await fovea.call('search_export_start', args);
    expect(isError).toBe(true);
    expect(text).toContain(message);
  });
});

describe('images_set_split', () => {
  const query = 'filename:BloodImage_000*';

  it('says how many a query finds, and moves none', async () => {
    const args = { project: 'others', split: 'valid', query, dry_run: true };
    const { text } = await fovea.call('images_set_split', args);
    expect(text).toContain('finds 6 images; nothing was changed.');
    expect(await total('project:others split:valid')).toBe(0);
  });

  it('moves all that the query finds in the project, once', async () => {
    const args = { project: 'others', split: 'valid', query };
    const first = await fovea.ok('images_set_split', args);
    expect(first).toMatchObject({ images: 6, moved: 6, split: 'valid' });
    expect(await total('project:others split:valid')).toBe(6);
    const second = await fovea.call('images_set_split', args);
    expect(second.text).toContain('Moved 0 images of "others" to valid; 6 were there already.');
  });

  it('moves all of its ids, or none', async () => {
    const { results } = await fovea.ok('workspace_search', { query: 'project:cells', pageSize: 1 });
    const [{ id } = { id: '' }] = Object(results);
    const others = { project: 'others', split: 'test', images: [id] };
    const { isError, text } = await fovea.call('images_set_split', others);
    expect(isError).toBe(true);
    expect(text).toContain('1 of 1 are not in this project');
    const cells = { project: 'cells', split: 'test', images: [id] };
    expect(await fovea.ok('images_set_split', cells)).toMatchObject({ moved: 1 });
  });

  it('takes ids or a query', async () => {
    const { text } = await fovea.call('images_set_split', { project: 'cells', split: 'test' });
    expect(text).toContain('images: give either images or query');
  });
});

async function firstJob(): Promise<Record<string, unknown>> {
  const { jobs } = await fovea.ok('annotation_jobs_list', { project: 'others' });
  return Object(Array.isArray(jobs) ? jobs[0] : undefined);
}

describe('annotation_jobs_create', () => {
  const people = { labelerEmail: 'anna@example.com', reviewerEmail: 'bob@example.com' };
  const job = { project: 'others', name: 'Trains', ...people };

  it('counts what a query finds, then gives exactly these', async () => {
    const query = 'filename:BloodImage_0004*';
    const dry = await fovea.call('annotation_jobs_create', { ...job, query, dry_run: true });
    expect(dry.data).toMatchObject({ images: expect.any(Number) });
    expect((await fovea.ok('annotation_jobs_list', { project: 'others' })).jobs).toEqual([]);
    const made = await fovea.call('annotation_jobs_create', { ...job, query });
    const { id, numImages, command } = made.data;
    expect(numImages).toBe(dry.data.images);
    expect(command).toBe(`fovea open others/review/${String(id)}`);
    expect(made.text).toContain(`Tell them to run "${String(command)}"`);
    expect(await total(`job:${String(id)}`)).toBe(numImages);
    expect(await total(`job:${String(id)} project:others ${query}`)).toBe(numImages);
    expect(await total('job:Trains')).toBe(numImages);
    expect(await total('job:trains')).toBe(0);
  });

  it('refuses images of an open job, and makes none of the others', async () => {
    const again = await fovea.call('annotation_jobs_create', { ...job, query: '*' });
    expect(again.isError).toBe(true);
    expect(again.text).toMatch(/of 12 images are in an open job/);
    const { jobs } = await fovea.ok('annotation_jobs_list', { project: 'others' });
    expect(jobs).toHaveLength(1);
  });

  it('says in a dry run which images no job may take', async () => {
    const { id } = await firstJob();
    const dry = { ...job, query: '*', dry_run: true };
    const { text, data } = await fovea.call('annotation_jobs_create', dry);
    expect(data).toMatchObject({ images: 12, inOpenJobs: 1 });
    expect(text).toContain(
      `"*" finds 12 images; nothing was changed. 1 image of them is in an open job, ` +
        `and no job is made with such: -job:${id} in the query leaves them out.`,
    );
    const without = { ...dry, query: `-job:${id}` };
    const free = await fovea.call('annotation_jobs_create', without);
    expect(free.text).not.toContain('open job');
    expect(free.data).not.toHaveProperty('inOpenJobs');
  });

  it('binds a query to its project, whatever its brackets', async () => {
    const out = { ...job, query: 'filename:none) OR (project:cells', dry_run: true };
    const { isError, text } = await fovea.call('annotation_jobs_create', out);
    expect(isError).toBe(true);
    expect(text).toContain('query: at character 14: closes no bracket');
    const open = await fovea.call('annotation_jobs_create', { ...out, query: '(class:a' });
    expect(open.text).toContain('query: ends before its bracket is closed');
    const quoted = { ...out, query: 'filename:"a) OR (b"' };
    expect((await fovea.call('annotation_jobs_create', quoted)).isError).toBe(false);
  });

  it('takes the first of what a query finds', async () => {
    const query = `-job:${String((await firstJob()).id)} sort:name-asc`;
    const few = { ...job, name: 'Few', query, num_images: 2 };
    expect(await fovea.ok('annotation_jobs_create', few)).toMatchObject({ numImages: 2 });
  });

  it('wants one way to choose images', async () => {
    const both = await fovea.call('annotation_jobs_create', { ...job, query: '*', batch: 'x' });
    expect(both.text).toContain('batch: give one of batch, images, query');
    const few = await fovea.call('annotation_jobs_create', { ...job, batch: 'x' });
    expect(few.text).toContain('num_images: says how many images of the batch');
  });

  it('is of no use without a platform of our own, and says what is', async () => {
    const settings = { FOVEA_BASE_URL: 'http://127.0.0.1:9', FOVEA_API_KEY: 'x' };
    const hosted = await launchFovea(settings);
    try {
      const args = { workspace: 'acme', ...job, images: ['a'] };
      const { text } = await hosted.call('annotation_jobs_create', args);
      expect(text).toContain('images: a hosted platform gives a job the first images of a batch');
    } finally {
      await hosted.close();
    }
  });
});
