// Forks over HTTP: what a copy has, whose projects may be copied, and what is refused.

import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { images } from '../../../src/contract/images.ts';
import { projects } from '../../../src/contract/projects.ts';
import {
  type OtherWorkspace,
  startTestPlatform,
  type TestPlatform,
} from '../../fixtures/platform.ts';
import { createProject, refusal, resultOf, upload } from '../labelled-projects.ts';

const workspace = 'acme';
const fork = projects.projects_fork;
let platform: TestPlatform;
let other: OtherWorkspace;

beforeAll(async () => {
  platform = await startTestPlatform();
  other = await platform.otherWorkspace();
  for (const [name, isPublic] of [
    ['Open', true],
    ['Closed', false],
  ] as const) {
    await other.client.call(projects.projects_create, {
      workspace: other.slug,
      name,
      type: 'object-detection',
      annotation: 'things',
      license: 'CC BY 4.0',
      public: isPublic,
    });
  }
  await upload(other.client, 'open', 1, { tag: ['t'], classes: ['cat'], batch: 'monday' });
  await upload(other.client, 'open', 2, { split: 'valid', classes: [] });
  await upload(other.client, 'open', 3, { split: 'test' });
});

afterAll(() => platform.close());

async function projectOf(client = platform.client, inWorkspace = workspace, project = 'open') {
  const { body } = await client.call(projects.projects_get, { workspace: inWorkspace, project });
  return body.project;
}

it('copies a public project with all that is known of its images', async () => {
  const { client, url } = platform;
  const source = await projectOf(other.client, other.slug);
  const { status, body } = await client.call(fork, { workspace, source_project: 'open' });
  expect(status).toBe(202);
  expect(await resultOf(client, body.taskId)).toEqual({
    forked: true,
    datasetUrl: 'open',
    id: 'acme/open',
    name: 'Open',
    url: `${url}/acme/open`,
    images: 3,
  });
  const copy = await projectOf();
  const { created: _, updated: __, ...same } = source;
  expect(copy).toMatchObject({ ...same, id: 'acme/open', public: false });
  const { body: found } = await client.call(images.batches_list, { workspace, project: 'open' });
  const batches = found.batches.map((batch) => ({ name: batch.name, images: batch.images }));
  expect(batches.sort((a, b) => String(a.name).localeCompare(String(b.name)))).toEqual([
    { name: 'first', images: 2 },
    { name: 'monday', images: 1 },
  ]);
});

it('is a project of its own: what changes there changes nothing here', async () => {
  const { client } = platform;
  const { body } = await client.call(fork, { workspace, source_project: 'globex/open' });
  const result = await resultOf(client, body.taskId);
  expect(result?.id).toBe('acme/open-2');
  await upload(client, 'open-2', 9);
  expect(await projectOf(client, workspace, 'open-2')).toMatchObject({ images: 4 });
  expect(await projectOf(other.client, other.slug)).toMatchObject({ images: 3 });
});

it('copies a project of the own workspace, also one that is not public', async () => {
  const { client, url } = platform;
  const slug = await createProject(client, 'Mine');
  await upload(client, slug, 5, { tag: ['a', 'b'], classes: ['dog', 'dog'] });
  const { body } = await client.call(fork, { workspace, url: `${url}/acme/mine` });
  expect(await resultOf(client, body.taskId)).toMatchObject({ id: 'acme/mine-2', images: 1 });
  expect(await projectOf(client, workspace, 'mine-2')).toMatchObject({ classes: { dog: 2 } });
});

describe('refuses', () => {
  it.each([
    ['both names', { url: 'http://a/b/c', source_project: 'open' }, 400],
    ['no name', {}, 400],
    ['what is no URL', { url: 'globex/open' }, 400],
    ['another platform', { url: 'https://universe.example.com/globex/open' }, 400],
    ['what is no slug', { source_project: 'a/b/c' }, 400],
    ['an empty part', { source_project: 'globex/' }, 400],
    ['a project that is not there', { source_project: 'nowhere' }, 404],
    ['a workspace that is not there', { source_project: 'nowhere/open' }, 404],
    ['a private project of others', { source_project: 'globex/closed' }, 404],
    ['the same by its slug alone', { source_project: 'closed' }, 404],
  ])('%s', async (_what, body, status) => {
    const answer = await refusal(platform.client.call(fork, { workspace, ...body }));
    expect(answer.status).toBe(status);
  });

  it('an address that is not of a project', async () => {
    const { client, url } = platform;
    for (const path of ['', '/globex', '/globex/open/3']) {
      const answer = await refusal(client.call(fork, { workspace, url: url + path }));
      expect(answer.status).toBe(400);
    }
  });

  it('a public project in the trash', async () => {
    await other.client.call(projects.projects_create, {
      workspace: other.slug,
      name: 'Brief',
      type: 'object-detection',
      annotation: 'things',
      public: true,
    });
    const brief = { workspace: other.slug, project: 'brief' };
    await other.client.call(projects.projects_delete, brief);
    const answer = await refusal(
      platform.client.call(fork, { workspace, source_project: 'brief' }),
    );
    expect(answer.status).toBe(404);
  });

  it('a slug that several workspaces have, and names them', async () => {
    const third = await platform.otherWorkspace('initech');
    for (const { slug, client } of [other, third]) {
      await client.call(projects.projects_create, {
        workspace: slug,
        name: 'Common',
        type: 'object-detection',
        annotation: 'things',
        public: true,
      });
    }
    const { client } = platform;
    const answer = await refusal(client.call(fork, { workspace, source_project: 'common' }));
    expect(answer).toMatchObject({ status: 400 });
    expect(answer.hint).toBe('Give one of: globex/common, initech/common.');
    const { body } = await client.call(fork, { workspace, source_project: 'initech/common' });
    expect(await resultOf(client, body.taskId)).toMatchObject({ images: 0 });
  });
});
