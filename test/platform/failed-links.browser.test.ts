// Links of the platform's page that lead nowhere, conditions that nobody knows, and answers that
// take long: nothing that was shown before may pass for the answer.

import { beforeAll, describe, expect, test } from 'vitest';
import { projects } from '../../src/contract/projects.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { violationsOfAll } from './axe-violations.ts';
import { goTo, useOpenedPages } from './opened-pages.ts';

const open = useOpenedPages();
let platform: TestPlatform;

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startTestPlatform();
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Cells',
    type: 'object-detection',
    annotation: 'cells',
  });
  return () => platform.close();
}, 60_000);

/** Links, what the page says of them, and where it leads back to. */
const failing = [
  ['bogus', 'There is no page “bogus” here.', '#projects'],
  ['project/cells/bogus', 'There is no page “project/cells/bogus” here.', '#project/cells'],
  ['project/nope', 'project', '#projects'],
  ['project/nope/images', 'project', '#project/nope'],
  ['project/nope/annotate/?q=tag%3Anight', 'project', '#project/nope/images'],
  ['project/cells/image/nope', 'image', '#project/cells/images'],
  ['project/cells/evaluation/nope', 'evaluation', '#project/cells/evaluations'],
  ['project/cells/training/1/nope', 'version', '#project/cells/trainings'],
  ['project/cells/images?page=7', '“page”', '#project/cells'],
  ['project/cells/images?offset=-1', '“offset”', '#project/cells'],
  ['project/cells/evaluation/nope?panel=x', '“panel”', '#project/cells/evaluations'],
  ['project/cells/evaluations/zzz', 'evaluation', '#project/cells/evaluations'],
  ['project/cells/versions/99', 'There is no version 99.', '#project/cells/versions'],
  ['project/cells/versions?status=x', '“status”', '#project/cells'],
  ['events/nope', 'nope', '#events'],
  ['event/nope/nope', 'nope', '#events/nope'],
] as const;

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('a link that fails shows what was not found and the way back, and nothing else', async () => {
    const { page } = await open(platform, 'tasks');
    for (const [place, words, back] of failing) {
      await goTo(page, 'projects');
      await page.locator('.card').waitFor();
      await goTo(page, place);
      const alert = page.locator('main').getByRole('alert');
      await alert.waitFor();
      expect(await alert.textContent(), place).toContain(words);
      // Neither tools nor calls: a person is led by links.
      expect(await alert.textContent(), place).not.toMatch(/[a-z]_[a-z]|GET /);
      // Of a search that nobody typed.
      expect(await alert.textContent(), place).not.toContain('at character');
      expect(await page.locator('.card').count(), place).toBe(0);
      expect(await page.locator('#problem').isVisible(), place).toBe(false);
      expect(await page.locator('main a').first().getAttribute('href'), place).toBe(back);
      expect(await page.locator('#views').isVisible(), place).toBe(true);
    }
    expect(await violationsOfAll(page)).toEqual([]);
    await goTo(page, 'bogus');
    expect(await page.locator('#views [aria-current]').count()).toBe(0);
  });

  test('conditions that a list does not know are refused above it, with those that it knows', async () => {
    const { page } = await open(platform, 'activity?from=yesterday');
    const alert = page.locator('main').getByRole('alert');
    expect(await alert.textContent()).toContain('“from”. Known: kind, who, project, action, since');
    expect(await page.locator('tbody tr').count()).toBe(0);
    for (const [place, words] of [
      ['activity?since=yesterday', 'since'],
      ['project/cells/jobs?status=bogus', '“bogus” of jobs. There are: assigned, in_progress, in_'],
      ['tasks?status=bogus', 'status'],
    ] as const) {
      await goTo(page, place);
      await alert.waitFor();
      expect(await alert.textContent(), place).toContain(words);
    }
    // What is wrong is chosen anew where it stands.
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No task is in that state').waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
  });

  test('a filter names the columns when it is asked for one that is not there', async () => {
    const { page, problems } = await open(platform, 'activity?q=status:project');
    const refusal = page.getByText('at character 1: there is no column “status”');
    await refusal.waitFor();
    expect(await refusal.textContent()).toContain('Columns: time, who, what, names, project, by.');
    expect(await page.locator('tbody tr:visible').count()).toBe(0);
    const filter = page.getByLabel('Filter');
    expect(await filter.getAttribute('aria-invalid')).toBe('true');
    for (const words of ['what:project', '-"status:project"', '-https://a.b', '-10:30']) {
      await filter.fill(words);
      expect(await page.locator('tbody tr:visible').count(), words).toBe(1);
      expect(await filter.getAttribute('aria-invalid')).toBe('false');
    }
    expect(problems).toEqual([]);
  });

  test('an answer that takes long is waited for visibly, in place of the view before', async () => {
    const { page, problems } = await open(platform, 'projects');
    let go = () => {};
    const answered = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route(/\/acme\/cells$/, async (route) => {
      await answered;
      await route.continue();
    });
    await page.getByRole('link', { name: 'Cells' }).click();
    await page.getByRole('progressbar', { name: 'Loading' }).waitFor();
    expect(await page.locator('.card').count()).toBe(0);
    expect(await violationsOfAll(page)).toEqual([]);
    go();
    await page.getByRole('heading', { name: 'Classes' }).waitFor();
    expect(await page.getByRole('progressbar', { name: 'Loading' }).count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('the overview of a project does not wait for its labels to be counted', async () => {
    const { page, problems } = await open(platform, 'projects');
    let go = () => {};
    const answered = new Promise<void>((resolve) => {
      go = resolve;
    });
    await page.route('**/acme/cells/health', async (route) => {
      await answered;
      await route.continue();
    });
    await goTo(page, 'project/cells');
    await page.getByText('The project has no image yet: images_upload sends some.').waitFor();
    await page.getByRole('progressbar', { name: 'Counting the labels' }).waitFor();
    expect(await violationsOfAll(page)).toEqual([]);
    go();
    await page.getByRole('heading', { name: 'Classes' }).waitFor();
    expect(await page.getByRole('progressbar').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('the link to the content leaves the address as it is', async () => {
    const { page } = await open(platform, 'tasks');
    await page.locator('.skip').focus();
    await page.keyboard.press('Enter');
    expect(new URL(page.url()).hash).toBe('#tasks');
    expect(await page.evaluate('document.activeElement.textContent')).toBe('Tasks');
  });

  test('words of a table are not broken in its heads', async () => {
    const narrow = { viewport: { width: 900, height: 700 } };
    const { page } = await open(platform, 'keys', narrow);
    await page.route('**/acme/api-keys?*', async (route) => {
      const name = 'A key of the line that looks at bottles in the north';
      const scopes = ['project:read', 'image:read', 'version:read', 'workspace:read'];
      const apiKeys = [{ keyId: 'k'.repeat(20), name, scopes, created: '2026-11-01T10:00:00Z' }];
      await route.fulfill({ json: { apiKeys } });
    });
    await goTo(page, 'tasks');
    await goTo(page, 'keys');
    await page.locator('tbody tr').waitFor();
    const broken = await page.evaluate(`[...document.querySelectorAll('thead th')].flatMap((head) =>
      [...head.textContent.matchAll(/\\S+/g)].flatMap(({ 0: word, index }) => {
        const range = document.createRange();
        range.setStart(head.firstChild, index);
        range.setEnd(head.firstChild, index + word.length);
        return range.getClientRects().length > 1 ? [word] : [];
      }),
    )`);
    expect(broken).toEqual([]);
  });
});
