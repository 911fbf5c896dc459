// Two people who signed in with their accounts label the same images: each is told who the other
// is, and nothing is lost or saved by the wrong one when a sign-in ends.

import type { Browser, Page } from 'playwright-core';
import sharp from 'sharp';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { systemClock } from '../../src/clock.ts';
import { annotationExtensions, reviews } from '../../src/contract/annotation.ts';
import { images } from '../../src/contract/images.ts';
import { projects } from '../../src/contract/projects.ts';
import type { Client } from '../../src/http-client/client.ts';
import { createClient } from '../../src/http-client/create-client.ts';
import { Secret } from '../../src/secret.ts';
import {
  hasChromium,
  inChromium,
  openBrowser,
  type Visit,
  visit,
} from '../event-store/chromium.ts';
import { drag, lookAway, saved } from '../platform/labelling-page.ts';
import { goTo } from '../platform/opened-pages.ts';
import { goAhead } from './account-holder.ts';
import {
  type PlatformWithAccounts,
  password,
  startPlatformWithAccounts,
} from './platform-with-accounts.ts';

let platform: PlatformWithAccounts;
let browser: Browser;
let client: Client;
const visits: Visit[] = [];

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startPlatformWithAccounts();
  await platform.addAccount('Alan Turing', ['acme']);
  const base = async () => ({ url: platform.issuer, credential: new Secret(platform.key) });
  const upstreams = { base, device: base };
  client = createClient({ upstreams, clock: systemClock, timeoutMs: 20_000 });
  const body = { workspace: 'acme', name: 'Cells', annotation: 'cells' };
  await client.call(projects.projects_create, { ...body, type: 'object-detection' });
  browser = await openBrowser();
  return async () => {
    await browser.close();
    await client.close();
    await platform.close();
  };
}, 60_000);

afterEach(async () => {
  for (const { page } of visits.splice(0)) await page.context().close();
});

let made = 0;

async function upload(): Promise<string> {
  made += 1;
  const background = { r: made, g: 80, b: 120 };
  const create = { width: 400, height: 200, channels: 3, background } as const;
  const content = await sharp({ create }).png().toBuffer();
  const file = { name: `slide-${made}.png`, content };
  return (await client.call(images.images_upload, { project: 'cells', file })).body.id;
}

async function boxesOf(imageId: string): Promise<number> {
  const wanted = { workspace: 'acme', project: 'cells', imageId };
  const { annotation } = (await client.call(images.images_get, wanted)).body.image;
  return annotation?.boxes?.length ?? 0;
}

async function signIn(page: Page, email: string) {
  await page.getByRole('button', { name: 'Sign in with your account' }).click();
  await page.getByLabel('Name or email').fill(email);
  await page.getByLabel('Password').fill(password);
  await page.getByRole('button', { name: 'Sign in', exact: true }).click();
  await page.locator('main h2').waitFor();
}

async function openAs(email: string, place: string): Promise<Page> {
  const opened = await visit(browser, `${platform.issuer}/#${place}`);
  visits.push(opened);
  await signIn(opened.page, email);
  return opened.page;
}

const [ada, alan] = ['ada@example.com', 'alan@example.com'];

async function nameClass(page: Page) {
  await page.getByLabel('New class').fill('cell');
  await page.keyboard.press('Enter');
}

/** A dialog, or what the policy of the page has refused. */
function isRunOrRefused(problem: string): boolean {
  return problem.startsWith('dialog') || problem.includes('Content Security Policy');
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('a conflict names the other person, and the log names both', async () => {
    const image = await upload();
    const place = `project/cells/annotate/${image}`;
    const first = await openAs(ada, place);
    const second = await openAs(alan, place);
    for (const page of [first, second]) {
      await nameClass(page);
      await lookAway(page);
    }
    await drag(second, [40, 40], [120, 120]);
    await saved(second);
    await drag(first, [200, 60], [300, 140]);
    const alert = first.getByText('Alan Turing changed this image: they have 1 box (dashed)');
    await alert.waitFor();
    await first.getByRole('button', { name: 'Keep mine' }).click();
    await saved(first);
    await drag(second, [150, 20], [190, 60]);
    await second.getByText('Ada Lovelace changed this image').waitFor();
    await second.getByRole('button', { name: 'Take theirs' }).click();
    await goTo(first, 'activity?kind=image');
    const whose = first.locator('tbody tr td:nth-child(2)');
    expect((await whose.allTextContents()).slice(0, 2)).toEqual(['Ada Lovelace', 'Alan Turing']);
    await first.getByLabel('Who').selectOption('Alan Turing');
    await expect.poll(() => whose.allTextContents()).toEqual(['Alan Turing']);
  });

  test('a name that is markup is text wherever the person is named, also once they are gone', async () => {
    const name = 'Mallory <img src=x onerror="alert(1)">';
    await platform.addAccount(name, ['acme']);
    const image = await upload();
    const place = `project/cells/annotate/${image}`;
    const [first, other] = [await openAs(ada, place), await openAs('mallory@example.com', place)];
    for (const page of [first, other]) {
      await nameClass(page);
      await lookAway(page);
    }
    const runsNothing = async (page: Page) => {
      await page.getByText(name).filter({ visible: true }).first().waitFor();
      expect(await page.locator('img[src="x"], [onerror]').count()).toBe(0);
    };
    await drag(other, [40, 40], [120, 120]);
    await saved(other);
    await drag(first, [200, 60], [300, 140]);
    await first.getByText(`${name} changed this image`).waitFor();
    await runsNothing(first);
    await runsNothing(other);
    for (const path of ['applications', 'connections', 'password']) {
      await other.goto(`${platform.issuer}/settings/${path}`);
      await runsNothing(other);
    }
    await first.getByRole('button', { name: 'Keep mine' }).click();
    await saved(first);
    await platform.removeAccount('mallory@example.com');
    await goTo(first, 'activity?kind=account');
    await first.locator('tbody').getByText(`${name} (removed)`).first().waitFor();
    await runsNothing(first);
    expect(visits.flatMap(({ problems }) => problems.filter(isRunOrRefused))).toEqual([]);
  });

  test('a decision names who made it, on the page and to the agent that asked for it', async () => {
    const image = await upload();
    const where = { workspace: 'acme', project: 'cells' };
    const wanted = { ...where, images: [image], instructions: 'Look' };
    const { jobId } = (await client.call(reviews.annotation_review, wanted)).body;
    const first = await openAs(ada, `project/cells/annotate/${image}?job=${jobId}`);
    await first.getByLabel('Why it is sent back').fill('A cell is missing.');
    await first.getByRole('button', { name: 'Send back' }).click();
    await first.getByText('Ada Lovelace sent it back: “A cell is missing.”').waitFor();
    const known = { ...where, jobId };
    const { body } = await client.call(annotationExtensions.annotation_jobs_images, known);
    expect(body.images[0]?.decided_by).toBe(`token:${platform.ada.id}`);
  });

  test('a change that meets the end of a sign-in waits for the next one', async () => {
    const image = await upload();
    const page = await openAs(ada, `project/cells/annotate/${image}`);
    await nameClass(page);
    await lookAway(page);
    goAhead(25 * 60 * 60 * 1_000);
    await drag(page, [40, 40], [120, 120]);
    await page.getByText('Your sign-in has ended.').waitFor();
    expect(await boxesOf(image)).toBe(0);
    // The browser is signed in at the service still, so the page is not left.
    await page.getByRole('button', { name: 'Sign in with your account' }).click();
    await page.locator('main h2').waitFor();
    await page.getByRole('status').getByText('Annotated.').waitFor();
    expect(await boxesOf(image)).toBe(1);
    expect(await page.locator('.box-row').count()).toBe(1);
  });

  test('a change outlives a sign-in for which the page is left, for the same person alone', async () => {
    const image = await upload();
    for (const [next, count] of [
      [ada, 1],
      [alan, 1],
    ] as const) {
      const page = await openAs(ada, `project/cells/annotate/${image}`);
      const dialogs: string[] = [];
      page.on('dialog', (dialog) => dialogs.push(dialog.type()));
      await nameClass(page);
      await lookAway(page);
      await endToken(page);
      await drag(page, [40, 40], [120, 120]);
      await page.getByText('Your sign-in has ended.').waitFor();
      // The browser is signed out at the service too.
      await page.context().clearCookies();
      await signIn(page, next);
      await page.locator('.box-row').waitFor();
      await expect.poll(() => boxesOf(image)).toBe(count);
      expect(await page.locator('.box-row').count()).toBe(1);
      expect(dialogs).toEqual([]);
    }
  });

  test('what one person left unsaved is not saved by the next one', async () => {
    const image = await upload();
    const page = await openAs(ada, `project/cells/annotate/${image}`);
    await nameClass(page);
    await lookAway(page);
    await endToken(page);
    await drag(page, [40, 40], [120, 120]);
    await page.getByText('Your sign-in has ended.').waitFor();
    await page.getByLabel('API key').fill(platform.key);
    await page.getByRole('button', { name: 'Open', exact: true }).click();
    await page.getByRole('status').getByText('Nobody has annotated this image.').waitFor();
    await page.getByText('Labels of 1 image wait in this tab for Ada Lovelace of acme').waitFor();
    expect(await boxesOf(image)).toBe(0);
    await page.getByRole('button', { name: 'Forget the key' }).click();
    await page.context().clearCookies();
    await signIn(page, ada);
    await page.locator('.box-row').waitFor();
    await expect.poll(() => boxesOf(image)).toBe(1);
  });
});

/** Ends the sign-in of the page, and leaves the browser signed in at the service. */
async function endToken(page: Page) {
  await page.evaluate(`fetch('/oauth/revoke', { method: 'POST', body: new URLSearchParams({
    client_id: 'fovea-page', token: sessionStorage.getItem('fovea-key'),
  }) })`);
}
