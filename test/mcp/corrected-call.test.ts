// A refused call comes with the call that would have been right, and that one works.

import { afterAll, beforeAll, expect, test } from 'vitest';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';

let fovea: Fovea;
let compact: Fovea;

beforeAll(async () => {
  fovea = await launchFovea();
  compact = await launchFovea({ FOVEA_SURFACE: 'compact' });
  for (const host of [fovea, compact]) await host.ok('projects_create', named('Cells'));
});

afterAll(async () => {
  await fovea.close();
  await compact.close();
});

function named(name: string): Facts {
  return { name, type: 'object-detection', annotation: 'cells' };
}

const cells = { project: 'cells' };

test.each<[string, string, Facts, Facts]>([
  [
    'a misspelt argument that is required',
    'projects_create',
    { nam: 'One', type: 'object-detection', annotation: 'cells' },
    named('One'),
  ],
  [
    'a misspelt value',
    'projects_create',
    { ...named('Two'), type: 'object-detecton' },
    named('Two'),
  ],
  ['a number as text', 'images_search', { ...cells, limit: '5' }, { ...cells, limit: 5 }],
  [
    'a number that is too high',
    'images_search',
    { ...cells, limit: 999 },
    { ...cells, limit: 250 },
  ],
  [
    'a list of one without brackets',
    'images_search',
    { ...cells, fields: 'name' },
    {
      ...cells,
      fields: ['name'],
    },
  ],
  [
    'two mistakes, one of them deep inside',
    'versions_generate',
    { ...cells, preprocesing: {}, augmentation: { flip: { horizontl: true } }, dry_run: true },
    { ...cells, preprocessing: {}, augmentation: { flip: { horizontal: true } }, dry_run: true },
  ],
])('%s', async (_name, tool, wrong, right) => {
  const { isError, data, text } = await fovea.call(tool, wrong);
  expect([isError, data]).toMatchObject([
    true,
    { error: { corrected: { tool, arguments: right } } },
  ]);
  expect(text).toMatch(new RegExp(`^Try: ${tool} `, 'm'));
  expect(await fovea.call(tool, right)).toMatchObject({ isError: false });
});

test('through the compact surface, the corrected call is one of that surface', async () => {
  const wrong = { nam: 'Shared' };
  const { data, text } = await compact.call('operations_write', {
    ...{ operation: 'folders_create', arguments: wrong },
  });
  const right = { operation: 'folders_create', arguments: { name: 'Shared' } };
  expect(data).toMatchObject({
    error: { corrected: { tool: 'operations_write', arguments: right } },
  });
  expect(text).toContain(`Try: operations_write ${JSON.stringify(right)}`);
  expect(await compact.call('operations_write', right)).toMatchObject({ isError: false });
});

test.each<[string, string, Facts]>([
  ['what is missing is not known', 'projects_create', { name: 'Three' }],
  ['one of two mistakes has no certain end', 'images_search', { ...cells, limt: 5, zzz: 1 }],
  ['both names were given', 'projects_create', { ...named('Four'), nam: 'Other' }],
  ['the call is long', 'projects_create', { ...named('x'.repeat(3_000)), nam: 'Five' }],
  [
    'what cannot be undone needs its name',
    'images_delete',
    {
      ...{ ...cells, images: ['a'], confirm: 'cell' },
    },
  ],
])('there is none where %s', async (_name, tool, wrong) => {
  const { isError, data, text } = await fovea.call(tool, wrong);
  expect([isError, text]).toEqual([true, expect.not.stringContaining('Try:')]);
  expect(data).not.toHaveProperty('error.corrected');
});
