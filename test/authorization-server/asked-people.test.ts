// Who can be asked to label and review where people have accounts, and who approves what.

import { beforeAll, expect, test } from 'vitest';
import { testImage } from '../fixtures/images.ts';
import {
  type PlatformWithAccounts,
  pageClient,
  pageCodeOf,
  redeem,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;
let images: readonly string[];

const ada = 'ada@example.com';
const ben = 'Ben@example.com';

beforeAll(async () => {
  platform = await startPlatformWithAccounts();
  await platform.addAccount('Ben Builder', ['acme']);
  await platform.addAccount('Cy Elsewhere', ['other']);
  await platform.addAccount('Dan Gone', ['acme']);
  await platform.removeAccount('Dan@example.com');
  const project = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
  await tell('/acme/projects', project);
  const made = [];
  for (const width of [20, 21, 22]) made.push(await upload(width));
  images = made;
  return () => platform.close();
});

async function tell(path: string, body: object, token = platform.key) {
  const answer = await fetch(platform.issuer + path, {
    method: 'POST',
    headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
    body: JSON.stringify(body),
  });
  return { status: answer.status, body: Object(await answer.json()) };
}

async function upload(width: number): Promise<string> {
  const form = new FormData();
  const file = new Uint8Array(await testImage(width));
  form.append('file', new Blob([file]), `${width}.png`);
  const headers = { authorization: `Bearer ${platform.key}` };
  const to = `${platform.issuer}/dataset/cells/upload?name=${width}.png`;
  const answer = await fetch(to, { method: 'POST', headers, body: form });
  const { id } = Object(await answer.json());
  const labels = { annotationFile: '<annotation></annotation>' };
  await tell(`/dataset/cells/annotate/${id}?name=a.xml`, labels);
  return id;
}

async function tokenOf(email: string): Promise<string> {
  const { issuer } = platform;
  const scope = 'openid annotation-job:create';
  const code = await pageCodeOf(platform, email, { scope });
  return String((await redeem(issuer, pageClient(issuer), code)).body.access_token);
}

test.each([
  ['bem@example.com', 'did you mean \\"ben@example.com\\"?'],
  ['nobody@example.com', 'there are ada@example.com, ben@example.com'],
  ['stranger@elsewhere.org', 'there are ada@example.com, ben@example.com'],
  ['Cy@example.com', 'nobody here has this address'],
  ['Dan@example.com', 'nobody here has this address'],
])('%s is nobody here, and is told so before images wait for them', async (address, said) => {
  const review = { images: images.slice(0, 1), assignedTo: address };
  const refused = await tell('/acme/cells/reviews', review);
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    400,
    expect.stringContaining('assignedTo: '),
  ]);
  expect(JSON.stringify(refused.body)).toContain(said);
  const job = { name: 'J', images: images.slice(0, 1), labelerEmail: ada, reviewerEmail: address };
  const unmade = await tell('/acme/cells/jobs/images', job);
  expect([unmade.status, JSON.stringify(unmade.body)]).toEqual([
    400,
    expect.stringContaining('reviewerEmail: nobody'),
  ]);
});

test('an address is good in any spelling, and the one that was given goes on to somebody else', async () => {
  const review = { images: images.slice(0, 1), assignedTo: 'BEN@example.com' };
  const asked = await tell('/acme/cells/reviews', review);
  expect(asked.status).toBe(201);
  const { jobId } = asked.body;
  const other = await tell('/acme/cells/reviews', { job: jobId, assignedTo: ada });
  expect(other.body).toMatchObject({
    assignedTo: ada,
    replaced: { assignedTo: 'BEN@example.com' },
  });
  expect((await tell('/acme/cells/reviews', { job: jobId, assignedTo: 'x@y' })).status).toBe(400);
});

test('who labels does not approve what somebody else was asked to review', async () => {
  const [, image = ''] = images;
  const people = { labelerEmail: ada, reviewerEmail: ben };
  const job = await tell('/acme/cells/jobs/images', { name: 'Own', images: [image], ...people });
  const path = `/acme/cells/jobs/${job.body.id}/images/${image}`;
  const approval = { decision: 'approve', decisions: 0 };
  const refused = await tell(path, approval, await tokenOf(ada));
  expect([refused.status, JSON.stringify(refused.body)]).toEqual([
    403,
    expect.stringContaining('Ben@example.com was asked to review what you label.'),
  ]);
  expect((await tell(path, approval, await tokenOf(ben))).status).toBe(200);
});

test('who was asked to do both approves, and so does a key, which is nobody', async () => {
  const [, , image = ''] = images;
  const people = { labelerEmail: ada, reviewerEmail: ada };
  const job = await tell('/acme/cells/jobs/images', { name: 'Both', images: [image], ...people });
  const path = `/acme/cells/jobs/${job.body.id}/images/${image}`;
  const answer = await tell(path, { decision: 'approve', decisions: 0 }, await tokenOf(ada));
  expect(answer.status).toBe(200);
});
