// What a dry run of versions_generate says, its real run says too: warnings about the project, and
// what strengths amount to.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
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

function routes(): readonly string[] {
  return fixture.requests.map(({ method, path }) => `${method} ${path}`);
}

describe('the time that it takes', () => {
  const all = { ...where, preprocessing: {}, augmentation: {} };
  const measured = { images: 3000, measured: 12, measuredSeconds: 0.4, threads: 2 };
  const estimated = (seconds: object | undefined, more: object = {}) => {
    projectHas({ train: 2000, valid: 500, test: 500 });
    const json = { ...measured, ...more, ...(seconds && { seconds }) };
    fixture.on('POST /acme/cells/estimate', () => ({ json }));
  };

  it.each([true, false])('is a range, and says what it rests on; dry run: %s', async (dry_run) => {
    estimated({ least: 35.1, most: 80.2 });
    const { summary, data } = await fixture.call('versions_generate', { ...all, dry_run });
    const basis = '12 of 3,000 images took 0.4 s on 2 threads';
    expect(summary).toContain(`. It takes 35 to 81 s here: ${basis}.`);
    expect(data.time).toEqual({ seconds_least: 35.1, seconds_most: 80.2, basis });
  });

  it.each([
    [{ least: 0.2, most: 0.9 }, 'up to 1 s'],
    [{ least: 61, most: 140 }, '1 to 3 min'],
    [{ least: 7_300, most: 15_000 }, '2 to 5 h'],
  ])('has the unit of few digits: %o', async (seconds, words) => {
    estimated(seconds);
    const { summary } = await fixture.call('versions_generate', { ...all, dry_run: true });
    expect(summary).toContain(`It takes ${words} here`);
  });

  it.each([
    [2.67, '3 of 3,000 images'],
    [0.2, '1 of 3,000 images'],
  ])('counts whole images: %d', async (some, words) => {
    estimated({ least: 1, most: 2 }, { measured: some });
    const { summary } = await fixture.call('versions_generate', { ...all, dry_run: true });
    expect(summary).toContain(words);
  });

  it('is measured before the version begins', async () => {
    estimated({ least: 1, most: 2 });
    await fixture.call('versions_generate', all);
    expect(routes().slice(-2)).toEqual(['POST /acme/cells/estimate', 'POST /acme/cells/generate']);
  });

  it('is not told where nothing was measured', async () => {
    estimated(undefined, { measured: 0, measuredSeconds: 2 });
    const { summary, data } = await fixture.call('versions_generate', { ...all, dry_run: true });
    expect(summary).not.toContain('It takes');
    expect(data).not.toHaveProperty('time');
  });
});

describe('dry run and real run say the same', () => {
  const both = async (settings: object) => {
    const args = { ...where, preprocessing: {}, augmentation: {}, ...settings };
    const dry = await fixture.call('versions_generate', { ...args, dry_run: true });
    const real = await fixture.call('versions_generate', args);
    expect(real.data.warnings ?? []).toEqual(dry.data.warnings);
    expect(real.data.effects).toEqual(dry.data.effects);
    return real;
  };
  const resize = { width: 640, height: 640, format: 'Stretch to' };

  it('of a project without valid and test images', async () => {
    projectHas({ train: 70, valid: 0, test: 0 });
    const { data, summary } = await both({ preprocessing: { resize } });
    expect(summary).toBe('Version 4 of "cells" is being generated, with 1 warning.');
    expect(data.warnings).toEqual([
      'project has no valid and no test images: projects_rebalance_splits gives it some',
    ]);
  });

  it('of images that nobody annotated', async () => {
    projectHas({ train: 70, valid: 20, test: 10 }, { unannotated: 2 });
    const { data } = await both({ preprocessing: { resize } });
    expect(data.warnings).toEqual([
      'project has 2 images that nobody annotated (annotated:false): they become examples that ' +
        'show nothing',
    ]);
  });

  it('of the area of cutouts', async () => {
    projectHas({ train: 70, valid: 20, test: 10 });
    const augmentation = { cutout: { count: 3, percent: 10 }, image: { versions: 2 } };
    const { data } = await both({ preprocessing: { resize }, augmentation });
    expect(data.effects).toEqual([
      'augmentation.cutout: each of the 3 black pieces has 10 percent of the width and of the ' +
        'height, which is 1 percent of the area; together at most 3 percent of a copy',
    ]);
  });

  it('of what tiles leave of boxes', async () => {
    projectHas({ train: 2, valid: 1, test: 0 });
    const box = (x: number, y: number) => ({ label: 'cell', x, y, width: 40, height: 20 });
    const found = [
      // The second box reaches two pixels into the lower tiles; the first lies in one tile.
      { annotations: { boxes: [box(40, 100), box(50, 232)] }, width: 640, height: 480 },
      { annotations: null, width: 640, height: 480 },
      { annotations: { boxes: 'none' } },
    ];
    const results = found.map((image, index) => ({ id: `i${index}`, ...image }));
    fixture.on('POST /acme/cells/search', () => ({ json: { results } }));
    const { data } = await both({ preprocessing: { resize, tile: { rows: 2, columns: 2 } } });
    expect(data.effects).toEqual([
      'preprocessing.tile: tiles of 320 x 240 pixels; the smallest box in a tile has 40 x 2 ' +
        'pixels (of 2 images looked at, before resize)',
    ]);
    expect(data.warnings).toEqual([
      'preprocessing.tile leaves slivers: 1 of 3 boxes in tiles are cut to less than 4 pixels, ' +
        'the smallest has 40 x 2 pixels (of 2 images looked at); larger tiles cut fewer',
    ]);
    expect(routes()).toContain('POST /acme/cells/search');
  });
});

describe('the next calls of a dry run', () => {
  const nextOf = async (augmentation: object) => {
    projectHas({ train: 70, valid: 0, test: 0 });
    const args = { ...where, preprocessing: {}, augmentation, dry_run: true };
    return (await fixture.call('versions_generate', args)).next ?? [];
  };

  it('begin with what was asked for', async () => {
    const next = await nextOf({ image: { versions: 3 }, flip: { vertical: true } });
    expect(next.map(({ tool }) => tool)).toEqual(['versions_generate']);
  });

  it('begin with copies where augmentation would change nothing', async () => {
    const [copies, asAsked] = await nextOf({ flip: { vertical: true } });
    expect(copies?.arguments).toMatchObject({ augmentation: { image: { versions: 2 } } });
    expect(asAsked?.arguments).not.toHaveProperty('augmentation.image');
  });
});

describe('the filter by tags', () => {
  const preprocessing = { 'filter-tags': { good: true, 'too "dark"': false } };
  const dryRun = async () => {
    projectHas({ train: 70, valid: 20, test: 10 });
    fixture.on('POST /acme/cells/search', () => ({ json: { results: [{ id: 'a' }] } }));
    const args = { ...where, preprocessing, augmentation: {}, dry_run: true };
    return (await fixture.call('versions_generate', args)).data.expected;
  };

  it('has its images counted, split by split', async () => {
    const totals = new Map([
      ['train', 6],
      ['valid', 2],
      ['test', 0],
    ]);
    fixture.on('POST /acme/search/v1', ({ body }) => {
      const { query } = JSON.parse(body);
      const [, split = ''] =
        /^project:cells split:(\w+) tag:"good" -tag:"too \\"dark\\""$/.exec(query) ?? [];
      return { json: { results: [], total: totals.get(split) } };
    });
    expect(await dryRun()).toMatchObject({
      train: { images: 6, certainty: 'exact' },
      valid: { images: 2, certainty: 'exact' },
      test: { images: 0, certainty: 'exact' },
    });
  });

  it('leaves the counts open where the service counts nothing', async () => {
    expect(await dryRun()).toMatchObject({ train: { images: 70, certainty: 'at most' } });
  });
});
