// Reviews that were decided before it was kept what labels were decided about: they stay readable.

import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { expect, it } from 'vitest';
import { platformMigrations } from '../../../src/platform/database/migrations.ts';
import { startTestPlatform, withRowsInFolder } from '../../fixtures/platform.ts';
import { temporaryFolder } from '../../fixtures/temporary-folder.ts';
import { callsTo, redAt } from '../platform-with-model.ts';

/** As the folder was before the step that keeps them. */
function takeBack(data: string) {
  const place = platformMigrations.findIndex(({ name }) => name === 'review_labels');
  const database = new DatabaseSync(join(data, 'platform.db'));
  database.exec(`
    DROP TABLE annotation_job_changers;
    ALTER TABLE annotation_job_images DROP COLUMN changed;
    ALTER TABLE annotation_job_labels DROP COLUMN decided;
    ALTER TABLE annotation_job_images DROP COLUMN labels_changed;
    DROP INDEX likeness_vectors_unmeasured;
    ALTER TABLE likeness_vectors DROP COLUMN sharpness;
    PRAGMA user_version = ${place};`);
  database.close();
}

it('have the labels of the day of the upgrade, and nobody as the one who changed them', async () => {
  const data = await temporaryFolder();
  const options = { data, ...withRowsInFolder };
  const before = await startTestPlatform(options);
  const calls = callsTo(before.url);
  const project = await calls.newProject();
  const image = await calls.upload(project, await redAt(0));
  await calls.annotate(project, image);
  const made = await calls.tell('POST', `/acme/${project}/reviews`, { images: [image] });
  const job = String(made.body.jobId);
  await calls.annotate(project, image, '&overwrite=true', 'blue');
  const decision = { decision: 'approve', decisions: 0 };
  await calls.tell('POST', `/acme/${project}/jobs/${job}/images/${image}`, decision);
  await before.close();
  takeBack(data);
  const after = await startTestPlatform(options);
  const { tell, annotate } = callsTo(after.url);
  await annotate(project, image, '&overwrite=true', 'green');
  const { body } = await tell('GET', `/acme/asynctasks/${job}`);
  expect(body.result).toMatchObject({
    approved: 1,
    changedImages: 1,
    changes: [
      {
        decidedBy: "the platform's own key",
        images: 1,
        classes: { red: { renamed: { blue: 1 } } },
      },
    ],
  });
  expect(Object(body.result).changes[0]).not.toHaveProperty('by');
  await after.close();
});
