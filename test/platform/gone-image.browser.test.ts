// An image that somebody deletes while it is open, or waits in a queue, in a real browser: the page
// says so and leads on, and what was drawn on it is saved when it comes back.

import { describe, expect, test } from 'vitest';
import { images } from '../../src/contract/images.ts';
import { trash } from '../../src/contract/trash.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import { boxesOf, call, drag, labellingPage, open, saved, upload } from './labelling-page.ts';

labellingPage();

const workspace = 'acme';

/** By somebody else; gives what is to be restored. */
async function remove(id: string) {
  await call(images.images_delete, { workspace, project: 'cells', images: [id] });
  const { body } = await call(trash.trash_list, { workspace });
  const [newest] = JSON.stringify(body).match(/"id":"[^"]+"/g) ?? [];
  return String(newest).slice('"id":"'.length, -1);
}

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('that is said, and the next image is offered', async () => {
    await upload('cells', ['goes']);
    const id = await upload('cells', ['goes']);
    const { page } = await open(`${id}?q=tag%3Agoes`);
    await page.getByText('1 of 2').waitFor();
    await remove(id);
    const notice = page.getByRole('alert').filter({ hasText: 'This image was deleted.' });
    await notice.waitFor();
    await notice.getByRole('button', { name: 'Next image' }).click();
    await page.getByText('2 of 2').waitFor();
    expect(await notice.isVisible()).toBe(false);
    await page.keyboard.press('p');
    await page.getByRole('heading', { name: 'Deleted image' }).waitFor();
    await page.keyboard.press('n');
    await page.getByText('2 of 2').waitFor();
  });

  test('what was drawn meanwhile is kept, and saved when the image is restored', async () => {
    const id = await upload();
    const { page } = await open(id);
    await page.getByLabel('New class').fill('RBC');
    await page.keyboard.press('Enter');
    await page.locator('main h2').click();
    await page.context().setOffline(true);
    await drag(page, [100, 100], [150, 150]);
    await page.getByText('Not saved yet').waitFor();
    const restored = await remove(id);
    await page.context().setOffline(false);
    await page.getByText('What you drew is kept in this tab').waitFor();
    await call(trash.trash_restore, { workspace, type: 'image', id: restored });
    await saved(page);
    expect(await boxesOf(id)).toEqual([['RBC', 100, 100, 50, 50]]);
    await expect.poll(() => page.getByText('This image was deleted.').isVisible()).toBe(false);
  });
});
