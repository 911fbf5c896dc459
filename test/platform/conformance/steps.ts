// The steps of which checks are made: ask, be refused, make a project, upload, wait for a task.

import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Call, expectJson, expectStatus, sentenceOf } from '../../conformance/http.ts';
import { testImage } from '../../fixtures/images.ts';
import { anObject, errorAnswer, type TaskAnswer, task, taskStarted, uploaded } from './answers.ts';
import type { Context } from './check.ts';
import type { Client } from './client.ts';

type Members = Readonly<Record<string, unknown>>;

/**
 * The JSON of an answer that must have this status. A context asks with the key of the
 * workspace.
 */
export async function ask(from: Context | Client, call: Call, status: number): Promise<unknown> {
  const reply = await clientOf(from).send(call);
  return expectJson(call, reply, status);
}

/** The same, in a shape: what differs from it is named. */
export async function askFor<Shape extends z.ZodType>(
  from: Context | Client,
  shape: Shape,
  call: Call,
  status = 200,
): Promise<z.output<Shape>> {
  const { data, error } = shape.safeParse(await ask(from, call, status));
  if (error) assert.fail(`${sentenceOf(call)}: ${z.prettifyError(error)}`);
  return data;
}

/** A call that must be answered so, without a body. */
export async function askForNothing(from: Context | Client, call: Call): Promise<void> {
  const reply = await clientOf(from).send(call);
  expectStatus(call, reply, 204);
  assert.equal(reply.bytes.length, 0, `${sentenceOf(call)}: 204 has no body`);
}

/** A call that must be refused so, in the shape of docs/spec. Returns the words of the error. */
export async function refused(from: Context | Client, call: Call, status: number): Promise<string> {
  const reply = await clientOf(from).send(call);
  expectStatus(call, reply, status);
  const { data, error } = errorAnswer.safeParse(reply.json);
  if (error) assert.fail(`the body of ${status}: ${z.prettifyError(error)}`);
  if (typeof data.error === 'string') return data.error;
  return [data.error.message, data.error.hint].filter(Boolean).join(' ');
}

/** A new project of this run; returns its slug. It is trashed when the run ends. */
export async function newProject(context: Context, more: Members = {}): Promise<string> {
  const name = `conformance-${randomBytes(6).toString('hex')}`;
  const json = { name, type: 'object-detection', annotation: 'cells', ...more };
  const call: Call = { method: 'POST', path: `/${context.workspace}/projects`, json };
  const { id } = await askFor(context, z.looseObject({ id: z.string() }), call, 201);
  const slug = id.slice(id.lastIndexOf('/') + 1);
  context.projects.add(slug);
  return slug;
}

/** Address of a project, and of what lies below it. */
export function at(context: Context, project: string, rest = ''): string {
  return `/${context.workspace}/${project}${rest}`;
}

/**
 * Uploads a picture of 64 x 48 pixels that must be taken; every `shade` is another one. Returns the
 * image's id.
 */
export async function upload(
  context: Context,
  project: string,
  shade: number,
  fields: Readonly<Record<string, string>> = {},
): Promise<string> {
  const body = new FormData();
  for (const [name, value] of Object.entries(fields)) body.set(name, value);
  body.set('file', new Blob([Uint8Array.from(await testImage(shade))]), `picture-${shade}.png`);
  const call: Call = { method: 'POST', path: `/dataset/${project}/upload`, body };
  return (await askFor(context, uploaded, call)).id;
}

/** Gives an image boxes `[class, x, y, width, height]`, in pixels, from the top left corner. */
export async function annotate(
  context: Context,
  project: string,
  imageId: string,
  boxes: readonly (readonly [string, number, number, number, number])[],
): Promise<void> {
  const objects = boxes.map(([name, x, y, width, height]) =>
    ['<object><name>', name, '</name><bndbox>']
      .concat([`<xmin>${x}</xmin><ymin>${y}</ymin>`])
      .concat([`<xmax>${x + width}</xmax><ymax>${y + height}</ymax>`, '</bndbox></object>'])
      .join(''),
  );
  const size = '<size><width>64</width><height>48</height><depth>3</depth></size>';
  const annotationFile = `<annotation>${size}${objects.join('')}</annotation>`;
  const path = `/dataset/${project}/annotate/${imageId}`;
  const query = { name: 'picture.xml', overwrite: 'true' };
  await ask(context, { method: 'POST', path, query, json: { annotationFile } }, 200);
}

/** A call that starts a task: 202 with taskId and url. Returns the task once it has ended. */
export async function runTask(context: Context, call: Call): Promise<TaskAnswer> {
  const { url } = await askFor(context, taskStarted, call, 202);
  return ended(context, pathOf(context, url));
}

/** The task at this address once it has ended; a minute at most. */
export async function ended(context: Context, path: string): Promise<TaskAnswer> {
  for (let attempt = 0; attempt < 600; attempt += 1) {
    const found = await askFor(context, task, { path });
    if (['completed', 'failed'].includes(found.status)) return found;
    assert.ok(['created', 'running', 'pending'].includes(found.status), `status ${found.status}`);
    await sleep(100);
  }
  assert.fail(`${path} did not end within a minute`);
}

/** Path and query of an address of this service. */
export function pathOf(context: Context, url: string): string {
  assert.ok(url.startsWith(`${context.client.url}/`), `${url} is not at ${context.client.url}`);
  return url.slice(context.client.url.length);
}

/** What the profile promises; fails where it was not given. */
export function given<Value>(value: Value | undefined, option: string): Value {
  if (value === undefined) assert.fail(`this check needs ${option}`);
  return value;
}

/** An answer of 200 that is an object. */
export function getObject(from: Context | Client, path: string) {
  return askFor(from, anObject, { path });
}

function clientOf(from: Context | Client): Client {
  return 'client' in from ? from.client : from;
}
