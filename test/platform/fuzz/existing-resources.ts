// What there is in the platform while it is fuzzed: the ids that requests name.

import * as z from 'zod';
import { testImage } from '../../fixtures/images.ts';
import type { Known } from './values.ts';

export interface World {
  readonly known: Known;
  /** Makes a new project with images, labels, a version and more; its ids are the newest. */
  renew(): Promise<void>;
  /** Takes the ids out of an answer. */
  learn(text: string): void;
}

/** A picture of one pixel. */
const tinyPng =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';

/** How many ids of one name are remembered; the newest come first. */
const keptMax = 8;

/** The members of answers whose values are ids for these names. */
const meanings: Readonly<Record<string, readonly string[]>> = {
  taskId: ['taskId'],
  keyId: ['keyId'],
  folderId: ['folderId', 'groupId', 'folderIds', 'parent_id'],
  jobId: ['jobId', 'annotation_job_id'],
  job_id: ['job_id', 'jobId'],
  batchId: ['batchId', 'batch_id', 'batch', 'sourceBatch'],
  imageId: ['imageId', 'like_image', 'images', 'imageIds', 'approve', 'reject'],
  trainingId: ['trainingId'],
  link: ['taskId'],
  sourceId: ['sourceId', 'inputSourceId'],
  workflow: ['workflow'],
  nextCursor: ['cursor'],
  continuationToken: ['continuationToken'],
  inference_id: ['inference_ids', 'inference_id', 'inferenceIds'],
  input_url: ['input_url'],
  signed_url: ['input_url'],
};

/** Names that `renew` gives beside those of answers. */
const own: Readonly<Record<string, readonly string[]>> = {
  project: ['project', 'projects', 'dataset', 'source_project'],
};

/** Values that no schema tells, and without which most of a family would be refused. */
const plausible: Readonly<Record<string, string[]>> = {
  scopes: ['project:read', 'image:read'],
  modelId: ['local', 'cells/1'],
  modelType: ['fovea-example', 'rfdetr-small'],
  fields: ['id', 'name', 'labels', 'annotations', 'url', 'embedding', 'width', 'split'],
  query: ['*', 'class:RBC>=1', 'tag:night OR split:train', 'RBC sort:name-asc', '-class:RBC'],
  q: ['cells', 'class:RBC images>1', 'sort:name'],
  image_base64: [tinyPng],
  annotationFile: ['0 0.5 0.5 0.2 0.2', 'RBC', '0 0.1 0.1 0.2 0.2\n1 0.5 0.5 0.1 0.1'],
  file_name: ['clip.mp4', 'clip.webm'],
  timestamp: [new Date().toISOString()],
  startTime: ['2026-11-20 00:00:00'],
  endTime: ['2026-11-25 00:00:00'],
  metadata: ['{"line": 4}'],
  labelerEmail: ['ada@example.com'],
  reviewerEmail: ['bob@example.com'],
  eventId: ['11111111-2222-4333-8444-555555555555'],
  type: ['project', 'version', 'workflow'],
};

const formats = ['coco', 'yolov8', 'voc', 'createml', 'folder', 'csv'];

/** A platform, and a credential of it for everything in one workspace. */
export interface Place {
  readonly url: string;
  readonly key: string;
  /** `acme` unless given. */
  readonly workspace?: string;
}

export function createWorld({ url, key, workspace = 'acme' }: Place): World {
  const ids = new Map<string, string[]>([
    ['workspace', [...Array.from({ length: 18 }, () => workspace), 'initech', 'nobody']],
    ['format', formats],
    ...Object.entries(plausible),
  ]);
  /** What the newest world has: most requests are about it. */
  const newest = new Map<string, string[]>();
  const add = (name: string, value: string) => {
    for (const one of meanings[name] ?? own[name] ?? [name]) {
      const list = (ids.get(one) ?? []).filter((other) => other !== value);
      ids.set(one, [value, ...list].slice(0, keptMax));
    }
  };
  const addNewest = (name: string, value: string) => {
    add(name, value);
    for (const one of meanings[name] ?? own[name] ?? [name]) {
      newest.set(one, [...(newest.get(one) ?? []), value]);
    }
  };
  const learn = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return;
    for (const [name, member] of Object.entries(value)) {
      const isId = typeof member === 'string' && member.length > 0 && member.length < 400;
      if (isId && Object.hasOwn(meanings, name)) add(name, member);
      else learn(member);
    }
  };
  const post = async (path: string, body: object, method = 'POST') => {
    const isForm = body instanceof FormData;
    const answer = await fetch(url + path, {
      method,
      headers: {
        authorization: `Bearer ${key}`,
        ...(!isForm && { 'content-type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    });
    return anAnswer.parse(await answer.json().catch(() => ({})));
  };
  return {
    known: (name) => {
      const here = newest.get(name) ?? [];
      const often = Array.from({ length: here.length === 0 ? 0 : 16 }, () => here).flat();
      return [...(ids.get(name) ?? []), ...often];
    },
    learn: (text) => {
      if (text.length < 200_000 && text.startsWith('{')) learn(parsed(text));
    },
    renew: () => {
      newest.clear();
      return fill({ url, key, workspace, post, add: addNewest });
    },
  };
}

interface Filling {
  readonly url: string;
  readonly key: string;
  readonly workspace: string;
  post(path: string, body: object): Promise<z.output<typeof anAnswer>>;
  add(name: string, value: string): void;
}

/** Makes something of every kind, and tells the ids of it. */
async function fill({ url, key, workspace, post, add }: Filling): Promise<void> {
  const made = await post(`/${workspace}/projects`, {
    name: 'cells',
    type: 'object-detection',
    annotation: 'cells',
    public: true,
  });
  const slug = String(made.id).replace(`${workspace}/`, '');
  add('project', slug);
  for (const shade of [1, 2, 3]) {
    const form = new FormData();
    form.set('file', new Blob([Uint8Array.from(await testImage(shade))]), `p${shade}.png`);
    form.set('batch', 'first');
    const image = await post(`/dataset/${slug}/upload`, form);
    add('imageId', String(image.id));
    if (shade === 3) continue;
    await post(`/dataset/${slug}/annotate/${image.id}?name=a.txt`, {
      annotationFile: '0 0.5 0.5 0.2 0.2',
      labelmap: { 0: 'RBC' },
    });
  }
  const answer = await fetch(`${url}/${workspace}/${slug}/batches`, {
    headers: { authorization: `Bearer ${key}` },
  });
  const [batch] = someBatches.parse(await answer.json()).batches;
  add('batchId', String(batch?.id));
  const job = await post(`/${workspace}/${slug}/jobs`, {
    name: 'a job',
    batch: batch?.id,
    num_images: 1,
    labelerEmail: 'ada@example.com',
    reviewerEmail: 'bob@example.com',
  });
  add('jobId', String(job.id));
  const exported = await post(`/${workspace}/search/export`, {
    query: '*',
    format: 'coco',
    dataset: slug,
  });
  add('taskId', String(exported.taskId));
  const zip = await post(`/${workspace}/${slug}/upload/zip`, {});
  add('taskId', String(zip.taskId));
  const workflow = await post(`/${workspace}/workflows`, { name: `flow of ${slug}`, config: {} });
  add('workflow', String(workflow.url ?? workflow.id));
  const version = await post(`/${workspace}/${slug}/generate`, {
    preprocessing: {},
    augmentation: {},
  });
  add('version', String(version.version));
  add('taskId', String(version.taskId));
  const folder = await post(`/${workspace}/groups`, {
    name: `folder of ${slug}`,
    projects: [slug],
  });
  add('folderId', String(folder.id));
  const useCase = await post('/vision-events/use-cases', { name: `use of ${slug}` });
  add('useCaseId', String(useCase.id));
  const apiKey = await post(`/${workspace}/api-keys`, { name: 'a key', scopes: ['project:read'] });
  add('keyId', String(apiKey.keyId));
}

const anAnswer = z.looseObject({
  id: z.unknown().optional(),
  keyId: z.unknown().optional(),
  taskId: z.unknown().optional(),
  url: z.unknown().optional(),
  version: z.unknown().optional(),
});

const someBatches = z.looseObject({
  batches: z.array(z.looseObject({ id: z.string() })).default([]),
});

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
