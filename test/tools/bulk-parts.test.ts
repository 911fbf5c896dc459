// Bulk calls with a query over many pages and parts, on a scripted platform: what is asked of the
// person, what is sent, and what is said where it stops in the middle.

import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { noElicitation } from '../../src/mcp/elicitation/host-elicitation.ts';
import type { ConfirmationPrompt, Elicitation } from '../../src/mcp/tool.ts';
import { forPeople } from '../../src/mcp/untrusted-text.ts';
import { type Fixture, openScriptedService } from './scripted-service.ts';

let fixture: Fixture;
let ids: string[];
const prompts: ConfirmationPrompt[] = [];

/** The person is asked twice, as a host does it: the second time to see what has changed. */
const elicitation: Elicitation = {
  ...noElicitation,
  canConfirm: true,
  confirm: async (_call, readPrompt) => {
    prompts.push(await readPrompt(), await readPrompt());
  },
};

beforeEach(async () => {
  fixture = await openScriptedService({ baseUrl: 'https://api.example.com' });
  ids = Array.from({ length: 2_500 }, (_, index) => `i${index}`);
  prompts.length = 0;
  fixture.on('POST /acme/search/v1', ({ body }) => {
    const { pageSize, continuationToken = '0' } = JSON.parse(body);
    const end = Number(continuationToken) + pageSize;
    const results = ids
      .slice(Number(continuationToken), end)
      .map((id) => ({ id, name: `${id}.jpg` }));
    const more = end < ids.length && { continuationToken: String(end) };
    return { json: { results, total: ids.length, ...more } };
  });
});

afterEach(async () => {
  await fixture.close();
});

function sent(method: string) {
  return fixture.requests.filter((request) => request.method === method);
}

const tag = { workspace: 'acme', query: 'tag:x', updates: [{ addTags: ['y'] }] };
const removal = { workspace: 'acme', project: 'cells', query: 'tag:x' };

describe('images_set_metadata_bulk', () => {
  it('changes page by page what was found at the beginning', async () => {
    fixture.on('POST /acme/images/metadata', (_request, n) => {
      ids = [];
      return { status: 202, json: { taskId: `t${n}`, url: 'https://api.example.com/t' } };
    });
    const { data, next } = await fixture.call('images_set_metadata_bulk', tag);
    expect(data).toEqual({ images: 2_500, taskIds: ['t0', 't1', 't2'] });
    expect(next).toHaveLength(3);
    const parts = fixture.requests
      .filter(({ path }) => path === '/acme/images/metadata')
      .map(({ body }) => JSON.parse(body).updates);
    expect(parts.map(({ length }) => length)).toEqual([1_000, 1_000, 500]);
    expect(parts[2].at(-1)).toEqual({ imageId: 'i2499', addTags: ['y'] });
    expect(fixture.progress.at(-1)).toBe('2500/2500 Changing images');
  });

  it('says what was done where it stops', async () => {
    fixture.on('POST /acme/images/metadata', (_request, n) =>
      n === 0
        ? { status: 202, json: { taskId: 't0', url: 'https://api.example.com/t' } }
        : { status: 403, json: { error: 'no more' } },
    );
    const error = await fixture.refused('images_set_metadata_bulk', tag);
    expect(error).toMatchObject({
      code: 'forbidden',
      message:
        'After 1000 of 2500 images: images_set_metadata_bulk failed with status 403: this ' +
        'credential has no access. Those 1000 are changed.',
      hint: 'The same query finds the others: call again.',
      upstream: { status: 403, message: 'no more' },
    });
  });

  it('refuses more than one call changes, before it changes anything', async () => {
    ids = Array.from({ length: 10_001 }, (_, index) => `i${index}`);
    const error = await fixture.refused('images_set_metadata_bulk', tag);
    expect(error.code).toBe('too_large');
    expect(error.message).toBe(
      'query: finds 10001 images; one call changes at most 10000. Nothing was changed.',
    );
    expect(fixture.requests).toHaveLength(1);
  });
});

describe('images_delete', () => {
  beforeEach(() => {
    fixture.on('DELETE /acme/cells/images', () => ({ json: {} }));
  });

  it('asks with the count and names, and deletes what was asked about', async () => {
    ids = ['a', 'b'];
    await fixture.call('images_delete', removal, { elicitation });
    expect(prompts.map(({ message }) => forPeople(message))).toContain(
      'Delete 2 images ("a", "b") of the project "cells", with their annotations? ' +
        'This cannot be undone. They are what "tag:x" finds: "a.jpg", "b.jpg".',
    );
    expect(prompts[0]?.facts).toEqual(prompts[1]?.facts);
    expect(sent('DELETE').map(({ body }) => JSON.parse(body))).toEqual([{ images: ['a', 'b'] }]);
    expect(JSON.parse(sent('POST')[0]?.body ?? '{}').query).toBe('project:cells tag:x');
  });

  it('asks anew where the query finds others', async () => {
    ids = ['a'];
    const changing: Elicitation = {
      ...elicitation,
      confirm: async (_call, readPrompt) => {
        const before = await readPrompt();
        ids = ['b', 'c'];
        const after = await readPrompt();
        expect(after.facts).not.toEqual(before.facts);
      },
    };
    await fixture.call('images_delete', removal, { elicitation: changing });
    expect(sent('DELETE').map(({ body }) => JSON.parse(body))).toEqual([{ images: ['b', 'c'] }]);
  });

  it('asks nobody for a dry run, nor where nothing is found', async () => {
    await fixture.call('images_delete', { ...removal, dry_run: true }, { elicitation });
    ids = [];
    await fixture.call('images_delete', removal, { elicitation });
    expect(prompts).toEqual([]);
    expect(sent('DELETE')).toEqual([]);
  });

  it('deletes five hundred in one request', async () => {
    const args = { ...removal, confirm: 'cells/2500' };
    const { data } = await fixture.call('images_delete', args);
    expect(data.images).toBe(2_500);
    expect(sent('DELETE')).toHaveLength(5);
  });
});

describe('annotation_jobs_create', () => {
  it('says in a dry run how many images a job takes', async () => {
    await fixture.close();
    fixture = await openScriptedService();
    const results = ids.slice(0, 1_000).map((id) => ({ id }));
    const more = ids.slice(1_000).map((id) => ({ id }));
    fixture.on('POST /acme/search/v1', ({ body }) => {
      const { continuationToken } = JSON.parse(body);
      const page = continuationToken ? { results: more } : { results, continuationToken: '1' };
      return { json: { ...page, total: 2_500 } };
    });
    fixture.on('GET /acme/cells/jobs', () => ({
      json: { jobs: [{ id: 'done', unannotated: 0, annotated: 0, approved: 3 }] },
    }));
    const people = { labelerEmail: 'anna@example.com', reviewerEmail: 'bob@example.com' };
    const job = { workspace: 'acme', project: 'cells', name: 'All', ...people, query: 'tag:x' };
    const dry = (args: object) =>
      fixture.call('annotation_jobs_create', { ...job, ...args, dry_run: true });
    expect((await dry({})).summary).toBe(
      '"tag:x" finds 2500 images; nothing was changed. ' +
        'A job takes at most 2000: narrow the query, or take the first by num_images.',
    );
    expect((await dry({ num_images: 5 })).summary).toBe(
      '"tag:x" finds 2500 images; nothing was changed.',
    );
  });
});
