// The lists of the platform's page in a real browser: filters that a link keeps, what is said while
// nothing fits or nothing is there, and the one navigation.

import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { folders } from '../../src/contract/folders.ts';
import { projects } from '../../src/contract/projects.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { startTestPlatform, type TestPlatform } from '../fixtures/platform.ts';
import { goTo, hostile, shownRows, useOpenedPages } from './opened-pages.ts';

const open = useOpenedPages();
let platform: TestPlatform;

beforeAll(async () => {
  if (!hasChromium) return;
  platform = await startTestPlatform();
  for (const name of ['Cells', 'Cafés at night', hostile]) await createProject(name);
  for (const [name, of] of [
    ['Clinic', ['cells']],
    [hostile, ['cafes-at-night']],
  ] as const) {
    const projectsOf = { workspace: 'acme', name, projects: [...of] };
    await platform.client.call(folders.folders_create, projectsOf);
  }
  return () => platform.close();
}, 60_000);

async function createProject(name: string): Promise<void> {
  await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name,
    type: 'object-detection',
    annotation: 'things',
  });
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('projects are found by the day on which they were made', async () => {
    const { page, problems } = await open(platform, 'projects');
    const filter = page.getByLabel('Filter');
    const names = page.locator('.card:visible h3');
    await filter.fill('created>=2026-01-01');
    expect(await names.count()).toBe(3);
    await filter.fill('created<2026-01-01');
    await page.getByText('0 of 3', { exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('a list is filtered by words, phrases and what is not wanted, and a link keeps that', async () => {
    const { page, problems } = await open(platform, 'projects');
    const filter = page.getByLabel('Filter');
    const names = page.locator('.card:visible h3');
    expect(await names.count()).toBe(3);
    await filter.fill('cafes NIGHT');
    expect(await names.allTextContents()).toEqual(['Cafés at night']);
    await page.getByText('1 of 3', { exact: true }).waitFor();
    await filter.fill('"at night"');
    expect(await names.allTextContents()).toEqual(['Cafés at night']);
    await filter.fill('-night -img');
    expect(await names.allTextContents()).toEqual(['Cells']);
    const url = page.url();
    expect(url).toContain('#projects?q=-night+-img');
    await page.reload();
    await page.getByText('1 of 3', { exact: true }).waitFor();
    expect(await names.allTextContents()).toEqual(['Cells']);
    await filter.fill('10:30');
    await page.getByText('None fits: take a word of the filter away.').waitFor();
    await filter.fill('"onerror=" alert');
    expect(await names.count()).toBe(1);
    await filter.fill('(cells OR night) NOT cafes');
    expect(await names.allTextContents()).toEqual(['Cells']);
    await filter.fill('onerror="alert');
    await page
      .getByText(
        'at character 1: there is no column “onerror”. →onerror="alert Columns: name, type, images,',
      )
      .waitFor();
    // As long as it is typed, what was understood last stays.
    await filter.fill('(cells OR night) NOT cafes');
    await filter.pressSequentially(' OR "ca');
    await page.getByText('1 of 3, not finished').waitFor();
    expect(await names.allTextContents()).toEqual(['Cells']);
    expect(await filter.getAttribute('aria-invalid')).toBe('false');
    await filter.fill('night OR "cells');
    await filter.press('Enter');
    await page.getByText('at character 10: this quotation mark is not closed').waitFor();
    expect(await names.count()).toBe(0);
    await filter.fill('');
    expect(new URL(page.url()).hash).toBe('#projects');
    expect(await names.count()).toBe(3);
    expect(await page.locator('img[src="x"]').count()).toBe(0);
    expect(problems).toEqual([]);
  });

  test('cards have columns too, and a word in lower case that joins nothing is told', async () => {
    const { page, problems } = await open(platform, 'projects');
    const filter = page.getByLabel('Filter');
    const names = page.locator('.card:visible h3');
    const [none, three] = [[], ['Cafés at night', 'Cells', hostile].toSorted()];
    const found = async (query: string) => {
      await filter.fill(query);
      return (await names.allTextContents()).toSorted();
    };
    expect(await found('images>=1')).toEqual(none);
    expect(await found('images<1 min-images:0 unannotated=0')).toEqual(three);
    expect(await found('name:cells type:object_detection')).toEqual(none);
    expect(await found('name:cells type:object-detection')).toEqual(['Cells']);
    expect(await found('type:bogus')).toEqual(none);
    await page
      .getByText('None fits. The column “type” has no “bogus” here, but object-detection.')
      .waitFor();
    expect(await found('type:object-detection AND images:7')).toEqual(none);
    await page.getByText('The column “images” has no “7” here, but 0.').waitFor();
    // Each is there, but not in one row.
    expect(await found('name:cells name:night')).toEqual(none);
    await page.getByText('None fits: take a word of the filter away.').waitFor();
    // A day is not one of few words.
    expect(await found('created:bogus')).toEqual(none);
    await page.getByText('None fits: take a word of the filter away.').waitFor();
    expect(await filter.getAttribute('title')).toContain(
      'Columns: name, type, images, classes, unannotated, changed',
    );
    expect(await found('cells or cafes')).toEqual(none);
    const hint = 'None fits. Write OR in capitals: “or” is looked for as a word.';
    await page.getByText(hint).waitFor();
    expect(await found('cells OR cafes')).toEqual(['Cafés at night', 'Cells'].toSorted());
    const images = await open(platform, 'project/cells/images?q=cat+or+dog');
    await images.page.getByText('Write OR in capitals: “or” is looked for as a word.').waitFor();
    const direction = `getComputedStyle(document.querySelector('.card a')).unicodeBidi`;
    expect(await page.evaluate(direction)).toBe('isolate');
    const tree = await open(platform, 'folders');
    expect(await tree.page.getByLabel('Filter').getAttribute('title')).not.toContain('column');
    expect([...problems, ...images.problems]).toEqual([]);
  });

  test('a tree keeps what lies above a thing that fits', async () => {
    const { page, problems } = await open(platform, 'folders?q=cells');
    const items = page.locator('.tree > li:visible');
    expect(await items.allTextContents()).toEqual(['Cliniccells', 'cells']);
    await page.getByLabel('Filter').fill('onerror');
    expect(await items.allTextContents()).toEqual([`${hostile}cafes-at-night`]);
    expect(problems).toEqual([]);
  });

  test('a column is searched by its head, and what the service filters by is in the address', async () => {
    const own = await startTestPlatform();
    onTestFinished(() => own.close());
    for (const name of ['One', 'Two']) {
      const project = {
        workspace: 'acme',
        name,
        type: 'object-detection',
        annotation: 'a',
      } as const;
      await own.client.call(projects.projects_create, project);
      await own.client.call(projects.projects_delete, {
        workspace: 'acme',
        project: name.toLowerCase(),
      });
    }
    const { page, problems } = await open(own, 'trash?q=name:t');
    expect(await shownRows(page)).toEqual(['Two']);
    await page.getByLabel('Filter').fill('what:project -name:two');
    expect(await shownRows(page)).toEqual(['One']);
    await page.getByLabel('Filter').fill('two');
    expect(await shownRows(page)).toEqual(['Two']);
    await page.getByLabel('Filter').fill('of:project');
    expect(await shownRows(page)).toEqual([]);
    await page.getByLabel('Filter').fill('(name:one OR name:t*) -(name:two what:project)');
    expect(await shownRows(page)).toEqual(['One']);
    await page.getByLabel('Filter').fill('waht:project');
    await page.getByText('there is no column “waht”; did you mean “what”?').waitFor();
    expect(await shownRows(page)).toEqual([]);
    await page.getByLabel('Filter').fill('name>=1');
    await page.getByLabel('Filter').press('Enter');
    await page.getByText('No row has a number in its column “name”.').waitFor();
    const year = new Date().getFullYear();
    await page.getByLabel('Filter').fill(`deleted>=${year - 1}-01-01`);
    expect(await shownRows(page)).toEqual(['Two', 'One']);
    await page.getByLabel('Filter').fill(`deleted>${year + 1}-12`);
    expect(await shownRows(page)).toEqual([]);
    await page.getByLabel('Filter').fill('deleted>=12');
    await page.getByLabel('Filter').press('Enter');
    await page.getByText('It is compared as in deleted>=2026-11-01.').waitFor();
    await goTo(page, 'tasks?q=nothing');
    await page.getByText('No tasks yet.').waitFor();
    // Nothing is there to be filtered.
    expect(await page.getByLabel('Filter').isVisible()).toBe(false);
    await page.getByLabel('Status').selectOption('failed');
    await page.getByText('No task is in that state').waitFor();
    expect(new URL(page.url()).hash).toBe('#tasks?status=failed&q=nothing');
    await page.reload();
    await page.getByText('No task is in that state').waitFor();
    expect(await page.getByLabel('Status').inputValue()).toBe('failed');
    expect(problems).toEqual([]);
  });

  test('a filter of a list that is cut off says that it did not see all', async () => {
    const { page } = await open(platform, 'projects');
    // A hundred are all that the platform lists.
    await page.route('**/acme/asynctasks*', (route) => {
      const tasks = Array.from({ length: 100 }, (_, at) => ({
        taskId: `task-${at}`,
        kind: 'export',
        status: 'completed',
        created: 1,
        updated: 1,
      }));
      return route.fulfill({ json: { tasks } });
    });
    await goTo(page, 'tasks?q=version');
    await page.getByText('None of the 100 that are loaded fits.').waitFor();
    await page.getByText('0 of the 100 that are loaded').waitFor();
    await page.getByLabel('Filter').fill('task-7');
    await page.getByText('11 of the 100 that are loaded').waitFor();
  });

  test('one navigation says where somebody is, and on a phone a button opens it', async () => {
    const narrow = { viewport: { width: 360, height: 700 } };
    const { page, problems } = await open(platform, 'project/cells/versions', narrow);
    const views = page.getByRole('navigation', { name: 'Views', exact: true });
    const menu = page.getByRole('button', { name: 'Menu' });
    expect(await views.isVisible()).toBe(false);
    await menu.focus();
    await page.keyboard.press('Enter');
    expect(await menu.getAttribute('aria-expanded')).toBe('true');
    const current = views.locator('[aria-current="page"]');
    expect(await current.allTextContents()).toEqual(['Projects']);
    await page.keyboard.press('Escape');
    expect(await views.isVisible()).toBe(false);
    await page.keyboard.press('Enter');
    await views.getByRole('link', { name: 'Folders' }).click();
    await page.getByRole('heading', { name: 'Folders', exact: true }).waitFor();
    expect(await views.isVisible()).toBe(false);
    await menu.click();
    expect(await current.allTextContents()).toEqual(['Folders']);
    const wide = 'document.documentElement.scrollWidth - document.documentElement.clientWidth';
    expect(await page.evaluate(wide)).toBe(0);
    expect(problems).toEqual([]);
  });
});
