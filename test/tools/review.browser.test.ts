// A review from both sides: an agent asks for it by the words of the tool alone, a person follows
// its command into a real browser, and the agent is told what they decided and changed.

import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { hasChromium, inChromium, openBrowser, visit } from '../event-store/chromium.ts';
import { type Fovea, launchFovea } from '../fixtures/fovea.ts';
import { startFovea } from '../fixtures/fovea-services.ts';

const sample = 'sample/blood-cells';

let fovea: Fovea;
let browser: Browser;

beforeAll(async () => {
  fovea = await launchFovea();
  await fovea.ok('projects_create', { name: 'Cells', type: 'object-detection', annotation: 'x' });
  await fovea.ok('images_upload', {
    project: 'cells',
    files: [`${sample}/JPEGImages`],
    annotations: `${sample}/Annotations`,
    split: 'test',
  });
  if (hasChromium) browser = await openBrowser();
}, 60_000);

afterAll(async () => {
  await browser?.close();
  await fovea.close();
});

/** As a person runs the command that the agent passes on. */
async function follow(command: unknown) {
  const [program, ...words] = String(command).split(' ');
  expect(program).toBe('fovea');
  const environment = { HOME: fovea.home, FOVEA_HOME: fovea.home, FOVEA_NO_BROWSER: '1' };
  const service = await startFovea(words, environment);
  onTestFinished(() => service.stop());
  const { page, problems } = await visit(browser, service.url);
  onTestFinished(() => page.context().close());
  return { page, problems };
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 90_000 }, () => {
  test('the person lands signed in at the images, and the agent learns what they did', async () => {
    const asked = await fovea.call('annotation_review', {
      project: 'cells',
      query: 'class:Platelets>=3',
      instructions: 'Is every platelet there?',
    });
    const { command, taskId, undecided } = asked.data;
    expect(asked.text).toContain(`tell them to run "${command}"`);
    expect(undecided).toBe(3);
    const waiting = await fovea.call('tasks_wait', { taskId, timeout_s: 0 });
    expect(waiting.text).toContain('is not done yet');
    const { page, problems } = await follow(command);
    await page.getByText('Is every platelet there?').waitFor();
    await page.locator('.box-row').first().waitFor();
    await page.keyboard.press('j');
    await page.keyboard.press('Delete');
    await page.keyboard.press('a');
    await page.getByText('2 of 3').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('Two cells are one box.');
    await page.keyboard.press('Control+Enter');
    await page.getByText('3 of 3').waitFor();
    const half = await fovea.ok('tasks_wait', { taskId, timeout_s: 0 });
    expect(half).toMatchObject({ status: 'running', progress: { current: 2, total: 3 } });
    await page.keyboard.press('a');
    await page.getByText('Every image of this job is decided.').waitFor();
    const { text, data } = await fovea.call('tasks_wait', { taskId });
    expect(text).toContain('2 approved, 1 sent back, with comments (decided: 3 by');
    expect(text).toContain('labels of 1 image changed (1 by');
    expect(data).toMatchObject({
      status: 'completed',
      done: true,
      result: {
        approved: 2,
        sentBack: 1,
        sentBackImages: [{ comment: 'Two cells are one box.', by: 'the page of fovea open' }],
        changedImages: 1,
      },
    });
    const [{ by, decidedBy, classes }] = Object(data.result).changes;
    // Not by the agent, whose key would be the platform's own.
    expect([by, decidedBy]).toEqual([['the page of fovea open'], 'the page of fovea open']);
    expect(Object.values(classes)).toEqual([{ removed: 1 }]);
    expect(problems).toEqual([]);
  });
});

test('says what is wrong with a request, and asks nobody then', async () => {
  const review = async (args: object) => {
    const { isError, text } = await fovea.call('annotation_review', { project: 'cells', ...args });
    return [isError, text];
  };
  const both = await review({ query: '*', images: ['a'] });
  expect(both).toEqual([true, expect.stringContaining('give one of images, query, job')]);
  expect(await review({})).toEqual([true, expect.stringContaining('give one of images, query')]);
  const nothing = await review({ query: 'class:Nothing' });
  expect(nothing).toEqual([false, expect.stringContaining('finds no image')]);
  expect((await review({ images: ['none'] }))[1]).toContain('are not in this project');
  expect((await review({ job: 'none' }))[1]).toContain('annotation_jobs_list');
});

test('goes on with an annotation job, until all of it is decided', async () => {
  const found = await fovea.ok('workspace_search', { query: '-class:Platelets>=3' });
  const images = [found.results].flat().map((image) => Object(image).id);
  const people = { labelerEmail: 'lea@example.com', reviewerEmail: 'rob@example.com' };
  const job = { project: 'cells', name: 'By hand', images: images.slice(0, 2), ...people };
  const { id } = await fovea.ok('annotation_jobs_create', job);
  const asked = await fovea.ok('annotation_review', {
    project: 'cells',
    job: id,
    instructions: 'Look again.',
  });
  expect(asked).toMatchObject({
    jobId: id,
    taskId: id,
    images: 2,
    undecided: 2,
    command: `fovea open cells/review/${id}`,
  });
  expect(await fovea.ok('annotation_jobs_get', { project: 'cells', jobId: id })).toMatchObject({
    instructionsText: 'Look again.',
    reviewer: 'rob@example.com',
  });
  // An image of an open job is in no other one.
  const again = await fovea.call('annotation_review', { project: 'cells', images });
  expect([again.isError, again.text]).toEqual([
    true,
    expect.stringContaining('are in an open job'),
  ]);
});
