// What a day on the labelling page needs: projects with real pictures, and many rows without any.

import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import sharp from 'sharp';
import { parsePascalVoc } from '../../src/annotation-formats/pascal-voc.ts';
import { platformMigrations } from '../../src/platform/database/migrations.ts';
import { openDatabase } from '../../src/storage/database.ts';

const sample = join(import.meta.dirname, '../../sample/blood-cells');

export interface LabelledBox {
  readonly class: string;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The labels of the sample, by the names of its pictures. */
export async function labelledBoxes(): Promise<ReadonlyMap<string, readonly LabelledBox[]>> {
  const boxes = new Map<string, readonly LabelledBox[]>();
  for (const name of await pictureNames()) {
    const file = join(sample, 'Annotations', name.replace(/\.jpg$/, '.xml'));
    const { annotation } = parsePascalVoc({
      text: await readFile(file, 'utf8'),
      fileName: name.replace(/\.jpg$/, '.xml'),
      image: { name, width: 640, height: 480 },
      labelmap: undefined,
      projectType: 'object-detection',
    });
    const labelled = annotation.kind === 'detection' ? annotation.boxes : [];
    boxes.set(
      name,
      labelled.map(({ label, x, y, width, height }) => ({
        class: label,
        left: x - width / 2,
        top: y - height / 2,
        width,
        height,
      })),
    );
  }
  return boxes;
}

/** Classes of the sample, by their numbers on a labelling page. */
export const dayClasses = ['RBC', 'WBC', 'Platelets'];
/** Images that are labelled in a day, and of how many objects at most. */
const [dayImagesMax, boxesMax] = [50, 5];

/**
 * What is labelled in a day, by the names of the pictures: objects of a class one after the other.
 * The names say from which picture of the sample each is made.
 */
export async function dayLabels(): Promise<ReadonlyMap<string, readonly LabelledBox[]>> {
  const [names, boxes] = [await pictureNames(), await labelledBoxes()];
  const byClass = (one: LabelledBox, other: LabelledBox) =>
    dayClasses.indexOf(one.class) - dayClasses.indexOf(other.class);
  const days = Array.from({ length: dayImagesMax }, (_, at) => {
    const name = names[at % names.length] ?? '';
    // One label of the sample has no size: nobody could draw it.
    const drawn = (boxes.get(name) ?? []).filter(({ width, height }) => width * height > 0);
    const labels = drawn.slice(0, boxesMax).toSorted(byClass);
    return [`day-${at} of ${name}`, labels] as const;
  });
  return new Map(days);
}

/** The picture of that place in the day. */
export function dayPicture(at: number): Promise<Buffer> {
  return variant(at);
}

/** The projects `day` (50 pictures), `dense` (one, 500 boxes) and `large`, which has one as yet. */
export async function sendProjects(url: string, key: string): Promise<void> {
  const send = sender(url, key);
  for (const name of ['Day', 'Large', 'Dense']) {
    await send('/measured/projects', { name, type: 'object-detection', annotation: 'cells' });
  }
  for (const [at, name] of [...(await dayLabels()).keys()].entries()) {
    await send(`/dataset/day/upload?${new URLSearchParams({ name })}`, await dayPicture(at));
  }
  await send('/dataset/large/upload?name=first.jpg', await variant(0));
  const size = { width: 5472, height: 3648 };
  const noise = { type: 'gaussian', mean: 128, sigma: 30 } as const;
  const large = sharp({ create: { ...size, channels: 3, noise, background: 'black' } });
  const { id } = await send('/dataset/dense/upload?name=dense.jpg', await large.jpeg().toBuffer());
  const annotations = Array.from({ length: 500 }, (_, at) => ({
    id: at,
    image_id: 0,
    category_id: at % 3,
    bbox: [(at % 25) * 215 + 20, Math.floor(at / 25) * 180 + 20, 150, 120],
  }));
  const categories = dayClasses.map((name, at) => ({ id: at, name }));
  const file = { images: [{ id: 0, file_name: 'dense.jpg', ...size }], categories, annotations };
  const annotationFile = JSON.stringify(file);
  await send(`/dataset/dense/annotate/${id}?name=a.json`, { annotationFile });
}

/** Pictures of `large`, which a queue shows before those that were there. */
export async function sendLarge(
  url: string,
  key: string,
  pictures: readonly Buffer[],
): Promise<void> {
  const send = sender(url, key);
  for (const [at, picture] of pictures.entries()) {
    await send(`/dataset/large/upload?name=large-${at}.jpg`, picture);
  }
}

export async function makePictures(count: number): Promise<readonly Buffer[]> {
  const pictures: Buffer[] = [];
  for (let at = 1; at <= count; at += 1) pictures.push(await variant(at));
  return pictures;
}

/** Images of `large` without a file. */
export function addRows(data: string, count: number): void {
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  database.transaction(() => {
    database.run(
      `WITH RECURSIVE numbers (n) AS (
         SELECT 1 WHERE ${count} > 0 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${count})
       INSERT INTO images (id, project_id, batch_id, name, hash, bytes, format, width, height,
         split, metadata, created)
       SELECT printf('%020d', n), projects.id, batches.id, 'IMG_' || n || '.jpg', 'of ' || n, 100,
         'jpeg', 640, 480, 'train', '{}', n
       FROM numbers JOIN projects ON slug = 'large' JOIN batches ON project_id = projects.id`,
    );
    database.run(
      `INSERT INTO image_ordinals (image_id, indexed)
       SELECT id, 0 FROM images WHERE id NOT IN (SELECT image_id FROM image_ordinals)`,
    );
  });
  database.close();
}

async function pictureNames(): Promise<readonly string[]> {
  return (await readdir(join(sample, 'JPEGImages'))).sort();
}

/** A picture of the sample, a little brighter or darker than all others that are made of it. */
async function variant(at: number): Promise<Buffer> {
  const names = await pictureNames();
  const brightness = 0.7 + 0.01 * Math.floor(at / names.length);
  const file = join(sample, 'JPEGImages', names[at % names.length] ?? '');
  return sharp(await readFile(file))
    .modulate({ brightness })
    .jpeg({ quality: 90 })
    .toBuffer();
}

function sender(url: string, key: string) {
  return async (path: string, body: object): Promise<{ id?: string }> => {
    const isFile = Buffer.isBuffer(body);
    const answer = await fetch(url + path, {
      method: 'POST',
      headers: {
        authorization: `Bearer ${key}`,
        'content-type': isFile ? 'application/x-www-form-urlencoded' : 'application/json',
      },
      body: isFile ? body.toString('base64') : JSON.stringify(body),
    });
    const text = await answer.text();
    if (!answer.ok) throw new Error(`${path}: ${text}`);
    return JSON.parse(text);
  };
}
