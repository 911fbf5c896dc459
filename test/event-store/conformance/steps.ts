// The steps of which checks are made: create, read, attach, finalize, be refused.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Call, expectJson, expectStatus, sentenceOf } from '../../conformance/http.ts';
import {
  attachmentAnswer,
  countAnswer,
  createdAnswer,
  type EventAnswer,
  errorAnswer,
  eventAnswer,
  finalizeAnswer,
  type PageAnswer,
  pageAnswer,
} from './answers.ts';
import type { Context } from './check.ts';

type Members = Readonly<Record<string, unknown>>;

export type AttachmentKind = 'videos' | 'local-only-files';

/** The least event, of this check's device. */
export function eventOf({ device }: Context, more: Members = {}): Members {
  return {
    event_schema: 'custom',
    event_data: { value: 'seen' },
    inference_timestamp: '2026-11-21T06:29:50.125Z',
    device_id: device,
    ...more,
  };
}

/** Stores an event that must be taken. */
export async function create(context: Context, event: Members) {
  return createdAnswer.parse(
    await ask(context, { method: 'POST', path: '/v2/events', json: event }, 201),
  );
}

/** Stores the least event with these members, and gives it as it is read back. */
export async function stored(context: Context, more: Members = {}): Promise<EventAnswer> {
  const { id } = await create(context, eventOf(context, more));
  return read(context, id);
}

export async function read(context: Context, id: string): Promise<EventAnswer> {
  return eventAnswer.parse(
    await ask(context, { path: `/v2/events/${encodeURIComponent(id)}` }, 200),
  );
}

export async function list(
  context: Context,
  query: NonNullable<Call['query']> = {},
): Promise<PageAnswer> {
  const own = { device_id: context.device, ...query };
  return pageAnswer.parse(await ask(context, { path: '/v2/events', query: own }, 200));
}

export async function count(context: Context, query: NonNullable<Call['query']> = {}) {
  return countAnswer.parse(await ask(context, { path: '/events/count/stats', query }, 200));
}

export async function finalize(context: Context, id: string) {
  const call: Call = { method: 'POST', path: `/v2/events/${id}/finalize` };
  return finalizeAnswer.parse(await ask(context, call, 200));
}

/** Attaches content that must be taken; `fields` are the text fields before it. */
export async function attach(
  context: Context,
  id: string,
  kind: AttachmentKind,
  content: Uint8Array<ArrayBuffer>,
  options: { readonly type?: string; readonly fields?: Readonly<Record<string, string>> } = {},
) {
  const body = formOf(content, options.type, options.fields);
  return attachmentAnswer.parse(await ask(context, attachment(id, kind, { body }), 201));
}

/** A call that attaches. */
export function attachment(id: string, kind: AttachmentKind, more: Partial<Call>): Call {
  return { method: 'POST', path: `/v2/events/${id}/${kind}`, ...more };
}

export function formOf(
  content: Uint8Array<ArrayBuffer>,
  type = 'application/octet-stream',
  fields: Readonly<Record<string, string>> = {},
): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, value);
  form.set('file', new Blob([content], { type }), 'clip.bin');
  return form;
}

/** The JSON of an answer that must have this status. */
export async function ask(context: Context, call: Call, status: number): Promise<unknown> {
  const reply = await context.client.send(call);
  return expectJson(call, reply, status);
}

/** A call that must be refused so, in the shape of the specification, and that leaves nothing. */
export function refused(context: Context, call: Call, status: number): Promise<void> {
  return allRefused(context, [call], status);
}

/** Events that must be refused so when they are created, and leave nothing. */
export function refusedEvents(
  context: Context,
  status: number,
  events: readonly Members[],
): Promise<void> {
  const calls = events.map((json): Call => ({ method: 'POST', path: '/v2/events', json }));
  return allRefused(context, calls, status);
}

/** Calls that must be refused so, in the shape of the specification, and leave nothing. */
export async function allRefused(
  context: Context,
  calls: readonly Call[],
  status: number,
): Promise<void> {
  const before = await contents(context);
  for (const call of calls) {
    const reply = await context.client.send(call);
    expectStatus(call, reply, status);
    expectErrorBody(call.path, status, reply.json);
  }
  assert.deepEqual(await contents(context), before, `${calls.map(sentenceOf)}: something was left`);
}

export function expectErrorBody(path: string, status: number, body: unknown): void {
  const isAttachment = /\/(videos|local-only-files)$/.test(path);
  const { error } = errorAnswer(status, isAttachment).safeParse(body);
  if (error) assert.fail(`the body of ${status}: ${z.prettifyError(error)}`);
}

/** How much the store holds; figures beside the document's where the service gives them. */
export async function contents(context: Context): Promise<unknown> {
  const { total_count, filtered_count } = await count(context, { device_id: context.device });
  const { status, json } = await context.client.send({ path: '/v2/stats' });
  const figures = figuresOf.safeParse(status === 200 ? json : undefined);
  return { total_count, filtered_count, ...figures.data };
}

/** Waits until it holds, for 20 seconds at most: a pause before another upload may take ten. */
export async function until(what: string, holds: () => Promise<boolean>): Promise<void> {
  for (let attempt = 0; attempt < 400; attempt += 1) {
    if (await holds()) return;
    await sleep(50);
  }
  assert.fail(`it never came about: ${what}`);
}

const figuresOf = z
  .looseObject({
    records: z.int(),
    images: z.int(),
    videos: z.int(),
    local_only_files: z.int(),
  })
  .transform(({ records, images, videos, local_only_files }) => ({
    records,
    images,
    videos,
    local_only_files,
  }));
