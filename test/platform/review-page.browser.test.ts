// Reviewing on the page of the platform, in a real browser: images of an annotation job are
// approved or sent back, and two people never replace each other's decision unseen.

import type { Page } from 'playwright-core';
import { describe, expect, test } from 'vitest';
import { activity } from '../../src/contract/activity.ts';
import { apiKeys } from '../../src/contract/api-keys.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  boxesOf,
  call,
  createJob,
  drag,
  labellingPage,
  lookAway,
  open,
  saved,
  setBoxes,
  upload,
  uploadLabelled,
} from './labelling-page.ts';

const { url } = labellingPage();

/** Images with one box each. */
const labelled = (count: number) => uploadLabelled(count, ['RBC', 10, 10, 20, 20], ['reviewed']);

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('images of a job are approved and sent back by keys, with progress, one after the other', async () => {
    const ids = await labelled(3);
    const { jobId, decisions } = await createJob('Look at the small ones.', ids);
    const { page, problems } = await open(`?job=${jobId}`);
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByText('Look at the small ones.').waitFor();
    await review.getByText('0 approved, 0 sent back, 3 left').waitFor();
    const names = [await page.locator('main h2').textContent()];
    await page.keyboard.press('a');
    await review.getByText('1 approved, 0 sent back, 2 left').waitFor();
    await page.getByText('2 of 3').waitFor();
    names.push(await page.locator('main h2').textContent());
    await page.keyboard.press('s');
    // In the comment, letters are no commands.
    await page.keyboard.type('a box is missing');
    await page.keyboard.press('Control+Enter');
    await review.getByText('1 approved, 1 sent back, 1 left').waitFor();
    await page.getByText('3 of 3').waitFor();
    await page.getByRole('button', { name: 'Send back' }).click();
    // Not without a reason.
    await review.getByText('1 approved, 1 sent back, 1 left').waitFor();
    await page.getByLabel('Why it is sent back').fill('too dark');
    await page.getByRole('button', { name: 'Send back' }).click();
    await page.getByText('Every image of this job is decided.').waitFor();
    await review.getByText('1 approved, 2 sent back, 0 left').waitFor();
    expect(new Set(names).size).toBe(2);
    const told = [...(await decisions()).values()].toSorted();
    expect(told).toEqual([
      ['approved'],
      ['rejected', 'a box is missing'],
      ['rejected', 'too dark'],
    ]);
    const { body } = await call(activity.activity_list, {
      workspace: 'acme',
      action: 'annotation_jobs_decide',
      limit: 10,
    });
    // Those of a row are one entry, which names its images.
    expect(body.entries.map(({ verb, who, count }) => [verb, who, count])).toEqual([
      ['sent back', 'environment', 2],
      ['approved', 'environment', 1],
    ]);
    expect(problems).toEqual([]);
  });

  test('an image whose approval somebody withdraws meanwhile comes once more at the end', async () => {
    const [first = '', second = ''] = await labelled(2);
    const { jobId, decisions } = await createJob('Both.', [first, second]);
    const { page } = await open(`${first}?job=${jobId}`);
    const review = page.getByRole('region', { name: 'Review' });
    await page.keyboard.press('a');
    await page.getByText('2 of 2').waitFor();
    await setBoxes(first, [['WBC', 30, 30, 20, 20]]);
    await page.keyboard.press('a');
    await page.getByText('1 of 2').waitFor();
    await review.getByText('1 approved, 0 sent back, 1 left').waitFor();
    await page.keyboard.press('a');
    await page.getByText('Every image of this job is decided.').waitFor();
    expect([...(await decisions()).values()]).toEqual([['approved'], ['approved']]);
  });

  test('a job is found on the page of its project, and begins where it was left', async () => {
    const ids = await labelled(2);
    const { jobId } = await createJob('Left in the middle', ids);
    const { page } = await open(`?job=${jobId}`);
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.press('a');
    await page.getByText('2 of 2').waitFor();
    await page.goto(`${url()}/#project/cells`);
    const row = page.getByRole('row', { name: 'Left in the middle' });
    await row.getByText('1 approved, 0 sent back, 1 left').waitFor();
    await row.getByRole('link', { name: 'Left in the middle', exact: true }).click();
    await page.getByText('2 of 2').waitFor();
  });

  test('who opens a job mends first what somebody else sent back, with why, and sees the progress', async () => {
    const ids = await labelled(3);
    const { jobId, decide } = await createJob('To be mended', ids);
    const [, , third = ''] = ids;
    await decide(third, { decision: 'send_back', comment: 'One is missing.' });
    const { body: made } = await call(apiKeys.api_keys_create, { workspace: 'acme', name: 'Bob' });
    const { page } = await open(`?job=${jobId}`, { key: made.key });
    await page.getByText("The platform's own key sent it back: “One is missing.”").waitFor();
    await page.getByText('0 approved, 1 sent back, 2 left, 2 of them labelled').waitFor();
    // Who sent it back goes on where nobody has decided.
    const reviewer = await open(`?job=${jobId}`);
    await reviewer.page.getByText('Nobody has decided about this image.').waitFor();
  });

  test('keys that are typed before the next image is there are meant for it', async () => {
    const ids = await labelled(3);
    const { jobId, decisions } = await createJob('Typed ahead', ids);
    const { page, problems } = await open(`?job=${jobId}`);
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByText('0 approved, 0 sent back, 3 left').waitFor();
    const first = await page.locator('main h2').textContent();
    const letGo = await holdImages(page);
    await page.keyboard.press('a');
    await page.keyboard.press('s');
    await page.keyboard.type('too bright');
    for (let letter = 0; letter < 'bright'.length; letter += 1) {
      await page.keyboard.press('Backspace');
    }
    await page.keyboard.type('dark');
    // The one that is to be approved is shown still.
    expect(await page.locator('main h2').textContent()).toBe(first);
    expect(await page.getByLabel('Why it is sent back').inputValue()).toBe('');
    await page.keyboard.press('Control+Enter');
    await page.keyboard.press('n');
    letGo();
    await review.getByText('1 approved, 1 sent back, 1 left').waitFor();
    const told = [...(await decisions()).values()].toSorted();
    expect(told).toEqual([['annotated'], ['approved'], ['rejected', 'too dark']]);
    expect(problems).toEqual([]);
  });

  test('keys that are typed while a decision fails are forgotten', async () => {
    const ids = await labelled(2);
    const { jobId, decisions, decide } = await createJob('Typed on', ids);
    const [id = ''] = ids;
    const { page } = await open(`${id}?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await decide(id, { decision: 'send_back', comment: 'No.' });
    const letDecide = await holdImages(page);
    await page.keyboard.press('a');
    // A second time would replace what the other one decided; a new box would withdraw it.
    await page.keyboard.press('a');
    await page.keyboard.press('b');
    const refused = page.waitForResponse((response) => response.status() === 409);
    const letRead = await holdImages(page, 'GET');
    letDecide();
    await refused;
    // The page reads what the other one decided: nobody sees yet that the decision failed.
    await page.keyboard.press('a');
    await page.keyboard.press('b');
    letRead();
    await page.getByText('Decide again to replace that.').waitFor();
    expect((await decisions()).get(id)).toEqual(['rejected', 'No.']);
    expect(await boxesOf(id)).toEqual([['RBC', 10, 10, 20, 20]]);
    // From now on they count again.
    await page.keyboard.press('a');
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
  });

  test('keys that are typed while a decision takes long change nothing, now or later', async () => {
    const ids = await labelled(2);
    const { jobId, decisions } = await createJob('Slow', ids);
    const { page } = await open(`?job=${jobId}`);
    await page.getByText('1 of 2').waitFor();
    const letDecide = await holdImages(page);
    await page.keyboard.press('a');
    await page.keyboard.press('b');
    // Nobody remembers after so long.
    await page.clock.runFor(15_000);
    await page.keyboard.press('b');
    letDecide();
    await page.getByText('2 of 2').waitFor();
    expect([...(await decisions()).values()].toSorted()).toEqual([['annotated'], ['approved']]);
    for (const id of ids) expect(await boxesOf(id)).toEqual([['RBC', 10, 10, 20, 20]]);
    // The next image hears keys again.
    await page.keyboard.press('a');
    await page.getByText('Every image of this job is decided.').waitFor();
  });

  test('the decision of somebody else is shown, and replaced only when asked', async () => {
    const ids = await labelled(2);
    const hostile = '<img src=x onerror="document.title=\'run\'">';
    const { jobId, decisions, decide } = await createJob(`${hostile} and more`, ids);
    const [id = ''] = ids;
    const { page, problems } = await open(`${id}?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await decide(id, { decision: 'send_back', comment: hostile });
    await page.keyboard.press('a');
    await page.getByText('Decide again to replace that.').waitFor();
    // What they said is text.
    await page.getByText(`The platform's own key sent it back: “${hostile}”`).waitFor();
    await page.getByRole('heading', { name: `${hostile} and more` }).waitFor();
    expect(await page.locator('.review img').count()).toBe(0);
    expect(await page.title()).not.toContain('run');
    expect((await decisions()).get(id)).toEqual(['rejected', hostile]);
    await page.keyboard.press('a');
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });

  test('boxes that somebody changed meanwhile are shown before anything is decided', async () => {
    const ids = await labelled(1);
    const { jobId, decisions } = await createJob('Changed', ids);
    const [id = ''] = ids;
    const { page } = await open(`${id}?job=${jobId}`);
    await page.locator('.box-row').waitFor();
    await lookAway(page);
    await setBoxes(id, [['WBC', 100, 100, 50, 50]]);
    await page.keyboard.press('a');
    // Nothing of one's own is in danger: so there is nothing to choose between.
    await page
      .getByText(
        'The labels of this image have changed meanwhile. Nothing was changed: look at the image ' +
          'again first. You see them as they are now: decide again.',
      )
      .waitFor();
    expect(await page.locator('.box-row').allTextContents()).toEqual(['WBC 50 × 50 at 100, 100']);
    expect(await page.getByRole('button', { name: 'Keep mine' }).isVisible()).toBe(false);
    expect((await decisions()).get(id)).toEqual(['annotated']);
    await page.keyboard.press('a');
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
    expect(await boxesOf(id)).toEqual([['WBC', 100, 100, 50, 50]]);
  });

  test('who decided is told in words, not by the id of a key', async () => {
    const ids = await labelled(1);
    const { jobId } = await createJob('By a key', ids);
    const { body: made } = await call(apiKeys.api_keys_create, { workspace: 'acme', name: 'Ada' });
    const { page } = await open(`?job=${jobId}`, { key: made.key });
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.keyboard.press('a');
    await page.getByText(/^An API key approved it/).waitFor();
  });

  test('what went wrong is not said any more once a person took the boxes of the other one', async () => {
    const ids = await labelled(1);
    const { jobId, decisions } = await createJob('Two at once', ids);
    const [id = ''] = ids;
    const { page } = await open(`${id}?job=${jobId}`);
    await page.locator('.box-row').waitFor();
    await lookAway(page);
    await setBoxes(id, [['WBC', 100, 100, 50, 50]]);
    await drag(page, [200, 100], [250, 150]);
    await page.getByRole('button', { name: 'Take theirs' }).waitFor();
    await page.keyboard.press('a');
    const refused = page.getByText('Not decided: the labels are not saved.');
    await refused.waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await refused.waitFor({ state: 'hidden' });
    await page.keyboard.press('a');
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
    expect(await boxesOf(id)).toEqual([['WBC', 100, 100, 50, 50]]);
  });

  test('a change of the labels withdraws an approval, which the page shows', async () => {
    const ids = await labelled(2);
    const { jobId, decisions } = await createJob('Changed after all', ids);
    const { page } = await open(`?job=${jobId}`);
    const review = page.getByRole('region', { name: 'Review' });
    await page.getByText('1 of 2').waitFor();
    await page.keyboard.press('a');
    await page.getByText('2 of 2').waitFor();
    await page.keyboard.press('p');
    await page.getByText('1 of 2').waitFor();
    await review.getByText("The platform's own key approved it").waitFor();
    await drag(page, [100, 100], [150, 150]);
    await review.getByText('0 approved, 0 sent back, 2 left').waitFor();
    await review.getByText('Its labels were changed since: that counts no more.').waitFor();
    expect([...(await decisions()).values()]).toEqual([['annotated'], ['annotated']]);
    // So it comes again.
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
    await page.keyboard.press('a');
    await page.getByText('1 of 2').waitFor();
    await review.getByText('1 approved, 0 sent back, 1 left').waitFor();
  });

  test('boxes that were just drawn are saved before the image is approved', async () => {
    const ids = await labelled(1);
    const { jobId, decisions } = await createJob('Drawn', ids);
    const [id = ''] = ids;
    const { page } = await open(`${id}?job=${jobId}`);
    await page.locator('.box-row').waitFor();
    await drag(page, [100, 100], [150, 150]);
    await page.keyboard.press('a');
    await page.getByText('Every image of this job is decided.').waitFor();
    expect((await decisions()).get(id)).toEqual(['approved']);
    expect((await boxesOf(id))?.length).toBe(2);
  });

  test('what nobody annotated is not approved: it is marked as empty first', async () => {
    const id = await upload();
    const { jobId, decisions } = await createJob('Nothing there', [id]);
    const { page } = await open(`?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.keyboard.press('a');
    await page.getByText('Nobody has annotated this image yet.').waitFor();
    await page.keyboard.press('e');
    await saved(page);
    await page.keyboard.press('a');
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
  });

  test('without a network a decision waits, and is sent when it is back', async () => {
    const ids = await labelled(1);
    const { jobId, decisions } = await createJob('Offline', ids);
    const [id = ''] = ids;
    const { page } = await open(`?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('a');
    await page.getByText('Approved, but not sent yet').waitFor();
    expect((await decisions()).get(id)).toEqual(['annotated']);
    await page.context().setOffline(false);
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['approved']);
    await page.getByText('1 approved, 0 sent back, 0 left').waitFor();
  });

  test('a decision that waits outlives a reload, and replaces none that somebody else made since', async () => {
    const ids = await labelled(2);
    const { jobId, decisions, decide } = await createJob('Reloaded', ids);
    const [id = '', other = ''] = ids;
    const { page } = await open(`${id}?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    const decided = /\/acme\/cells\/jobs\/[^/]+\/images\/[^/]+$/;
    await page.route(decided, (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.getByLabel('Why it is sent back').fill('too dark');
    await page.getByRole('button', { name: 'Send back' }).click();
    await page.getByText('Sent back: “too dark”, but not sent yet').waitFor();
    await page.reload();
    await page.getByText('Sent back: “too dark”, but not sent yet').waitFor();
    expect((await decisions()).get(id)).toEqual(['annotated']);
    await page.unroute(decided);
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['rejected', 'too dark']);
    await page.goto(`${url()}/#project/cells/annotate/${other}?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.route(decided, (route) =>
      route.request().method() === 'POST' ? route.abort() : route.continue(),
    );
    await page.keyboard.press('a');
    await page.getByText('Approved, but not sent yet').waitFor();
    await decide(other, { decision: 'send_back', comment: 'no' });
    await page.reload();
    await page.getByText('Approved, but not sent yet').waitFor();
    await page.unroute(decided);
    await page.getByText('Decide again to replace that.').waitFor();
    expect((await decisions()).get(other)).toEqual(['rejected', 'no']);
    await page.reload();
    await page.getByText('sent it back: “no”').waitFor();
    expect((await decisions()).get(other)).toEqual(['rejected', 'no']);
  });

  test('the next image is loaded once where somebody goes there before the decision is known', async () => {
    const [first = '', second = ''] = await labelled(2);
    const { jobId } = await createJob('Twice', [first, second]);
    const { page } = await open(`${first}?job=${jobId}`);
    await page.getByText('1 of 2').waitFor();
    const decided = Promise.withResolvers<void>();
    await page.route(/\/jobs\/[^/]+\/images\/[^/]+$/, async (route) => {
      if (route.request().method() === 'POST') await decided.promise;
      await route.continue();
    });
    await page.keyboard.press('a');
    const letGo = await holdImages(page, 'GET');
    let asked = 0;
    page.on('request', (request) => {
      if (request.url().endsWith(`/cells/images/${second}`)) asked += 1;
    });
    const next = `#project/cells/annotate/${second}?job=${jobId}`;
    await page.goto(`${url()}/${next}`);
    // The address is that of the image that is shown until the other one is there.
    await page.waitForFunction(`location.hash !== '${next}'`);
    expect(asked).toBe(1);
    decided.resolve();
    await page.getByText('1 approved, 0 sent back, 1 left').waitFor();
    await page.waitForFunction(`location.hash === '${next}'`);
    letGo();
    await page.getByText('2 of 2').waitFor();
    await page.getByText('Nobody has decided about this image.').waitFor();
    expect(asked).toBe(1);
  });

  test('of decisions that wait the last one is sent, and the words of it are kept', async () => {
    const ids = await labelled(2);
    const { jobId, decisions } = await createJob('Decided twice', ids);
    const [id = '', other = ''] = ids;
    const { page } = await open(`${id}?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.context().setOffline(true);
    await page.keyboard.press('a');
    await page.getByText('Approved, but not sent yet').waitFor();
    await page.keyboard.press('s');
    await page.keyboard.type('too dark');
    await page.keyboard.press('Control+Enter');
    await page.getByText('Sent back: “too dark”, but not sent yet').waitFor();
    await page.context().setOffline(false);
    await expect.poll(async () => (await decisions()).get(id)).toEqual(['rejected', 'too dark']);
    await page.goto(`${url()}/#project/cells/annotate/${other}?job=${jobId}`);
    await page.getByText('Nobody has decided about this image.').waitFor();
    await page.context().setOffline(true);
    await page.getByLabel('Why it is sent back').fill('no');
    await page.getByRole('button', { name: 'Send back' }).click();
    await page.getByText('Sent back: “no”, but not sent yet').waitFor();
    await page.getByRole('button', { name: 'Approve' }).click();
    await page.getByText('Approved, but not sent yet').waitFor();
    await page.context().setOffline(false);
    await expect.poll(async () => (await decisions()).get(other)).toEqual(['approved']);
    await page.getByText('1 approved, 1 sent back, 0 left').waitFor();
  });

  test('the images of a search become a review', async () => {
    const ids = [await upload('cells', ['fresh']), await upload('cells', ['fresh'])];
    for (const id of ids) await setBoxes(id, [['RBC', 1, 1, 9, 9]]);
    const { page } = await open('?q=tag%3Afresh');
    await page.getByText('1 of 2').waitFor();
    await page.getByRole('button', { name: 'Review these images' }).click();
    await page.getByRole('heading', { name: 'Review of tag:fresh' }).waitFor();
    await page.keyboard.press('a');
    await page.getByText('1 approved, 0 sent back, 1 left').waitFor();
    // Images of an open job are in no other one.
    await page.goto(`${url()}/#project/cells/annotate/?q=tag%3Afresh`);
    await page.getByRole('button', { name: 'Review these images' }).click();
    await page.getByText('No review was started').waitFor();
  });
});

/** Requests about images, of this method or of any, go out once they are let go. */
async function holdImages(page: Page, method?: string): Promise<() => void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  await page.route(ofImages, async (route) => {
    if (method === undefined || route.request().method() === method) await promise;
    await route.fallback();
  });
  return resolve;
}

const ofImages = /\/acme\/cells\/(jobs\/[^/]+\/)?images[/?][^/]+$/;
