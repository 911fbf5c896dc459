// What a workspace holds after a day's work, read by plain HTTP requests: facts without ids and
// dates, so that the same deeds give the same rows, whoever did them.

import { setTimeout as sleep } from 'node:timers/promises';
import { asRecord, type JsonObject } from '../../src/json-object.ts';
import { exportRows } from './end-state-exports.ts';
import { inOrder, lasting, listOf, textOf } from './facts.ts';

/** Each fact as text, by its subject and name: `project cells, image a.jpg: split`. */
export type EndState = ReadonlyMap<string, string>;

/** GET of a path below some URL, or POST where there is a body. */
export type Ask = (path: string, body?: object) => Promise<JsonObject>;

/** Throws where an answer is an error. */
export async function readEndState(url: string, workspace: string, key: string): Promise<EndState> {
  const ask = asker(`${url}/${workspace}`, key);
  const rows = new Rows();
  rows.count('tasks', await endedTasks(ask));
  const { projects } = asRecord((await ask('')).workspace);
  for (const project of listOf(projects)) await readProject(ask, rows, project);
  for (const folder of listOf((await ask('/groups')).data)) {
    rows.add(`folder ${folder.name}`, folder);
  }
  for (const { id: _, ...item } of listOf((await ask('/trash')).items)) {
    rows.add(`trash, ${item.type} ${item.name}`, { type: item.type, place: item.url });
  }
  const keys = await ask('/api-keys?includeDisabled=true&includeFolders=true');
  for (const one of listOf(keys.apiKeys)) rows.add(`api key ${one.name}`, one);
  for (const { url } of listOf((await ask('/workflows')).workflows)) {
    rows.add(`workflow ${url}`, asRecord((await ask(`/workflows/${url}`)).workflow));
  }
  const { inference_stats: seen, ...totals } = await ask('/inference-stats');
  rows.add('inference statistics', totals);
  for (const one of listOf(seen)) {
    rows.add(`inference statistics, ${one.model_name}, ${one.predicted_class}`, one);
  }
  await readEvents(asker(`${url}/vision-events`, key), rows);
  return rows.all;
}

function asker(base: string, key: string): Ask {
  const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
  return async (path, body) => {
    const options = body && { method: 'POST', body: JSON.stringify(body) };
    const answer = await fetch(`${base}${path}`, { headers, ...options });
    if (!answer.ok) throw new Error(`${path}: ${answer.status} ${await answer.text()}`);
    return asRecord(await answer.json());
  };
}

async function readEvents(ask: Ask, rows: Rows): Promise<void> {
  for (const { id: useCaseId, ...useCase } of listOf((await ask('/use-cases')).useCases)) {
    rows.add(`use case ${useCaseId}`, useCase);
    const events = listOf((await ask('/query', { useCaseId })).events).map(lasting);
    for (const event of events.toSorted((a, b) => (textOf(a) < textOf(b) ? -1 : 1))) {
      rows.add(`use case ${useCaseId}, event`, event);
    }
  }
}

/** Waits for the end of all background work. */
async function endedTasks(ask: Ask): Promise<readonly string[]> {
  for (;;) {
    const tasks = listOf((await ask('/asynctasks')).tasks);
    const isOpen = ({ status }: JsonObject) => status === 'created' || status === 'running';
    if (!tasks.some(isOpen)) {
      return tasks.map(({ kind, status, error }) =>
        [kind, status, error].filter(Boolean).join(' '),
      );
    }
    await sleep(500);
  }
}

async function readProject(ask: Ask, rows: Rows, { id }: JsonObject): Promise<void> {
  const slug = String(id).split('/').at(-1);
  const subject = `project ${slug}`;
  const at = (path: string, body?: object) => ask(`/${slug}${path}`, body);
  const { project, versions } = await at('');
  rows.add(subject, asRecord(project));
  rows.add(`${subject}, health`, asRecord((await at('/health?regenerate=true')).stats));
  const batches = listOf((await at('/batches')).batches);
  const batchNames = new Map(batches.map(({ id, name }) => [id, name]));
  for (const batch of batches) rows.add(`${subject}, batch ${batch.name}`, batch);
  for (const job of inOrder(listOf((await at('/jobs')).jobs), 'numImages')) {
    const sourceBatch = batchNames.get(job.sourceBatch);
    rows.add(`${subject}, job ${job.name}`, { ...job, sourceBatch });
  }
  const found = await at('/search', { fields: ['id', 'name'], limit: 250 });
  for (const { id } of inOrder(listOf(found.results), 'name')) {
    const image = asRecord((await at(`/images/${id}`)).image);
    const batch = batchNames.get(image.batch);
    rows.add(`${subject}, image ${image.name}`, { ...image, batch, ...annotationOf(image) });
  }
  for (const { id } of listOf(versions)) {
    await readVersion(at, rows, `${subject}, version `, String(id).split('/').at(-1) ?? '');
  }
  for (const model of listOf((await at('/models')).models).toReversed()) {
    rows.add(`${subject}, model`, ofChance(model));
  }
  const { project: _, ...deployment } = await at('/deploy');
  rows.add(`${subject}, deployment`, deployment);
  rows.add(`${subject}, active learning`, await at('/deploy/active-learning'));
}

/** Boxes in one order: whoever drew them may have begun with any. */
function annotationOf({ annotation }: JsonObject): JsonObject {
  if (annotation === undefined) return {};
  const { boxes, ...rest } = asRecord(annotation);
  return { annotation: { ...rest, boxes: listOf(boxes).map(textOf).sort() } };
}

/** Where a training that was ended early had come to is chance. */
function ofChance({ metrics, epoch, progress, ...rest }: JsonObject): JsonObject {
  return rest.status === 'finished' ? { ...rest, metrics, epoch, progress } : rest;
}

async function readVersion(at: Ask, rows: Rows, prefix: string, number: string): Promise<void> {
  const subject = `${prefix}${number}`;
  const answer = asRecord((await at(`/${number}`)).version);
  const { model, train: _, trainings: _runs, ...version } = answer;
  rows.add(subject, { ...version, model: asRecord(model).map ?? 'none' });
  const runs = listOf((await at(`/${number}/v2/trainings`)).trainings).toReversed();
  for (const [place, run] of runs.entries()) {
    rows.add(`${subject}, training ${place + 1}`, ofChance(run));
  }
  const formats = Array.isArray(version.exports) ? version.exports : [];
  for (const format of formats) {
    const { link } = asRecord((await at(`/${number}/${format}`)).export);
    for (const [name, text] of await exportRows(String(link))) {
      rows.set(`${subject}, ${format}: ${name}`, text);
    }
  }
}

class Rows {
  readonly all = new Map<string, string>();

  /** A row for each member. A subject that is there already gets a number. */
  add(subject: string, facts: JsonObject): void {
    const isThere = (name: string) =>
      [...this.all.keys()].some((key) => key.startsWith(`${name}: `));
    const plain = withoutIds(subject);
    let own = plain;
    for (let number = 2; isThere(own); number += 1) own = `${plain} (${number})`;
    for (const [name, value] of Object.entries(lasting(facts))) {
      if (value !== undefined) this.set(`${own}: ${name}`, textOf(value));
    }
  }

  /** How often each of some words comes. */
  count(subject: string, words: readonly string[]): void {
    const groups = Map.groupBy(words, (word) => word);
    for (const [word, all] of groups) this.set(`${subject}: ${word}`, String(all.length));
  }

  set(key: string, text: string): void {
    this.all.set(withoutIds(key), withoutIds(text));
  }
}

/** Names of models and of keys may have ids in them. */
function withoutIds(text: string): string {
  return text.replace(/\b[0-9a-f]{20}\b/g, 'ID');
}
