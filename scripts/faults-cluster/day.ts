// A day's work of one client, deed by deed, in an order by chance.

import { createHash } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { membersOf } from '../../src/json-object.ts';
import { below, type Random } from '../../src/seeded-random.ts';
import { testImage } from '../../test/fixtures/images.ts';
import { call, download } from './calls.ts';
import { type Deed, openDesk, type SigningIn, type Worker } from './deed.ts';
import { type Desk, type DeskImage, noLabels } from './desk.ts';
import { changeKey, makeKey, revokeKey, rollKey } from './key-deeds.ts';
import { sendZip, train } from './long-deeds.ts';
import { signInOnce, workspace } from './sign-in.ts';

/** Opens a desk and works at it until `isOver`; the deed that has begun is done all the same. */
export async function workADay(
  caller: SigningIn,
  name: string,
  random: Random,
  isOver: () => boolean,
): Promise<Desk | undefined> {
  const desk = await openDesk(caller, name);
  if (desk === undefined) return undefined;
  const worker = { ...caller, desk, random };
  while (!isOver()) await (deeds[below(random, deeds.length)] ?? addImage)(worker);
  return desk;
}

export const addImage: Deed = async (worker) => {
  const { desk, random, sight } = worker;
  const shade = below(random, 50_000);
  if (desk.shades.has(shade)) return;
  desk.shades.add(shade);
  const content = await testImage(shade);
  const name = `${shade}.png`;
  const body = new FormData();
  body.set('file', new Blob([Uint8Array.from(content)]), name);
  const labels = below(random, 2) === 0 ? noLabels : someLabels(random);
  if (labels !== noLabels) {
    body.set('annotationFile', yoloOf(labels));
    body.set('annotationName', 'labels.txt');
    body.set('labelmap', JSON.stringify(labelmapOf(labels)));
  }
  const path = `/dataset/${desk.project}/upload?name=${name}&split=train`;
  const answer = await call(worker, { method: 'POST', path, body });
  if (answer === undefined) return;
  const id = String(answer.body.id);
  const shown = await call(worker, { method: 'GET', path: pathOf(desk, id) });
  if (shown === undefined) return;
  const image = membersOf(shown.body.image);
  const hash = createHash('sha256').update(content).digest('hex');
  if (image.hash !== hash) sight.wrong.push(`${desk.project}/${name} has other bytes`);
  desk.images.set(name, {
    name,
    id,
    hash,
    labels,
    mayComeLate: answer.unknown > 0,
    link: String(membersOf(image.urls).original),
    tags: new Set(),
    lateLabels: new Set(),
  });
};

const annotate: Deed = async (worker) => {
  const { desk, random } = worker;
  const image = anyImage(worker);
  if (image === undefined) return;
  const labels = someLabels(random);
  const answer = await call(worker, {
    method: 'POST',
    path: `/dataset/${desk.project}/annotate/${image.id}?name=labels.txt&overwrite=true`,
    body: { annotationFile: yoloOf(labels), labelmap: labelmapOf(labels) },
  });
  if (answer === undefined) return;
  image.labels = labels;
  if (answer.unknown > 0) image.lateLabels.add(labels);
};

const tag: Deed = async (worker) => {
  const { desk, random } = worker;
  const image = anyImage(worker);
  if (image === undefined) return;
  const name = `tag-${below(random, 20)}`;
  const path = `${pathOf(desk, image.id)}/tags`;
  const body = { operation: 'add', tags: [name] };
  if (await call(worker, { method: 'POST', path, body })) image.tags.add(name);
};

/** Whatever was acknowledged is found at once, whichever process is asked. */
const search: Deed = async (worker) => {
  const { desk, sight } = worker;
  const image = anyImage(worker);
  const query = `project:${desk.project} ${image ? `filename:${image.name}` : '*'}`;
  const path = `/${workspace}/search/v1`;
  const answer = await call(worker, { method: 'POST', path, body: { query } });
  if (image === undefined || answer?.body.total === 1) return;
  if (answer) sight.wrong.push(`${query}: found ${answer.body.total}`);
};

const deleteImage: Deed = async (worker) => {
  const { desk, sight } = worker;
  const image = anyImage(worker);
  if (image === undefined || image.mayComeLate) return;
  const path = `/${workspace}/${desk.project}/images`;
  const body = { images: [image.id] };
  // The one that was not answered may have deleted it.
  const answer = await call(worker, { method: 'DELETE', path, body, also: [400] });
  if (answer === undefined) return;
  if (answer.status === 400 && answer.unknown === 0) {
    sight.wrong.push(`an image that is there cannot be deleted: ${answer.body.error}`);
    return;
  }
  desk.images.delete(image.name);
  desk.deleted.push(image);
};

export const makeVersion: Deed = async (worker) => {
  const { desk } = worker;
  if (desk.images.size < 3) return;
  const body = {
    preprocessing: { tile: { rows: 2, columns: 2 } },
    augmentation: { flip: { horizontal: true }, image: { versions: 2 } },
  };
  const path = `/${workspace}/${desk.project}/generate`;
  const answer = await call(worker, { method: 'POST', path, body });
  if (answer === undefined) return;
  desk.unknownVersions += answer.unknown;
  const number = Number(answer.body.version);
  const images = copies * desk.images.size;
  desk.versions.push({ number, taskId: String(answer.body.taskId), images });
};

/** Of each image in a version: two of each of its four parts. */
const copies = 8;

const exportVersion: Deed = async (worker) => {
  const { desk, random, sight } = worker;
  const version = desk.versions[below(random, desk.versions.length)];
  if (version === undefined) return;
  const path = `/${workspace}/${desk.project}/${version.number}/coco`;
  for (;;) {
    const answer = await call(worker, { method: 'GET', path, also: [409] });
    if (answer === undefined) return;
    if (answer.status === 200) {
      const zip = await download(worker, String(membersOf(answer.body.export).link));
      const files = zip && [
        ...new Set(zip.toString('latin1').match(/train\/[^/]+?\.(?:png|jpg)/g)),
      ];
      if (files && files.length !== version.images) {
        sight.wrong.push(`${path}: ${files.length} images of ${version.images}`);
      }
      return;
    }
    // Others wait for workers; this one goes on with its work.
    if (below(random, 3) === 0) return;
    await wait(300);
  }
};

const signIn: Deed = (worker) => signInOnce(worker, worker.application);

/** Each as often as it is done. */
const deeds: readonly Deed[] = [
  ...Array.from({ length: 8 }, () => addImage),
  ...Array.from({ length: 4 }, () => annotate),
  ...Array.from({ length: 4 }, () => search),
  ...[tag, tag, deleteImage, deleteImage, makeVersion, exportVersion, exportVersion],
  ...[
    makeKey,
    makeKey,
    changeKey,
    changeKey,
    rollKey,
    revokeKey,
    signIn,
    sendZip,
    train,
    train,
    train,
  ],
];

function anyImage({ desk, random }: Worker): DeskImage | undefined {
  return [...desk.images.values()][below(random, desk.images.size)];
}

function pathOf({ project }: Desk, imageId: string): string {
  return `/${workspace}/${project}/images/${imageId}`;
}

/** For example `3 things-7`: three boxes of one class. */
function someLabels(random: Random): string {
  return `${below(random, 5) + 1} things-${below(random, 30)}`;
}

function yoloOf(labels: string): string {
  const lines = Array.from({ length: Number.parseInt(labels, 10) }, (_, place) => {
    return `0 0.${place + 2} 0.5 0.2 0.2`;
  });
  return lines.join('\n');
}

function labelmapOf(labels: string) {
  return { 0: labels.split(' ')[1] ?? '' };
}
