// versions_generate: sends exactly what was given, warns of what is unusual, and tells in a dry run
// what would come of it.

import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;

beforeEach(async () => {
  fixture = await openScriptedService();
  fixture.on('POST /acme/cells/generate', () => ({ json: { message: 'ok', version: 4 } }));
});

afterEach(async () => {
  await fixture.close();
});

const where = { workspace: 'acme', project: 'cells' };

function projectHas(splits: object | undefined, more: object = {}): void {
  const project = { id: 'acme/cells', name: 'Cells', type: 'object-detection', splits, ...more };
  const workspace = { name: 'Acme', url: 'acme' };
  fixture.on('GET /acme/cells', () => ({ json: { workspace, project, versions: [] } }));
}

function boxesAre(numAnnotations: number): void {
  const stats = {
    numImages: 100,
    numAnnotations,
    avgImageSize: [640, 480],
    medianImageRatio: 1.33,
    missingAnnotations: 0,
    nullAnnotations: 0,
    classDistribution: {},
  };
  fixture.on('GET /acme/cells/health', () => ({ json: { health: true, stats } }));
}

function routes(): readonly string[] {
  return fixture.requests.map(({ method, path }) => `${method} ${path}`);
}

describe('what is sent', () => {
  /** The project is read before, for the warnings that a dry run gives. */
  const sent = () => fixture.requests.filter(({ method }) => method === 'POST');

  const bodies = [
    '{"augmentation":{},"preprocessing":{}}',
    '{"preprocessing":{"resize":{"format":"Fit within","height":48,"width":64},"auto-orient":false},' +
      '"versionName":"a","augmentation":{"image":{"versions":3},"flip":{"vertical":true,"horizontal":false},' +
      '"crop":{"max":20.50001,"min":1e-7},"bbblur":{"pixels":0.1},"bbflip":{"vertical":false,"horizontal":true}}}',
    '{"augmentation":{},"preprocessing":{"tile":{"padding":"grey","overlap":0,"tileHeight":9,' +
      '"mode":"fixed_size","tileWidth":8},"remap":{"z":"y","a":"b"},"filter-tags":{"b":true,"a":false}}}',
  ];

  it.each(bodies)('is what was given: %s', async (body) => {
    await fixture.call('versions_generate', { ...where, ...JSON.parse(body) });
    expect(sent().map((request) => request.body)).toContain(body);
  });

  it('is what JSON text says, in its order', async () => {
    const groups = { preprocessing: '{}', augmentation: '{"image":{"versions":2},"mosaic":true}' };
    await fixture.call('versions_generate', { ...where, ...groups });
    expect(sent().at(-1)?.body).toBe(
      '{"preprocessing":{},"augmentation":{"image":{"versions":2},"mosaic":true}}',
    );
  });

  it.each([
    ['flip', { horizontal: true }, { horizontal: true, vertical: false }],
    ['bbflip', { vertical: true }, { vertical: true, horizontal: false }],
    [
      'ninety',
      { 'upside-down': true },
      { 'upside-down': true, clockwise: false, 'counter-clockwise': false },
    ],
    ['brightness', { darken: true, percent: 9 }, { darken: true, percent: 9, brighten: false }],
    ['shear', { vertical: 9 }, { vertical: 9, horizontal: 0 }],
    ['bbcrop', { max: 9 }, { max: 9, min: 0 }],
  ])('has all members of %s, also those that were left out', async (key, given, whole) => {
    const args = { ...where, preprocessing: {}, augmentation: { [key]: given } };
    await fixture.call('versions_generate', args);
    const body = JSON.parse(sent().at(-1)?.body ?? '');
    expect(body.augmentation).toEqual({ [key]: whole });
  });

  it('may have no direction at all, which is warned of', async () => {
    const augmentation = { flip: { horizontal: false, vertical: false } };
    const { data } = await fixture.call('versions_generate', {
      ...where,
      preprocessing: {},
      augmentation,
    });
    expect(JSON.parse(sent().at(-1)?.body ?? '').augmentation).toEqual(augmentation);
    expect(data.warnings).toContain(
      'augmentation.flip has horizontal, vertical all false: it changes nothing',
    );
  });

  it('has no dry_run', async () => {
    const args = { ...where, dry_run: false, preprocessing: {}, augmentation: {} };
    await fixture.call('versions_generate', args);
    expect(sent().at(-1)?.body).toBe('{"preprocessing":{},"augmentation":{}}');
  });

  it('is nothing when something is wrong, and all of it is named', async () => {
    const error = await fixture.refused('versions_generate', {
      ...where,
      dry_run: 'yes',
      versionname: 'a',
      preprocessing: { tile: { rows: 2 } },
      augmentation: { bbhue: { degrees: 5 }, crop: { min: 9, max: 8 } },
    });
    expect(error.problems).toEqual([
      {
        path: 'preprocessing.tile.columns',
        message: 'is required with rows and columns (an integer).',
      },
      { path: 'augmentation.crop.min', message: 'must be at most max (8), got 9' },
      {
        path: 'augmentation.bbhue',
        message: 'is not known; "hue" has no form for boxes, only for the whole image',
      },
      { path: 'dry_run', message: 'expected true or false, got the string "yes"' },
      {
        path: 'versionname',
        message: 'is not known; did you mean "versionName"?',
        fix: { kind: 'rename', to: 'versionName' },
      },
    ]);
    expect(fixture.requests).toEqual([]);
  });
});

describe('warnings', () => {
  const rotated = {
    ...where,
    preprocessing: {},
    augmentation: { rotate: { degrees: 60 }, image: { versions: 2 } },
  };
  const unusual =
    'augmentation.rotate.degrees is 60: customary are 0 to 45 degrees; corners turn black and ' +
    'boxes grow far beyond their objects';

  it('come from the tool where the platform has none', async () => {
    const { summary, data } = await fixture.call('versions_generate', rotated);
    expect(summary).toBe('Version 4 of "cells" is being generated, with 1 warning.');
    expect(data).toEqual({ message: 'ok', version: 4, warnings: [unusual] });
  });

  it('come once where both have the same, and those of the platform stay', async () => {
    const json = { version: 4, warnings: [unusual, 'of the platform'] };
    fixture.on('POST /acme/cells/generate', () => ({ json }));
    const { summary, data } = await fixture.call('versions_generate', rotated);
    expect(summary).toBe('Version 4 of "cells" is being generated, with 2 warnings.');
    expect(data.warnings).toEqual([unusual, 'of the platform']);
  });

  it('are none where nothing is unusual', async () => {
    const args = { ...where, preprocessing: {}, augmentation: {} };
    const { summary, data } = await fixture.call('versions_generate', args);
    expect(summary).toBe('Version 4 of "cells" is being generated.');
    expect(data).toEqual({ message: 'ok', version: 4 });
  });
});

describe('dry_run', () => {
  const resize = { width: 640, height: 640, format: 'Stretch to' };

  it('reads the project, sends nothing, and tells settings, warnings and counts', async () => {
    projectHas({ train: 70, valid: 20, test: 10 });
    const settings = {
      preprocessing: { resize, 'auto-orient': true },
      augmentation: { image: { versions: 3 }, flip: { vertical: true }, blur: { pixels: 0 } },
    };
    const result = await fixture.call('versions_generate', {
      ...where,
      ...settings,
      dry_run: true,
    });
    expect(routes()).toEqual(['GET /acme/cells', 'POST /acme/cells/estimate']);
    expect(result.summary).toBe(
      'Dry run, nothing was sent: the version of "cells" would have 140 train, 20 valid, ' +
        '10 test images, with 2 warnings.',
    );
    expect(result.data).toEqual({
      dry_run: true,
      expected: {
        train: { images: 140, certainty: 'exact', because: [] },
        valid: { images: 20, certainty: 'exact', because: [] },
        test: { images: 10, certainty: 'exact', because: [] },
        total: { images: 170, certainty: 'exact', because: [] },
      },
      warnings: [
        'augmentation.blur.pixels is 0: this step changes nothing',
        'augmentation.image.versions is 3, but the chosen augmentations give at most 2 different ' +
          'images from one: no more are made',
      ],
      settings: {
        preprocessing: { 'auto-orient': true, resize },
        augmentation: { flip: { horizontal: false, vertical: true }, image: { versions: 3 } },
      },
    });
    expect(result.next).toEqual([
      {
        tool: 'versions_generate',
        arguments: {
          ...where,
          ...settings,
          augmentation: { ...settings.augmentation, flip: { vertical: true, horizontal: false } },
        },
        why: 'Generates it.',
      },
    ]);
  });

  it('reads the number of boxes where isolate needs it', async () => {
    projectHas({ train: 75, valid: 25, test: 0 });
    boxesAre(800);
    const { summary, data } = await fixture.call('versions_generate', {
      ...where,
      versionName: 'objects',
      preprocessing: { isolate: true, resize },
      augmentation: {},
      dry_run: true,
    });
    expect(routes()).toEqual([
      'GET /acme/cells',
      'GET /acme/cells/health',
      'POST /acme/cells/estimate',
    ]);
    expect(summary).toContain('about 600 train, about 200 valid, 0 test images.');
    expect(data).toMatchObject({ settings: { versionName: 'objects' }, warnings: [] });
  });

  it('warns of isolate where there are no boxes', async () => {
    projectHas({ train: 2, valid: 1, test: 0 });
    boxesAre(0);
    const args = { ...where, preprocessing: { isolate: true, resize }, augmentation: {} };
    const { data } = await fixture.call('versions_generate', { ...args, dry_run: true });
    expect(data.warnings).toEqual(['preprocessing.isolate needs boxes; the project has none']);
  });

  it('tells once that resize is missing', async () => {
    projectHas({ train: 1, valid: 1, test: 0 });
    boxesAre(3);
    const args = { ...where, preprocessing: { isolate: true }, augmentation: {}, dry_run: true };
    const { data } = await fixture.call('versions_generate', args);
    expect(data.warnings).toEqual([
      'preprocessing.resize is missing: isolate and mosaic make images of many sizes',
    ]);
  });

  it('says what it cannot know', async () => {
    projectHas({ train: 75, valid: 25, test: 0 });
    const tile = {
      mode: 'fixed_aspect',
      aspectRatio: 1,
      span: 'width',
      overlap: 0,
      padding: 'black',
    };
    const { summary, data } = await fixture.call('versions_generate', {
      ...where,
      preprocessing: { tile, resize },
      augmentation: {},
      dry_run: true,
    });
    expect(summary).toContain('unknown train, unknown valid, 0 test images.');
    expect(data.expected).toMatchObject({
      total: {
        images: null,
        certainty: 'unknown',
        because: ['tile by fixed_aspect depends on the size of each image'],
      },
    });
  });

  it.each([
    [
      { train: 0, valid: 0, test: 0 },
      'project has no images: a version needs at least one',
      '0 train, 0 valid, 0 test images, with 1 warning.',
    ],
    [
      { valid: 3 },
      'project has no train images: augmentation works on none',
      '0 train, 3 valid, 0 test images, with 1 warning.',
    ],
  ])('warns of a project with %j', async (splits, warning, figures) => {
    projectHas(splits);
    const augmentation = { mosaic: true, image: { versions: 3 } };
    const args = { ...where, preprocessing: { resize }, augmentation, dry_run: true };
    const { summary, data } = await fixture.call('versions_generate', args);
    expect(data.warnings).toEqual([warning]);
    expect(summary).toContain(figures);
  });

  it('warns that sizes stay, and of the cap of the plan', async () => {
    projectHas({ train: 1, valid: 1, test: 0 });
    const augmentation = { hue: { degrees: 9 }, image: { versions: 60 } };
    const args = { ...where, preprocessing: {}, augmentation, dry_run: true };
    const { summary, data, next } = await fixture.call('versions_generate', args);
    expect(summary).toBe(
      'Dry run, nothing was sent: the platform would refuse it: ' +
        'augmentation.image.versions is 60; 50 is the most.',
    );
    expect(next).toEqual([]);
    expect(data.expected).toBeNull();
    expect(data.warnings).toEqual([
      'augmentation.image.versions is 60; 50 is the most',
      'augmentation.image.versions is 60: customary are 1 to 50 images; generation fails above ' +
        'the cap of the plan, on the embedded platform 50 unless set otherwise',
      'preprocessing.resize is missing: images keep their sizes',
    ]);
  });

  it('knows its own cap, and none of a hosted platform', async () => {
    projectHas({ train: 1, valid: 1, test: 0 });
    const augmentation = { hue: { degrees: 9 }, image: { versions: 9 } };
    const args = { ...where, preprocessing: { resize }, augmentation, dry_run: true };
    const own = { ...fixture.context.settings, versionMultiplierMax: 5 };
    const { data } = await fixture.call('versions_generate', args, { settings: own });
    expect(data.warnings).toEqual(['augmentation.image.versions is 9; 5 is the most']);
    const hosted = { ...own, baseUrl: 'https://api.example.com' };
    const answer = await fixture.call('versions_generate', args, { settings: hosted });
    expect(answer.data.warnings).toEqual([]);
  });

  it('says that more tiles than an image may have are refused', async () => {
    projectHas({ train: 1, valid: 1, test: 0 });
    const preprocessing = { resize, tile: { rows: 101, columns: 100 } };
    const args = { ...where, preprocessing, augmentation: {}, dry_run: true };
    const { summary } = await fixture.call('versions_generate', args);
    expect(summary).toContain('preprocessing.tile makes 10100 of each image; 10000 is the most');
  });

  it('warns of what the project does not have', async () => {
    const splits = { train: 4, valid: 1, test: 0 };
    projectHas(splits, { type: 'classification', classes: { RBC: 3, WBC: 1 } });
    const { summary, data } = await fixture.call('versions_generate', {
      ...where,
      preprocessing: { isolate: true, resize, remap: { rbc: 'red', WBC: 'white' } },
      augmentation: { bbblur: { pixels: 2 }, image: { versions: 2 } },
      dry_run: true,
    });
    expect(data.warnings).toEqual([
      'preprocessing.remap names "rbc": the project has no such class',
      'preprocessing.isolate needs boxes; a classification project has none',
      'augmentation.bbblur needs boxes; a classification project has none',
    ]);
    expect(summary).toContain('about 0 train, about 0 valid, 0 test images');
    expect(routes()).toEqual(['GET /acme/cells', 'POST /acme/cells/estimate']);
  });

  it('gives no counts where the platform tells none', async () => {
    projectHas(undefined);
    const args = { ...where, preprocessing: { resize }, augmentation: {}, dry_run: true };
    const { summary, data } = await fixture.call('versions_generate', args);
    expect(summary).toContain('would have a number of images that the platform does not tell.');
    expect(data.expected).toBeNull();
  });

  it('warns where there are no splits to judge by, and proposes no change of them', async () => {
    projectHas({ train: 5, valid: 0, test: 0 });
    const args = { ...where, preprocessing: { resize }, augmentation: {} };
    const { data, next } = await fixture.call('versions_generate', { ...args, dry_run: true });
    expect(data.warnings).toEqual([
      'project has no valid and no test images: projects_rebalance_splits gives it some',
    ]);
    expect(next).toMatchObject([{ tool: 'versions_generate', arguments: args }]);
    expect(next).toHaveLength(1);
  });

  it.each([
    [true, 'images_search'],
    [false, 'versions_generate'],
  ])('warns of a tag that no image has, marked %j', async (wanted, next) => {
    projectHas({ train: 5, valid: 1, test: 0 });
    fixture.on('POST /acme/cells/search', ({ body }) => {
      const isThere = JSON.parse(body).tag === 'night';
      return { json: { results: isThere ? [{ id: 'i' }] : [] } };
    });
    const preprocessing = { resize, 'filter-tags': { night: true, ckd: wanted } };
    const args = { ...where, preprocessing, augmentation: {}, dry_run: true };
    const answer = await fixture.call('versions_generate', args);
    expect(answer.data.warnings).toEqual([
      'preprocessing.filter-tags names "ckd": no image has such a tag',
    ]);
    expect(answer.next).toMatchObject([{ tool: next }]);
  });

  it('fails for a project that is not there', async () => {
    const args = { ...where, preprocessing: {}, augmentation: {}, dry_run: true };
    const error = await fixture.refused('versions_generate', args);
    expect(error.code).toBe('not_found');
    expect(routes()).toEqual(['GET /acme/cells']);
  });
});

describe('over MCP, on the embedded platform', () => {
  let fovea: Fovea;

  beforeAll(async () => {
    fovea = await launchFovea();
    const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
    await fovea.ok('projects_create', project);
    await fovea.ok('images_upload', {
      project: 'cells',
      files: ['sample/blood-cells/JPEGImages'],
      annotations: 'sample/blood-cells/Annotations',
      split: 'train',
    });
  });

  afterAll(() => fovea.close());

  const refused = readFileSync('test/contract/version-settings.vectors.jsonl', 'utf8')
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
    .filter((vector, index) => vector.refused && index % 29 === 0);

  it.each(refused)('refuses $settings', async ({ settings, refused: problems }) => {
    const groups = { preprocessing: {}, augmentation: {} };
    const args = { project: 'cells', dry_run: true, ...groups, ...settings };
    const { isError, text, data } = await fovea.call('versions_generate', args);
    expect(isError).toBe(true);
    for (const path of Object.keys(problems)) expect(text).toContain(`${path}: `);
    expect(data.error).toMatchObject({ code: 'invalid_input' });
  });

  const resize = { width: 32, height: 32, format: 'Stretch to' };
  const flip = { horizontal: true, vertical: true };

  it.each([
    {
      what: 'copies',
      augmentation: { flip: { horizontal: true }, image: { versions: 2 } },
      images: 24,
      certainty: 'exact',
      made: 24,
    },
    {
      what: 'more copies than there are',
      augmentation: { flip, image: { versions: 9 } },
      images: 48,
      certainty: 'exact',
      made: 48,
    },
    {
      what: 'tiles',
      preprocessing: { tile: { rows: 2, columns: 2 } },
      augmentation: { mosaic: true, image: { versions: 2 } },
      images: 96,
      certainty: 'exact',
      made: 96,
    },
    {
      what: 'objects, two of them without an area',
      preprocessing: { isolate: true },
      images: 159,
      certainty: 'at most',
      made: 157,
    },
    {
      what: 'a filter',
      preprocessing: { 'filter-null': { percent: 100 } },
      images: 12,
      certainty: 'at most',
      made: 12,
    },
  ])('tells in a dry run what generation then gives: $what', async (row) => {
    const { preprocessing = {}, augmentation = {}, images, certainty, made } = row;
    const settings = {
      project: 'cells',
      preprocessing: { ...preprocessing, resize },
      augmentation,
    };
    const before = await fovea.ok('projects_get', { project: 'cells' });
    const dry = await fovea.ok('versions_generate', { ...settings, dry_run: true });
    expect(dry.expected).toMatchObject({ train: { images, certainty }, total: { images } });
    expect(await fovea.ok('projects_get', { project: 'cells' })).toEqual(before);
    const { taskId, version: number } = await fovea.ok('versions_generate', settings);
    await fovea.ok('tasks_wait', { taskId });
    const { version } = await fovea.ok('versions_get', { project: 'cells', version: number });
    expect(version).toMatchObject({ splits: { train: made, valid: 0, test: 0 } });
  });
});
