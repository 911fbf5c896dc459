// docs/image-map.png: the clusters of the images in a folder, as `projects_findings` draws them.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { projectExtensions, projects } from '../../src/contract/projects.ts';
import { startTestPlatform } from '../../test/fixtures/platform.ts';
import { saveImage } from './save-picture.ts';

const { values } = parseArgs({ allowPositionals: true, options: { folder: { type: 'string' } } });
const folder = values.folder ?? 'sample/blood-cells/JPEGImages';
const platform = await startTestPlatform();
const { client, url, key } = platform;
const settings = { name: 'Blood cells', type: 'object-detection', annotation: 'cells' } as const;
await client.call(projects.projects_create, { workspace: 'acme', ...settings });
for (const [place, name] of readdirSync(folder).sort().entries()) {
  const split = ['train', 'train', 'train', 'valid', 'test'][place % 5] ?? 'train';
  const query = new URLSearchParams({ name, split });
  const answer = await fetch(`${url}/dataset/blood-cells/upload?${query}`, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/x-www-form-urlencoded',
    },
    body: readFileSync(join(folder, name)).toString('base64'),
  });
  if (!answer.ok) throw new Error(`${name}: ${await answer.text()}`);
}
const { body } = await client.call(projectExtensions.projects_findings, {
  workspace: 'acme',
  project: 'blood-cells',
  finding: 'clusters',
  picture: true,
});
await saveImage(Buffer.from(body.sheet ?? '', 'base64'), 'image-map', 900);
await platform.close();
