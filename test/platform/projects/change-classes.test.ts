// Classes of a whole project are changed over HTTP, and that is taken back.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { activity } from '../../../src/contract/activity.ts';
import { images } from '../../../src/contract/images.ts';
import type { Input } from '../../../src/contract/operation.ts';
import { projectExtensions, projects } from '../../../src/contract/projects.ts';
import { search } from '../../../src/contract/search.ts';
import { versions } from '../../../src/contract/versions.ts';
import { startTestPlatform, type TestPlatform } from '../../fixtures/platform.ts';
import { annotate, createProject, refusal, resultOf, upload } from '../labelled-projects.ts';

const { classes_change } = projectExtensions;

type Wanted = Omit<Input<typeof classes_change>, 'workspace' | 'project'>;

let platform: TestPlatform;

beforeAll(async () => {
  platform = await startTestPlatform();
});

afterAll(() => platform.close());

async function change(project: string, wanted: Wanted) {
  const input = { workspace: 'acme', project, ...wanted };
  return (await platform.client.call(classes_change, input)).body;
}

/** What the task of a change, or of its undoing, says in the end. */
async function changed(project: string, wanted: Wanted) {
  const started = await change(project, wanted);
  return resultOf(platform.client, String(started.taskId));
}

async function classesOf(project: string) {
  const { body } = await platform.client.call(projects.projects_get, {
    workspace: 'acme',
    project,
  });
  return body.project.classes;
}

async function imageOf(project: string, imageId: string) {
  const { body } = await platform.client.call(images.images_get, {
    workspace: 'acme',
    project,
    imageId,
  });
  return body.image;
}

async function labelsOf(project: string, imageId: string) {
  const { annotation } = await imageOf(project, imageId);
  return [Object(annotation).boxes].flat().map((box) => box.label);
}

async function found(project: string, query: string) {
  const { body } = await platform.client.call(search.workspace_search, {
    workspace: 'acme',
    query: `project:${project} ${query}`,
  });
  return body.total;
}

/** Gives an image classes as a whole. */
async function classify(project: string, imageId: string, ...classes: readonly string[]) {
  const annotationFile = JSON.stringify(classes);
  const input = { project, imageId, name: 'label.json', annotationFile, overwrite: true };
  await platform.client.call(images.images_annotate, input);
}

describe('boxes', () => {
  it('are of one class where two were merged, and of none that was removed', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Merged');
    const both = await upload(client, project, 1, { classes: ['car', 'Car', 'dog', 'car'] });
    const one = await upload(client, project, 2, { classes: ['Car'] });
    const other = await upload(client, project, 3, { classes: ['dog'] });
    await upload(client, project, 4);
    const { annotation_revision: before } = await imageOf(project, one);
    const said = {
      classes: [
        { class: 'Car', to: 'car', merges: true, labels: 2, images: 2 },
        { class: 'dog', labels: 2, images: 2 },
      ],
      labels: 4,
      images: 3,
      emptied: 1,
    };
    const wanted = { rename: { Car: 'car' }, remove: ['dog'] };
    expect(await change(project, { ...wanted, dry_run: true })).toEqual(said);
    expect(await classesOf(project)).toEqual({ Car: 2, car: 2, dog: 2 });

    const started = await change(project, wanted);
    expect(started).toMatchObject({ ...said, changeId: started.taskId });
    const result = await resultOf(client, String(started.taskId));
    expect(result).toEqual({ changeId: started.changeId, labels: 4, images: 3, emptied: 1 });
    expect(await classesOf(project)).toEqual({ car: 4 });
    expect((await imageOf(project, one)).annotation_revision).not.toBe(before);
    expect(await found(project, 'class:car')).toBe(2);
    expect(await found(project, 'class:dog')).toBe(0);
    // Somebody looked at it, and it shows nothing of the classes that are left.
    expect(await found(project, 'annotated:false')).toBe(1);
    expect(await labelsOf(project, both)).toEqual(['car', 'car', 'car']);

    await annotate(client, project, other, ['bird']);
    const undo = String(started.changeId);
    expect(await changed(project, { undo })).toEqual({
      changeId: undo,
      restored: 2,
      changed: 1,
      gone: 0,
    });
    expect(await classesOf(project)).toEqual({ Car: 2, bird: 1, car: 2, dog: 1 });
    expect((await imageOf(project, one)).annotation_revision).toBe(before);
    expect(await found(project, 'class:Car')).toBe(2);
    const log = { workspace: 'acme', project, kind: 'project', limit: 3 };
    const { body } = await client.call(activity.activity_list, log);
    expect(body.entries).toMatchObject([
      { action: 'classes_change', after: { undone: undo } },
      { action: 'classes_change', after: { classes: wanted, change: undo } },
      {},
    ]);
  });

  it('change the places of their classes, and images in the trash are passed over', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Swapped');
    const first = await upload(client, project, 1, { classes: ['a', 'a', 'b'] });
    const second = await upload(client, project, 2, { classes: ['b'] });
    const { changeId = '' } = await change(project, { rename: { a: 'b', b: 'a' } });
    expect(await resultOf(client, changeId)).toMatchObject({ labels: 4, images: 2, emptied: 0 });
    expect(await labelsOf(project, first)).toEqual(['b', 'b', 'a']);
    const input = { workspace: 'acme', project, images: [second] };
    await client.call(images.images_delete, input);
    expect(await changed(project, { undo: changeId })).toMatchObject({ restored: 1, gone: 1 });
    expect(await classesOf(project)).toEqual({ a: 2, b: 1 });
  });

  it('are taken back once a later change is, and then no more', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Two changes');
    await upload(client, project, 1, { classes: ['a'] });
    await upload(client, project, 2, { classes: ['a', 'z'] });
    const { changeId: first = '' } = await change(project, { rename: { a: 'b' } });
    await resultOf(client, first);
    const { changeId: second = '' } = await change(project, { rename: { b: 'c' } });
    await resultOf(client, second);
    const left = { restored: 0, changed: 2 };
    expect(await changed(project, { undo: first })).toMatchObject(left);
    expect(await changed(project, { undo: first })).toMatchObject(left);
    const done = { restored: 2, changed: 0 };
    expect(await changed(project, { undo: second })).toMatchObject(done);
    expect(await changed(project, { undo: first })).toMatchObject(done);
    expect(await classesOf(project)).toEqual({ a: 2, z: 1 });
    expect(await refusal(change(project, { undo: first }))).toMatchObject({
      status: 409,
      message: expect.stringContaining('was taken back already'),
    });
  });

  it('stay where somebody saved the changed labels again', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Saved again');
    const image = await upload(client, project, 1, { classes: ['a'] });
    await upload(client, project, 2, { classes: ['a'] });
    const { changeId = '' } = await change(project, { rename: { a: 'b' } });
    await resultOf(client, changeId);
    const { annotation_revision: made } = await imageOf(project, image);
    await annotate(client, project, image, ['b']);
    expect((await imageOf(project, image)).annotation_revision).toBe(made);
    expect(await changed(project, { undo: changeId })).toMatchObject({ restored: 1, changed: 1 });
    expect(await classesOf(project)).toEqual({ a: 1, b: 1 });
  });

  it('of a version stay as they are', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Frozen');
    await upload(client, project, 1, { classes: ['a'] });
    const at = { workspace: 'acme', project };
    const made = await client.call(versions.versions_generate, {
      ...at,
      preprocessing: {},
      augmentation: {},
    });
    await resultOf(client, String(made.body.taskId));
    await changed(project, { rename: { a: 'b' } });
    const { body } = await client.call(versions.versions_get, { ...at, version: 1 });
    expect(body.version.classes).toEqual(['a']);
  });
});

describe('classes of whole images', () => {
  it('leave an image of a single class open when that is removed', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Single', { type: 'single-label-classification' });
    const [cat, dog] = [await upload(client, project, 1), await upload(client, project, 2)];
    await classify(project, cat, 'cat');
    await classify(project, dog, 'dog');
    const { changeId = '' } = await change(project, { remove: ['cat'], rename: { dog: 'puppy' } });
    expect(await resultOf(client, changeId)).toMatchObject({ labels: 2, images: 2, emptied: 1 });
    expect(await found(project, 'annotated:false')).toBe(1);
    expect(await changed(project, { undo: changeId })).toMatchObject({ restored: 2 });
    expect(await classesOf(project)).toEqual({ cat: 1, dog: 1 });
  });

  it('are said once after a merge, and an image of several may have none', async () => {
    const { client } = platform;
    const project = await createProject(client, 'Several', { type: 'multi-label-classification' });
    const first = await upload(client, project, 1);
    await classify(project, first, 'wet', 'Wet', 'cold');
    const second = await upload(client, project, 2);
    await classify(project, second, 'cold');
    const wanted = { rename: { Wet: 'wet' }, remove: ['cold'] };
    expect(await changed(project, wanted)).toMatchObject({ labels: 3, images: 2, emptied: 1 });
    expect(await classesOf(project)).toEqual({ wet: 1 });
    expect(await found(project, 'annotated:false')).toBe(0);
  });
});

it('refuses what cannot be meant, and says what would be right', async () => {
  const { client } = platform;
  const project = await createProject(client, 'Refused');
  await upload(client, project, 1, { classes: ['platelet'] });
  const wrong = async (wanted: Wanted) => (await refusal(change(project, wanted))).message;
  expect(await wrong({ remove: ['platelets'] })).toContain(
    'remove[0]: no image has the class "platelets"; did you mean "platelet"?',
  );
  expect(await wrong({ rename: { Platelet: 'platelet' } })).toBe(
    'rename.Platelet: no image has the class "Platelet"; "platelet" is there already',
  );
  expect(await wrong({ rename: { platlet: 'x' } })).toBe(
    'rename.platlet: is not known: no image has the class "platlet"; did you mean "platelet"?',
  );
  expect(await wrong({ rename: { plate: 'x' } })).toContain('rename.plate: is not known: no');
  expect(await wrong({ rename: { platelet: 'platelet' } })).toContain('is the name it has');
  expect(await wrong({ rename: { platelet: ' x' } })).toContain('without blanks at its ends');
  expect(await wrong({ rename: { platelet: '__proto__' } })).toContain('must be another name');
  for (const turning of ['\u202e', '\u2067']) {
    expect(await wrong({ rename: { platelet: `a${turning}b` } })).toContain('turn the direction');
  }
  expect(await wrong({ rename: { platelet: 'x' }, remove: ['platelet'] })).toContain(
    '"platelet" is in rename too',
  );
  expect(await wrong({})).toContain('rename: is needed, or remove, or undo');
  expect(await wrong({ rename: {} })).toContain('is needed');
  expect(await wrong({ undo: 'none', dry_run: true })).toContain('dry_run: does not go with undo');
  expect(await refusal(change(project, { undo: 'none' }))).toMatchObject({ status: 404 });
  expect(await classesOf(project)).toEqual({ platelet: 1 });
});
