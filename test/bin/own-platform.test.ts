// A platform of ours at FOVEA_BASE_URL: it is known as one, all its tools are offered, and people
// are sent to its page.

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { type RunningService, runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { json, startMisbehavingServer } from '../fixtures/scripted-http-server.ts';

const key = 'key-of-the-platform';
const bob = 'bob@acme.org';
const photo = 'sample/blood-cells/JPEGImages/BloodImage_00040.jpg';

let home: string;
let platform: RunningService;
let imageId: unknown;

beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), 'fovea-own-platform-'));
  platform = await startFovea(['platform', '--port', '0'], { ...own(), FOVEA_API_KEY: key });
  const fovea = await launchFovea(remote());
  imageId = await addImage(fovea);
  await fovea.close();
}, 90_000);

afterAll(async () => {
  await platform.stop();
  await rm(home, { recursive: true, force: true });
});

function own(): Record<string, string> {
  return { HOME: home, FOVEA_HOME: home, FOVEA_NO_BROWSER: '1' };
}

function remote(): Record<string, string> {
  return { FOVEA_BASE_URL: platform.url, FOVEA_API_KEY: key };
}

async function launch(settings: Record<string, string>): Promise<Fovea> {
  const fovea = await launchFovea(settings);
  onTestFinished(() => fovea.close());
  return fovea;
}

/** In a new project; its id. */
async function addImage(fovea: Fovea): Promise<unknown> {
  await fovea.ok('projects_create', {
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  await fovea.ok('images_upload', { project: 'cells', files: [photo] });
  const found = await fovea.ok('workspace_search', { query: 'project:cells' });
  return Object(found.results)[0]?.id;
}

/** Of a review for Bob: the sentence, and its facts. */
async function askBob(fovea: Fovea) {
  const asked = { project: 'cells', images: [imageId], assignedTo: bob };
  return fovea.call('annotation_review', asked);
}

test('the tools that only our platforms serve are offered, and work', async () => {
  const fovea = await launch({ ...remote(), FOVEA_TOOL_PROFILE: 'default' });
  const { tools } = await fovea.client.listTools();
  expect(tools.map(({ name }) => name)).toContain('annotation_review');
  const found = await fovea.ok('operations_find', { query: 'rename class' });
  expect(Object(found.operations)[0]).toMatchObject({ operation: 'classes_change' });
  const doctor = await fovea.call('doctor');
  expect(doctor.text).toContain('The fovea platform answers');
  expect(doctor.text).not.toContain('Only platforms of fovea have');
});

test('what only other platforms lack or charge for is not kept back', async () => {
  const fovea = await launch(remote());
  const project = { workspace: 'local', project: 'cells' };
  const preview = await fovea.ok('versions_preview', {
    ...project,
    augmentation: { flip: { horizontal: true } },
  });
  expect(Object(preview.images)).toHaveLength(1);
  // Nobody is asked to agree to a cost before the platform says what is wrong.
  const batchId = 'none';
  const started = await fovea.call('autolabel_start', {
    ...project,
    batchId,
    modelType: 'local',
  });
  expect(started.isError).toBe(true);
  expect(started.text).not.toContain('accept_cost');
});

test('a person is sent to the page at which they sign in themselves, and the job by query works', async () => {
  const fovea = await launch(remote());
  const { data, text, isError } = await askBob(fovea);
  expect([isError, text]).toEqual([false, expect.stringContaining('sign in with their own acc')]);
  const { jobId } = data;
  expect(data.link).toBe(`${platform.url}/#project/cells/annotate/?job=${jobId}`);
  expect(data).not.toHaveProperty('command');
  const waited = await fovea.ok('tasks_wait', { taskId: jobId, timeout_s: 0 });
  expect(waited.link).toBe(data.link);
  const query = { project: 'cells', query: 'tag:none', name: 'Night', labelerEmail: bob };
  const job = await fovea.call('annotation_jobs_create', { ...query, reviewerEmail: bob });
  expect(job.text).not.toContain('hosted platform');

  // Beside the platform, on its data, the page is known too.
  const beside = await launch({ FOVEA_HOME: home });
  const more = { project: 'cells', job: jobId, assignedTo: 'eve@acme.org' };
  expect(await beside.ok('annotation_review', more)).toMatchObject({ link: data.link });
  const opened = await startFovea(['open', `cells/review/${jobId}`], own());
  onTestFinished(() => opened.stop());
  expect(opened.output()).toContain('eve@acme.org was asked. Decisions made here are by');
  expect(opened.output()).toContain(String(data.link));

  const command = await runFovea(['open', `cells/review/${jobId}`], { ...own(), ...remote() });
  expect(command).toMatchObject({ code: 0, stderr: '' });
  expect(command.stdout.split('\n')[0]).toBe(data.link);
});

test('where the platform ended, its page is not offered, and whose name decides is said', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-ended-platform-'));
  onTestFinished(() => rm(folder, { recursive: true, force: true }));
  const ended = await startFovea(['platform', '--port', '0'], { HOME: folder, FOVEA_HOME: folder });
  ended.child.kill('SIGKILL');
  await ended.stop();
  const fovea = await launch({ FOVEA_HOME: folder });
  const images = [await addImage(fovea)];
  const asked = { project: 'cells', images, assignedTo: bob };
  const { data, text } = await fovea.call('annotation_review', asked);
  expect(data.command).toBe(`fovea open cells/review/${data.jobId}`);
  expect(text).toContain('are by "the page of fovea open", without their name');
});

test.each([
  ['says nothing of itself', json(200, { status: 'ok' })],
  ['answers with something long', json(200, { platform: 'fovea', more: 'x'.repeat(9_000) })],
])('another platform that %s is none of ours', async (_, answer) => {
  const other = await startMisbehavingServer(answer);
  onTestFinished(() => other.close());
  const environment = { ...own(), FOVEA_BASE_URL: other.url, FOVEA_API_KEY: key };
  const fovea = await launch(environment);
  const { tools } = await fovea.client.listTools();
  expect(tools.map(({ name }) => name)).not.toContain('annotation_review');
  // The key goes to nobody before a tool is called.
  expect(other.seen.map(({ headers }) => headers.authorization)).toEqual([undefined]);
  const { code, stderr } = await runFovea(['open'], environment);
  expect([code, stderr]).toEqual([
    2,
    expect.stringContaining('No fovea platform answers at FOVEA_BASE_URL'),
  ]);
});
