// What the store does with images as vectors of models, on every engine.

import { describe, expect, test } from 'vitest';
import { limits } from '../../../src/limits.ts';
import type { EmbeddingModel } from '../../../src/platform/store/embeddings.ts';
import { quantise } from '../../../src/vector-search/quantise.ts';
import { addProject, fencedIn, image, type OpenStores, withProject } from './opened-stores.ts';

export function judgeEmbeddings(open: OpenStores): void {
  describe('vectors of images', () => {
    judgeQueue(open);
    judgeVectors(open);
    judgeOldModels(open);
  });
}

const clip = { fingerprint: 'a'.repeat(64), name: 'clip', dimensions: 3 };
const half = Float32Array.of(0.6, -0.8, 0);

async function withModel(open: OpenStores) {
  const opened = await withProject(open);
  const { embeddings } = opened.store;
  const fenced = fencedIn(opened.database);
  const model = await embeddings.open(clip, 5, fenced);
  const noteAll = async (of: EmbeddingModel = model) => {
    while (await embeddings.note(of, fenced));
  };
  return { ...opened, embeddings, fenced, model, noteAll };
}

function judgeQueue(open: OpenStores): void {
  test('wait for it until they have one, workspaces in turns', async () => {
    const { store, embeddings, fenced, model, noteAll } = await withModel(open);
    expect(await embeddings.find(clip.fingerprint)).toEqual(model);
    expect(await embeddings.find('b'.repeat(64))).toBeUndefined();
    expect(await embeddings.hasOpen(model)).toBe(false);
    const other = await store.workspaces.ensure('globex', 1);
    await addProject(store, other.id, 'others');
    for (const id of ['a', 'b', 'c']) await store.images.add(image(id));
    await store.images.add(image('d', { projectId: 'project-others' }));
    expect(await embeddings.hasOpen(model)).toBe(true);
    expect(await embeddings.countOpen(model)).toBe(0);
    await noteAll();
    await noteAll();
    expect(await embeddings.countOpen(model)).toBe(4);
    expect(await embeddings.countOpen(model, other.id)).toBe(1);
    const seen: string[] = [];
    for (let turn = 0, after = ''; turn < 2; turn += 1) {
      const { workspaceId = '', images } = await embeddings.next(model, 2, after);
      after = workspaceId;
      seen.push(...images.map(({ hash }) => hash));
      const embedded = images.map(({ ordinal }) => ({ ordinal, vector: half }));
      await embeddings.keep(model, embedded, fenced);
    }
    expect(seen.toSorted()).toEqual(['hash-a', 'hash-b', 'hash-d']);
    expect(await embeddings.countOpen(model)).toBe(1);
    const { images } = await embeddings.next(model, 9, 'zzz');
    expect(images).toMatchObject([{ hash: 'hash-c', tries: 0 }]);
    const ordinal = images[0]?.ordinal ?? 0;
    await embeddings.countTry(model, ordinal, fenced);
    expect((await embeddings.next(model, 9, '')).images).toMatchObject([{ tries: 1 }]);
    await embeddings.keep(model, [{ ordinal, problem: 'It is damaged.' }], fenced);
    expect(await embeddings.next(model, 9, '')).toEqual({ workspaceId: undefined, images: [] });
    expect(await embeddings.hasOpen(model)).toBe(false);
    await noteAll();
    expect(await embeddings.countOpen(model)).toBe(0);
  });
}

function judgeVectors(open: OpenStores): void {
  test('go with their images, and are those of the same file in a workspace', async () => {
    const { store, project, embeddings, fenced, model, noteAll, workspace } = await withModel(open);
    await store.images.add(image('a', { hash: 'same' }));
    await noteAll();
    const [first] = (await embeddings.next(model, 1, '')).images;
    const ordinal = first?.ordinal ?? 0;
    await embeddings.keep(model, [{ ordinal, vector: half }], fenced);
    const { scale, values } = quantise(half);
    const kept = Float32Array.from(values, (step) => step * scale);
    expect(await embeddings.vectorOf(model, 'a')).toEqual(kept);
    await addProject(store, workspace.id, 'fork');
    const other = await store.workspaces.ensure('globex', 1);
    await addProject(store, other.id, 'others');
    await store.images.add(image('b', { projectId: 'project-fork', hash: 'same' }));
    await store.images.add(image('c', { projectId: 'project-others', hash: 'same' }));
    await noteAll();
    for (const workspaceId of [workspace.id, other.id]) {
      const { images } = await embeddings.next(model, 9, workspaceId);
      const ordinals = images.map((one) => one.ordinal);
      const found = (await embeddings.next(model, 9, workspaceId)).workspaceId ?? '';
      await embeddings.reuse(model, found, ordinals, fenced);
    }
    expect(await embeddings.vectorOf(model, 'b')).toEqual(kept);
    // Whether another workspace has a file is not to be told by how soon it is embedded.
    expect(await embeddings.vectorOf(model, 'c')).toBeUndefined();
    expect(await embeddings.countOpen(model)).toBe(1);
    await store.images.remove(project.id, ['a'], { now: 9, deletedBy: 'test' });
    expect(await embeddings.vectorOf(model, 'a')).toBeUndefined();
    // Of an image that went while it was embedded nothing is kept.
    await embeddings.keep(model, [{ ordinal, vector: half }], fenced);
    expect(await embeddings.vectorOf(model, 'a')).toBeUndefined();
  });
}

function judgeOldModels(open: OpenStores): void {
  test('are kept of the last models alone', async () => {
    const { store, database, embeddings, fenced, noteAll } = await withModel(open);
    await store.images.add(image('a'));
    const models: EmbeddingModel[] = [];
    for (let n = 0; n <= limits.embeddingModelsKept; n += 1) {
      const fingerprint = String(n).repeat(64);
      const model = await embeddings.open({ ...clip, fingerprint }, 10 + n, fenced);
      models.push(model);
      await noteAll(model);
      const [first] = (await embeddings.next(model, 1, '')).images;
      const ordinal = first?.ordinal ?? 0;
      await embeddings.keep(model, [{ ordinal, vector: half }], fenced);
    }
    const [oldest, ...others] = models;
    const newest = models.at(-1);
    if (!oldest || !newest) throw new Error('there are models');
    while (await embeddings.removeOld(newest, fenced));
    expect(await embeddings.find(oldest.fingerprint)).toBeUndefined();
    expect(await embeddings.find(clip.fingerprint)).toBeUndefined();
    expect(await embeddings.vectorOf(oldest, 'a')).toBeUndefined();
    for (const model of others) expect(await embeddings.vectorOf(model, 'a')).toBeDefined();
    const count = (table: string) =>
      database.get(`SELECT count(*) AS n FROM ${table}`, [], (row) => row.integer('n'));
    expect(await count('embedding_vectors')).toBe(limits.embeddingModelsKept);
    expect(await count('embedding_models')).toBe(limits.embeddingModelsKept);
    expect(await count('embedding_queue')).toBe(0);
  });
}
