// Splits, forks, folders and the trash as a model has them: over MCP, on a platform of its own.

import { resolve } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';

let fovea: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells', public: true };
  await fovea.ok('projects_create', project);
  const files = [resolve('sample/blood-cells/JPEGImages/*.jpg')];
  const sent = await fovea.ok('images_upload', { project: 'cells', files, split: 'train' });
  expect(sent).toMatchObject({ uploaded: 12 });
});

afterAll(() => fovea.close());

async function resultOf(started: Facts): Promise<unknown> {
  const { result } = await fovea.ok('tasks_wait', { taskId: started.taskId });
  return result;
}

it('rebalances, and names the wait as the next call', async () => {
  const splits = { train: 50, valid: 25, test: 25 };
  const { text, data } = await fovea.call('projects_rebalance_splits', {
    project: 'cells',
    splits,
  });
  expect(text).toContain('tasks_wait');
  expect(await resultOf(data)).toMatchObject({
    moved: 6,
    images: 12,
    splits: { train: 6, valid: 3, test: 3 },
  });
  const wrong = await fovea.call('projects_rebalance_splits', {
    project: 'cells',
    splits,
    grouping: 'batch',
  });
  expect(wrong.isError).toBe(true);
  expect(wrong.text).toContain('grouping');
});

it('forks an own project', async () => {
  const started = await fovea.ok('projects_fork', { source_project: 'cells' });
  expect(await resultOf(started)).toMatchObject({ id: 'local/cells-2', images: 12 });
  const both = await fovea.call('projects_fork', { source_project: 'cells', url: 'http://a/b/c' });
  expect(both.isError).toBe(true);
});

it('puts projects into a folder and takes them out', async () => {
  const { id } = await fovea.ok('folders_create', { name: 'Blood', projects: ['cells'] });
  const put = await fovea.call('folders_set_projects', { folderId: id, projects: ['cells-2'] });
  expect(put.text).toContain('Put 1 project into folder');
  const take = { folderId: id, projects: ['cells'], operation: 'remove' };
  expect((await fovea.call('folders_set_projects', take)).text).toContain('Took 1 project out');
  expect(await fovea.ok('folders_list')).toMatchObject({
    data: [{ id, name: 'Blood', projects: ['cells-2'], parent_id: null }],
  });
});

it('finds what was deleted, and brings it back', async () => {
  await fovea.ok('projects_delete', { project: 'cells-2' });
  const { items } = await fovea.ok('trash_list');
  expect(items).toMatchObject([{ type: 'project', name: 'Cells' }]);
  const [item] = Array.isArray(items) ? items : [];
  await fovea.ok('trash_restore', { type: 'project', id: item.id });
  expect(await fovea.ok('projects_get', { project: 'cells-2' })).toMatchObject({
    project: { images: 12 },
  });
  expect(await fovea.ok('trash_list')).toMatchObject({ total: 0 });
});

it('gives what most calls need, and the rest where it is asked for', async () => {
  const project = { project: 'many' };
  await fovea.ok('projects_create', {
    name: 'Many',
    type: 'object-detection',
    annotation: 'cells',
  });
  const files = [resolve('sample/blood-cells/JPEGImages/*.jpg')];
  await fovea.ok('images_upload', { ...project, files });
  const settings = { ...project, preprocessing: {}, augmentation: {} };
  const started = [];
  for (let number = 1; number <= 21; number += 1) {
    started.push(await fovea.ok('versions_generate', { ...settings, versionName: `v${number}` }));
  }
  for (const version of started) await resultOf(version);
  const brief = await fovea.call('projects_get', project);
  expect(brief.text.split('\n')[1]).toBe('21 versions in all; 20 shown; more: detail full');
  expect(brief.data).toMatchObject({
    paging: { total: 21, shown: 20, truncated: true, next: { detail: 'full' } },
    versions: { length: 20, 0: { name: 'v21' } },
  });
  const full = await fovea.call('projects_get', { ...project, detail: 'full' });
  expect(full.text.split('\n')[1]).toBe('21 versions in all; 21 shown; no more');
  expect(full.data).toMatchObject({ versions: { length: 21, 20: { name: 'v1' } } });
  const wrong = await fovea.call('projects_get', { ...project, detail: 'ful' });
  expect(wrong.data).toMatchObject({
    error: { corrected: { arguments: { ...project, detail: 'full' } } },
  });
});

it('renames, merges and removes classes, and takes that back', async () => {
  const files = [resolve('sample/blood-cells/JPEGImages/*.jpg')];
  const annotations = resolve('sample/blood-cells/Annotations');
  const project = { name: 'Classes', type: 'object-detection', annotation: 'cells' };
  await fovea.ok('projects_create', project);
  await fovea.ok('images_upload', { project: 'classes', files, annotations });
  const classes = async () =>
    Object(Object(await fovea.ok('projects_get', { project: 'classes' })).project).classes;
  const before = await classes();
  expect(before).toEqual({ Platelets: 21, RBC: 125, WBC: 13 });
  const change = { project: 'classes', rename: { WBC: 'RBC' }, remove: ['Platelets'] };
  const dry = await fovea.call('classes_change', { ...change, dry_run: true });
  expect(dry.text).toContain(
    '"Platelets" goes (21 labels in 11 images); "WBC" becomes "RBC", merged (13 labels in 12 images). Nothing is changed yet.',
  );
  expect(dry.data.next).toEqual([
    {
      tool: 'classes_change',
      arguments: { ...change, workspace: 'local' },
      why: 'Does it, once the user agreed.',
    },
  ]);
  expect(await classes()).toEqual(before);

  const made = await fovea.call('classes_change', change);
  expect(await resultOf(made.data)).toMatchObject({ labels: 34, images: 12, emptied: 0 });
  expect(await classes()).toEqual({ RBC: 138 });
  const undo = { project: 'classes', undo: made.data.changeId };
  expect(made.data.next).toMatchObject([
    { tool: 'tasks_wait' },
    { tool: 'classes_change', arguments: undo },
  ]);
  const undone = await fovea.call('classes_change', undo);
  expect(undone.text).toContain('Taking it back started as task');
  expect(await resultOf(undone.data)).toMatchObject({ restored: 12, changed: 0, gone: 0 });
  const ended = await fovea.call('tasks_get', { taskId: undone.data.taskId });
  expect(ended.text).toContain('is completed: 12 images as before.');
  const rename = JSON.parse('{"__proto__":"x","WBC":"y"}');
  const named = await fovea.call('classes_change', { project: 'classes', rename });
  expect(named.text).toContain('__proto__: is not allowed as the name of a member');
  expect(await classes()).toEqual(before);
  const wrong = await fovea.call('classes_change', { project: 'classes', remove: ['Platelet'] });
  expect(wrong.isError).toBe(true);
  // Labels of which class go is said by the caller alone.
  expect(wrong.text).toMatch(/did you mean \\?"Platelets\\?"\?/);
  expect(wrong.text).not.toContain('Try:');
});

it('says that a second project of a name is not the first', async () => {
  const again = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  const { text } = await fovea.call('projects_create', again);
  expect(text).toMatch(/Created project "cells-[23]"/);
  expect(text).toContain('has the slug "cells" already: this is a second one');
});
