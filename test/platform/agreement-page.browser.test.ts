// Two people on the same images, in a real browser: the second one labels apart from the first,
// both are compared, and what they disagree about is reviewed.

import { describe, expect, test } from 'vitest';
import { annotationExtensions } from '../../src/contract/annotation.ts';
import { images } from '../../src/contract/images.ts';
import { hasChromium, inChromium } from '../event-store/chromium.ts';
import {
  boxesOf,
  call,
  createIndependentJob,
  drag,
  labellingPage,
  lookAway,
  open,
  read,
  saved,
  upload,
  uploadLabelled,
} from './labelling-page.ts';
import { squaresModel } from './platform-with-model.ts';

const { url } = labellingPage({ model: squaresModel });

const where = { workspace: 'acme', project: 'cells' };

async function agreementOf(jobId: string, project = 'cells') {
  const wanted = { ...where, project, jobId };
  return (await call(annotationExtensions.annotation_jobs_agreement, wanted)).body.agreement;
}

const labelled = (count: number) => uploadLabelled(count, ['RBC', 10, 10, 60, 60]);

describe.skipIf(!hasChromium)(inChromium, { timeout: 60_000 }, () => {
  test('who labels apart sees no labels of others, and theirs are saved apart', async () => {
    const ids = await labelled(2);
    const jobId = await createIndependentJob(ids);
    const { page, problems } = await open(`?job=${jobId}`);
    await page.getByText('Once more: 0 of 2 labelled.').waitFor();
    await page.getByText('You have not annotated this image.').waitFor();
    expect(await page.locator('.box-row').count()).toBe(0);
    // Nobody is led to what others say before all is labelled.
    expect(await page.getByRole('link', { name: 'compare them' }).count()).toBe(0);
    // There is nothing to approve, either.
    expect(await page.getByRole('region', { name: 'Review' }).count()).toBe(0);
    await drag(page, [100, 20], [180, 100]);
    await saved(page);
    await page.keyboard.press('n');
    await page.getByText('2 of 2', { exact: true }).waitFor();
    await page.getByText('1 of 2 labelled.').waitFor();
    // Their own, not those that the image before has.
    await page.keyboard.press('c');
    await saved(page);
    await page.getByText('RBC 80 × 80 at 100, 20').waitFor();
    await page.keyboard.press('Control+z');
    await saved(page);
    await page.keyboard.press('p');
    await page.getByText('1 of 2', { exact: true }).waitFor();
    await page.getByText('RBC 80 × 80 at 100, 20').waitFor();
    for (const id of ids) expect(await boxesOf(id)).toEqual([['RBC', 10, 10, 60, 60]]);
    expect(await agreementOf(jobId)).toMatchObject([{ with: 'labels', images: 2, f1: 0 }]);
    expect(problems).toEqual([]);
  });

  test('two tabs on one image of the job: both versions are shown, nothing is replaced', async () => {
    const [id = ''] = await labelled(1);
    const jobId = await createIndependentJob([id]);
    const { page, problems } = await open(`${id}?job=${jobId}`);
    const other = await open(`${id}?job=${jobId}`);
    await lookAway(page);
    await drag(other.page, [200, 20], [280, 100]);
    await saved(other.page);
    await drag(page, [100, 20], [180, 100]);
    await page.getByText('they have 1 box (dashed), you have 1').waitFor();
    await page.getByRole('button', { name: 'Take theirs' }).click();
    await page.getByText('RBC 80 × 80 at 200, 20').waitFor();
    expect(problems.filter((problem) => !problem.includes('409'))).toEqual([]);
  });

  test('figures of both are on a page of their own, and where they differ is reviewed', async () => {
    const ids = await labelled(3);
    const [same = '', other = '', third = ''] = ids;
    const jobId = await createIndependentJob(ids);
    const label = async (imageId: string, boxes: readonly object[]) =>
      call(annotationExtensions.annotation_jobs_label, {
        ...where,
        jobId,
        imageId,
        name: 'a.json',
        annotationFile: JSON.stringify([{ image: (await read(imageId)).name, annotations: boxes }]),
      });
    const box = (name: string, x: number) => ({
      label: name,
      coordinates: { x, y: 40, width: 60, height: 60 },
    });
    await label(same, [box('RBC', 40)]);
    await label(other, [box('WBC', 40)]);
    await label(third, [box('RBC', 40), box('RBC', 240)]);
    const { page, problems } = await open('', { project: 'cells' });
    await page.goto(`${url()}/#project/cells`);
    const row = page.getByRole('row', { name: '3 of 3 labelled apart, bob@example.com' });
    await row.getByRole('link', { name: 'Compare' }).click();
    const compared = page.getByRole('region', { name: 'With the labels of the images' });
    // Two of the same class among four and three.
    await compared.getByText('0.57').first().waitFor();
    await compared.getByRole('row', { name: 'RBC 0.67 2 1 1' }).waitFor();
    await compared.getByRole('row', { name: 'WBC 0.00 0 1 0' }).waitFor();
    await compared.getByRole('button', { name: 'Review the 2 images where they differ' }).click();
    const review = page.getByRole('region', { name: 'Review' });
    await review.getByText('0 approved, 0 sent back, 2 left').waitFor();
    await page.getByText('bob@example.com, apart: ').waitFor();
    // The image with one object more: accepted, it becomes a label.
    if ((await page.locator('main h2').textContent()) !== (await read(third)).name) {
      await page.keyboard.press('n');
    }
    await page.getByRole('heading', { level: 2, name: String((await read(third)).name) }).waitFor();
    await page.getByText('1 prediction to decide about, of people').waitFor();
    await page.getByRole('button', { name: 'RBC, bob@example.com' }).click();
    await page.keyboard.press('a');
    await saved(page);
    expect(await boxesOf(third)).toEqual([
      ['RBC', 10, 10, 60, 60],
      ['RBC', 210, 10, 60, 60],
    ]);
    await page.keyboard.press('a');
    await review.getByText('1 approved, 0 sent back, 1 left').waitFor();
    expect(problems).toEqual([]);
  });

  test('images are given to a second person there; an empty comparison says so', async () => {
    const ids = await labelled(1);
    const jobId = await createIndependentJob(ids);
    const { page, problems } = await open('', { project: 'cells' });
    await page.goto(`${url()}/#project/cells/agreement/${jobId}`);
    await page.getByText('No image is labelled by two people yet').waitFor();
    await page.getByLabel('E-mail of a second person').fill('carol@example.com');
    await page.keyboard.press('Enter');
    const row = page.getByRole('row', { name: '0 of 1 labelled apart, carol@example.com' });
    await row.getByRole('link', { name: 'Once more, once more', exact: true }).waitFor();
    expect(problems).toEqual([]);
  });

  test('classes of whole images are labelled apart too', async () => {
    const id = await upload('moods');
    const file = { project: 'moods', imageId: id, name: 'a.json' };
    await call(images.images_annotate, { ...file, annotationFile: '["calm"]' });
    const jobId = await createIndependentJob([id], 'moods');
    const { page, problems } = await open(`?job=${jobId}`, { project: 'moods' });
    await page.getByText('You have not annotated this image.').waitFor();
    expect(await page.getByRole('button', { name: 'calm' }).getAttribute('aria-pressed')).toBe(
      'false',
    );
    await page.keyboard.press('e');
    await saved(page);
    expect((await read(id, 'moods')).labels).toEqual(['calm']);
    expect(await agreementOf(jobId, 'moods')).toMatchObject([
      { with: 'labels', images: 1, f1: 0, one: 0, other: 1 },
    ]);
    expect(problems).toEqual([]);
  });
});
