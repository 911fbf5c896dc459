// The wire as others have observed it of the hosted platform, member by member, against ours. What
// is not served is in decisions/observed-wire.md.

import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  annotationRows,
  imageRows,
  searchRows,
  trashRows,
} from './observed-wire/images-and-search.ts';
import {
  deploymentRows,
  eventRows,
  folderRows,
  keyRows,
  monitoringRows,
} from './observed-wire/keys-to-events.ts';
import { differences, type Observed, valuesAt } from './observed-wire/members.ts';
import { notServed } from './observed-wire/not-served.ts';
import { type ObservedPlatform, startObservedPlatform } from './observed-wire/observed-platform.ts';
import {
  credentialRows,
  imageRequestRows,
  jobRequestRows,
  otherRequestRows,
  searchRequestRows,
  signInRows,
  versionRequestRows,
} from './observed-wire/requests.ts';
import {
  trainingRows,
  versionRows,
  workspaceRows,
} from './observed-wire/workspace-and-versions.ts';

let platform: ObservedPlatform;

beforeAll(async () => {
  platform = await startObservedPlatform();
}, 60_000);

afterAll(() => platform.close());

// In this order: some rows change or remove what others read.
describe.each([
  ['credentials', credentialRows],
  ['sign-in', signInRows],
  ['workspace and projects', workspaceRows],
  ['images', imageRows],
  ['annotation', annotationRows],
  ['search', searchRows],
  ['versions', versionRows],
  ['requests with images', imageRequestRows],
  ['requests for jobs', jobRequestRows],
  ['requests to search', searchRequestRows],
  ['requests for versions', versionRequestRows],
  ['deployment', deploymentRows],
  ['monitoring, video, workflows', monitoringRows],
  ['vision events', eventRows],
  ['folders', folderRows],
  ['API keys', keyRows],
  ['other requests', otherRequestRows],
  ['trash', trashRows],
])('%s', (_, rows) => areAsObserved(rows));

describe('trainings', () => {
  beforeAll(() => platform.startTrainings());
  areAsObserved(trainingRows);
});

function areAsObserved(rows: readonly Observed[]): void {
  it.each(rows)('$operation ($source)', async ({ call, status, members }) => {
    const answer = await platform.send(call(platform.things));
    expect(answer).toMatchObject({ status });
    expect(differences(answer.body, members)).toEqual([]);
  });
}

describe('what is not served', () => {
  it.each(notServed)('$what ($source): $decision', async ({ call, member, value, decision }) => {
    const { status, body } = await platform.send(call(platform.things));
    if (member === undefined) expect([400, 404, 405, 415]).toContain(status);
    else {
      const found = valuesAt(body, member);
      const wrong = value === undefined ? found : found.filter((one) => one === value);
      expect({ status, wrong }).toEqual({ status: 200, wrong: [] });
      if (value !== undefined) expect(found).not.toEqual([]);
    }
    const record = await readFile('decisions/observed-wire.md', 'utf8');
    expect(record).toContain(`**${decision}**`);
  });
});
