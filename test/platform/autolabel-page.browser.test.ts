// What Auto Label labelled is a queue on the labelling page: a person corrects, approves and sends
// back, and the task of the review tells what they did.

import { expect, test } from 'vitest';
import { annotation, reviews } from '../../src/contract/annotation.ts';
import { tasks } from '../../src/contract/tasks.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { useOpenedPages } from './opened-pages.ts';
import { redAt, sharedLabelling, squaresModel } from './platform-with-model.ts';

const open = useOpenedPages();
const labelling = sharedLabelling({ model: squaresModel });

test.skipIf(!hasChromium)(
  `what a model labelled is corrected and decided, ${inChromium}`,
  async () => {
    const fixture = labelling();
    const { client } = fixture.platform;
    const project = await fixture.newProject();
    for (const place of [1, 6]) await fixture.upload(project, await redAt(place));
    const at = { workspace: 'acme', project };
    const { body: started } = await client.call(annotation.autolabel_start, {
      ...at,
      batchId: await fixture.batchOf(project),
      modelType: 'local',
    });
    await fixture.ended(String(started.taskId));
    const job = String(started.annotationJobId);
    const { body: review } = await client.call(reviews.annotation_review, { ...at, job });
    const { page, problems } = await open(
      fixture.platform,
      `project/${project}/annotate/?job=${review.jobId}`,
    );
    await page.getByText('1 of 2').waitFor();
    await page.getByText('0 approved, 0 sent back, 2 left').waitFor();
    expect(await page.locator('.box-row').count()).toBe(1);
    for (const key of ['j', 'Delete', 'a']) await page.keyboard.press(key);
    await page.getByText('2 of 2').waitFor();
    await page.getByText('1 approved, 0 sent back, 1 left').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('too coarse');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Every image of this job is decided.').waitFor();
    const { body: task } = await client.call(tasks.tasks_get, {
      workspace: 'acme',
      taskId: review.taskId,
    });
    expect(task).toMatchObject({
      status: 'completed',
      result: {
        approved: 1,
        sentBack: 1,
        sentBackImages: [{ comment: 'too coarse' }],
        changes: [{ images: 1, classes: { red: { removed: 1 } } }],
      },
    });
    expect(problems).toEqual([]);
  },
  60_000,
);
