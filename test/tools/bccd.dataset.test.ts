// The whole BCCD dataset through MCP tools. Runs where its archive is
// (test/fixtures/bccd.ts). Elsewhere it says that it did not run.

import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { bccdArchive } from '../fixtures/bccd.ts';
import { type Facts, type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { readZip, unzip } from '../fixtures/read-zip.ts';

const published = { Platelets: 361, RBC: 4155, WBC: 372 };

const isThere = existsSync(bccdArchive);
if (!isThere) process.stderr.write('DID NOT RUN: the BCCD test; FOVEA_BCCD names no bccd.zip.\n');

describe.skipIf(!isThere)('the whole BCCD dataset', () => {
  let fovea: Fovea;
  let dataset: string;

  beforeAll(async () => {
    dataset = await realpath(await mkdtemp(join(tmpdir(), 'fovea-bccd-')));
    await unzip(bccdArchive, dataset);
    fovea = await launchFovea({ FOVEA_FILE_ROOTS: dataset });
  });

  afterAll(async () => {
    await fovea.close();
    await rm(dataset, { recursive: true, force: true });
  });

  it('goes in whole, and comes out as COCO with the same counts', {
    timeout: 240_000,
  }, async () => {
    await fovea.ok('projects_create', {
      name: 'BCCD',
      type: 'object-detection',
      annotation: 'cells',
    });
    const uploads = [
      ...(await uploadSplit(fovea, dataset, 'train', 'train')),
      ...(await uploadSplit(fovea, dataset, 'valid', 'val')),
      ...(await uploadSplit(fovea, dataset, 'test', 'test')),
    ];
    expect(sum(uploads, 'uploaded')).toBe(364);
    expect(sum(uploads, 'annotated')).toBe(364);
    const warnings = JSON.stringify(uploads.map(({ warnings }) => warnings));
    expect(warnings).toContain('BloodImage_00338');
    expect(warnings).toContain('BloodImage_00343');
    expect(warnings.match(/no area|zero width/g)).toHaveLength(2);

    const health = await fovea.ok('projects_health', { project: 'bccd' });
    expect(health.stats).toMatchObject({
      numImages: 364,
      numAnnotations: 4888,
      avgImageSize: [640, 480],
      missingAnnotations: 0,
      classDistribution: published,
    });
    const { project } = await fovea.ok('projects_get', { project: 'bccd' });
    expect(project).toMatchObject({ splits: { train: 205, valid: 87, test: 72 } });

    const { version } = await fovea.ok('versions_generate', {
      project: 'bccd',
      preprocessing: { 'auto-orient': true },
      augmentation: {},
    });
    await waitFor(fovea, { project: 'bccd', version });
    const target = join(dataset, 'bccd-coco.zip');
    await fovea.ok('versions_export', {
      project: 'bccd',
      version,
      format: 'coco',
      save_to: target,
    });
    const files = await readZip(target);
    const counts = { train: 205, valid: 87, test: 72 };
    const classes: Record<string, number> = {};
    for (const [split, images] of Object.entries(counts)) {
      const coco = JSON.parse(String(files.get(`${split}/_annotations.coco.json`)));
      expect(coco.images).toHaveLength(images);
      for (const image of coco.images) expect(files.has(`${split}/${image.file_name}`)).toBe(true);
      for (const { category_id } of coco.annotations) {
        const { name } = coco.categories.find(({ id }: { id: number }) => id === category_id);
        classes[name] = (classes[name] ?? 0) + 1;
      }
    }
    expect(classes).toEqual(published);
  });

  it('augments three times over: counts by the rules, boxes inside, the same bytes twice', {
    timeout: 240_000,
  }, async () => {
    const settings = {
      project: 'bccd',
      preprocessing: { resize: { width: 256, height: 256, format: 'Stretch to' } },
      augmentation: {
        flip: { horizontal: true, vertical: true },
        rotate: { degrees: 15 },
        blur: { pixels: 2.5 },
        brightness: { brighten: true, darken: true, percent: 20 },
        crop: { min: 0, max: 20 },
        cutout: { count: 3, percent: 10 },
        mosaic: true,
        image: { versions: 3 },
      },
    };
    const dry = await fovea.ok('versions_generate', { ...settings, dry_run: true });
    expect(dry.expected).toMatchObject({
      train: { images: 615 },
      valid: { images: 87 },
      test: { images: 72 },
    });
    const first = await exported(fovea, settings, join(dataset, 'augmented.zip'));
    const again = await exported(fovea, settings, join(dataset, 'augmented-again.zip'));

    const counts = { train: 615, valid: 87, test: 72 };
    for (const [split, images] of Object.entries(counts)) {
      const coco = JSON.parse(String(first.get(`${split}/_annotations.coco.json`)));
      expect(coco.images).toHaveLength(images);
      for (const { width, height } of coco.images) expect([width, height]).toEqual([256, 256]);
      for (const { bbox } of coco.annotations) {
        const [left, top, width, height] = bbox;
        expect(Math.min(left, top, width, height)).toBeGreaterThanOrEqual(0);
        expect(Math.max(left + width, top + height)).toBeLessThanOrEqual(256.000001);
      }
    }
    const pictures = [...first.keys()].filter((name) => name.endsWith('.jpg'));
    expect(pictures).toHaveLength(774);
    for (const name of pictures) expect(hashOf(again.get(name))).toBe(hashOf(first.get(name)));
    // No two pictures of a version are the same.
    expect(new Set(pictures.map((name) => hashOf(first.get(name)))).size).toBe(774);
  });
});

/** The files of the COCO export of a new version. */
async function exported(fovea: Fovea, settings: Facts, target: string) {
  const { version } = await fovea.ok('versions_generate', settings);
  await waitFor(fovea, { project: 'bccd', version });
  const wanted = { project: 'bccd', version, format: 'coco', save_to: target };
  for (let ready = false; !ready; ) {
    ready = (await fovea.ok('versions_export', wanted)).ready === true;
  }
  return readZip(target);
}

function hashOf(bytes: Buffer | undefined): string {
  return createHash('sha256')
    .update(bytes ?? '')
    .digest('hex');
}

async function uploadSplit(fovea: Fovea, dataset: string, split: string, list: string) {
  const answers: Facts[] = [];
  for (let offset = 0, remaining = 1; remaining > 0; ) {
    const answer = await fovea.ok('images_upload', {
      project: 'bccd',
      files: [join(dataset, 'BCCD/JPEGImages/*.jpg')],
      annotations: join(dataset, 'BCCD/Annotations'),
      list: join(dataset, `BCCD/ImageSets/Main/${list}.txt`),
      split,
      offset,
    });
    answers.push(answer);
    expect(answer.failed ?? []).toEqual([]);
    remaining = Number(answer.remaining);
    offset += Number(answer.uploaded) + Number(answer.duplicates);
  }
  return answers;
}

async function waitFor(fovea: Fovea, what: Facts): Promise<void> {
  for (let done = false; !done; ) done = (await fovea.ok('tasks_wait', what)).done === true;
}

function sum(answers: readonly Facts[], member: string): number {
  return answers.reduce((total, answer) => total + Number(answer[member]), 0);
}
