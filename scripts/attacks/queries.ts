// Queries of every kind, over names that make them dear.

import { testImage } from '../../test/fixtures/images.ts';
import type { Attack, Target } from './attack.ts';
import { freshScene } from './attacked-projects.ts';
import { freshKey } from './credentials.ts';
import { repeated } from './dense-bodies.ts';
import { form, json, type Request } from './raw-request.ts';

/** One query each, on a workspace with many words. */
function query(name: string, make: (target: Target) => Request): Attack {
  return {
    name: `query: ${name}`,
    target: 'platform',
    prepare: async (target) => {
      await fillWords(target);
      const request = make(target);
      return () => target.send(request);
    },
  };
}

const filled = new Set<string>();

/** Some nine thousand words that begin with the same letter, in the names of a hundred images. */
async function fillWords(target: Target): Promise<void> {
  if (filled.has(target.url)) return;
  const key = await freshKey(target);
  const { project } = await freshScene(target);
  for (let image = 0; image < 120; image += 1) {
    const words = repeated(80, (at) => `a${lettersOf(image * 80 + at)}`);
    const query = new URLSearchParams({ name: `${words.join(' ')}.png` });
    const content = await testImage(10_000 + image);
    const parts = [{ name: 'file', fileName: 'a.png', type: 'image/png', content }];
    await target.ask({ ...form(`/dataset/${project}/upload?${query}`, parts), key });
  }
  filled.add(target.url);
}

/** Four letters for a number. */
function lettersOf(number: number): string {
  const digits = number.toString(26).padStart(4, '0');
  return [...digits].map((digit) => String.fromCharCode(97 + Number.parseInt(digit, 26))).join('');
}

const inWorkspace =
  (words: string, more: object = {}) =>
  () =>
    json('/local/search/v1', { query: words, ...more });
const inProject = (body: object) => (target: Target) =>
  json(`/local/${target.id('project')}/search`, body);
const inCatalog = (words: string) => () => ({
  path: `/catalog/search?${new URLSearchParams({ q: words })}`,
});

export const queryAttacks: readonly Attack[] = [
  query('a* 200 times', inWorkspace('a* '.repeat(200))),
  query('a* OR b*, 130 times', inWorkspace('a* OR b* OR '.repeat(65).concat('aa*'))),
  query('200 classes', inWorkspace(repeated(200, (at) => `class:"a0x${at}"`).join(' '))),
  query('class:a* 200 times', inWorkspace('class:a* '.repeat(200))),
  query('class counts, 200 times', inWorkspace('class:a>=1 '.repeat(200))),
  query('brackets 60 deep', inWorkspace(`${'('.repeat(60)}a${')'.repeat(60)}`)),
  query('brackets 2,000 deep', inWorkspace(`${'('.repeat(2_000)}a${')'.repeat(2_000)}`)),
  query(
    '190 words of one letter each',
    inWorkspace(repeated(190, (at) => `a${String.fromCharCode(97 + (at % 26))}*`).join(' OR ')),
  ),
  query('NOT 900 times', inWorkspace(`${'NOT '.repeat(900)}a`)),
  query('4,000 minus signs', inWorkspace(`${'-'.repeat(3_990)}a`)),
  query('a name of 1,900 stars', inWorkspace(`filename:${'a*'.repeat(1_900)}`)),
  query('names of stars, 150 times', inWorkspace('filename:*a*1*.png '.repeat(150))),
  query('numbers in names, 190 times', inWorkspace('filename:*12345* '.repeat(190))),
  query('metadata, 190 times', inWorkspace('metadata.a:1 '.repeat(190))),
  query('widths and heights, 190 times', inWorkspace('width>=1 '.repeat(190))),
  query('4,000 quotes', inWorkspace('"'.repeat(4_000))),
  query('one word of 4,000 letters', inWorkspace('a'.repeat(4_000))),
  query('a query of 50 MB', inWorkspace('a '.repeat(25_000_000))),
  query(
    'all images, a thousand, with annotations',
    inWorkspace('*', {
      pageSize: 1_000,
      fields: ['annotations', 'labels', 'user_metadata', 'url'],
    }),
  ),
  query('900,000 fields', inWorkspace('*', { fields: repeated(900_000, () => 'id') })),
  query('a continuation of 30 MB', inWorkspace('*', { continuationToken: 'a'.repeat(30_000_000) })),
  query('sort:class 150 times', inWorkspace('sort:class:a-desc '.repeat(150))),
  query('letters that grow when compared', inWorkspace('\ufdfa'.repeat(3_900))),
  query('marks on one letter', inWorkspace(`a${'\u0301'.repeat(3_900)}`)),
  query('prompt of 10 MB', inProject({ prompt: 'a '.repeat(5_000_000) })),
  query('prompt of 200 words with stars', inProject({ prompt: 'a* '.repeat(200) })),
  query('an image of 40 MB as base64', inProject({ image_base64: 'A'.repeat(40_000_000) })),
  query('an image like another', inProject({ like_image: 'a'.repeat(1_000_000) })),
  query('a tag of 20 MB', inProject({ tag: 'a'.repeat(20_000_000) })),
  query('a class of 20 MB', inProject({ class_name: 'a'.repeat(20_000_000) })),
  query('the page after all', inProject({ prompt: 'a*', offset: Number.MAX_SAFE_INTEGER })),
  query('catalog, a* 1,000 times', inCatalog('a* '.repeat(1_000))),
  query('catalog, images>1 1,000 times', inCatalog('images>1 '.repeat(1_000))),
  query('catalog by an image of 40 MB', () =>
    json('/catalog/search', { image_base64: 'A'.repeat(40_000_000) }),
  ),
  query('health, made anew ten times', (target) => ({
    path: `/local/${target.id('project')}/health?regenerate=true`,
  })),
];
