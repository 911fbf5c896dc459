// The images of a project as a grid, each with its boxes; page by page, by class or tag.

import { ApiError } from '../../../http-server/page-assets/api-error.js';
import { drawSmall } from '../../../http-server/page-assets/drawing.js';
import { element, svg } from '../../../http-server/page-assets/elements.js';
import { lowerCaseJoinHint } from '../../../query-language/grammar/lower-case-joins.js';
import { annotateAddress, imagesAddress, projectAddress } from '../addresses.js';
import { getImage, getProject, searchImages, searchWorkspace } from '../api.js';
import { boxCount, findingsOf, sizeOf } from '../boxes-of-image.js';
import { refuseUnknown } from '../known-conditions.js';
import { idsOfQuery, inBrackets, sentQuery } from '../labelling/image-queue.js';
import { offsetIn, pageLinks } from '../page-links.js';
import { projectTabs } from '../project-tabs.js';
import { hasPairedBrackets, ofTypedWords } from '../typed-search.js';

/** @import { Image, View } from '../types.ts' */

const pageSize = 24;

/**
 * @param {string} slug
 * @param {URLSearchParams} query
 * @returns {Promise<View>}
 */
export async function imagesView(slug, query) {
  refuseUnknown(query, ['class', 'tag', 'q', 'offset']);
  const name = query.get('class') ?? '';
  const tag = query.get('tag') ?? '';
  const words = query.get('q') ?? '';
  const now = { class: name, tag, query: words };
  const offset = offsetIn(query);
  const [{ project }, { ids, total, isExact, refusal }] = await Promise.all([
    getProject(slug),
    idsOf(slug, now, offset),
  ]);
  const search = searchOf(now);
  const images = await Promise.all(ids.map((id) => getImage(slug, id)));
  return {
    title: `${project.name}: images`,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'images'),
      filters(slug, Object.keys(project.classes ?? {}), now),
      images.length > 0 &&
        element(
          'p',
          {},
          element('a', { href: annotateAddress(slug, '', { query: search }) }, 'Annotate these'),
          ' or ',
          element(
            'a',
            { href: annotateAddress(slug, '', { query: `${search} sort:name`.trim() }) },
            'in the order of their names',
          ),
          ', as frames of a video',
        ),
      images.length > 0
        ? element('ul', { class: 'grid' }, ...images.map((image) => tile(slug, image)))
        : refusal !== ''
          ? element('p', { class: 'bad', role: 'alert' }, refusal)
          : element('p', { class: 'empty' }, wordsOfNone(search, total)),
      refusal === '' &&
        pageLinks({ offset, shown: images.length, total, isExact, pageSize }, (at) =>
          imagesAddress(slug, { ...now, offset: at }),
        ),
    ),
  };
}

/**
 * `refusal`: what is wrong with the search; empty: nothing.
 * @param {string} slug
 * @param {Wanted} wanted
 * @param {number} offset
 */
async function idsOf(slug, wanted, offset) {
  const { class: name, tag, query } = wanted;
  if (query !== '') {
    const search = searchOf(wanted);
    try {
      // It fails with what is wrong.
      if (!hasPairedBrackets(query)) await searchWorkspace(query, 1);
      const queue = { query: search, job: '' };
      return { ...(await idsOfQuery(slug, queue, offset, pageSize)), refusal: '' };
    } catch (thrown) {
      if (!(thrown instanceof ApiError) || thrown.status !== 400) throw thrown;
      const { message } = thrown;
      const refusal = hasPairedBrackets(query)
        ? ofTypedWords(message, sentQuery(slug, search), query)
        : message;
      return { ids: [], total: 0, isExact: true, refusal };
    }
  }
  const conditions = { ...(name && { class_name: name }), ...(tag && { tag }) };
  const {
    results,
    total,
    totalIsExact: isExact,
  } = await searchImages(slug, { offset, limit: pageSize, ...conditions });
  const ids = results.flatMap(({ id }) => id ?? []);
  return { ids, total: total ?? ids.length, isExact, refusal: '' };
}

/** @param {string} search @param {number} total */
function wordsOfNone(search, total) {
  if (total > 0) return 'The list ends before this page: go back to the last one.';
  if (search === '') return 'The project has no image yet: images_upload sends some.';
  const hint = lowerCaseJoinHint(search);
  return `No image matches ${search}${hint === '' ? ': take a condition away.' : `. ${hint}`}`;
}

/** @typedef {{ class: string, tag: string, query: string }} Wanted */

/** In the search language. @param {Wanted} wanted */
function searchOf({ class: name, tag, query }) {
  const quoted = (/** @type {string} */ text) => `"${text.replace(/["\\]/g, '\\$&')}"`;
  const conditions = [name && `class:${quoted(name)}`, tag && `tag:${quoted(tag)}`];
  const all = conditions.filter(Boolean).join(' ');
  // Its words may be joined by OR, but not those around them.
  return all === '' || query === '' ? all + query : `${all} ${inBrackets(query).trim()}`;
}

/** @param {string} slug @param {Image} image */
function tile(slug, image) {
  const { id, name = image.id, urls, split } = image;
  const size = sizeOf(image);
  const findings = findingsOf(image);
  const overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  drawSmall(overlay, findings, size);
  const photo = element('img', {
    src: String(urls?.thumb ?? urls?.original ?? ''),
    alt: `${name}: ${boxCount(findings)}`,
    loading: 'lazy',
    decoding: 'async',
  });
  const frame = element('span', { class: 'frame' }, photo, overlay);
  frame.style.aspectRatio = `${size.width} / ${size.height}`;
  const href = `${projectAddress(slug)}/image/${encodeURIComponent(id)}`;
  return element(
    'li',
    { class: 'tile' },
    element('a', { href }, frame, element('span', { class: 'tile-name' }, name)),
    element('small', { class: `split-word ${split ?? ''}` }, `${split ?? ''}`),
  );
}

/**
 * @param {string} slug
 * @param {readonly string[]} classes
 * @param {Wanted} now
 */
function filters(slug, classes, now) {
  const choice = element(
    'select',
    { name: 'class' },
    ...['', ...classes].map((name) =>
      element('option', { value: name, selected: name === now.class }, name || 'Any class'),
    ),
  );
  const tag = element('input', { name: 'tag', placeholder: 'Any tag', value: now.tag });
  const words = element('input', {
    name: 'q',
    type: 'search',
    placeholder: 'split:train -tag:night',
    value: now.query,
  });
  const form = element(
    'form',
    { class: 'row', 'aria-label': 'Filters', autocomplete: 'off' },
    element('label', {}, 'Class ', choice),
    element('label', {}, 'Tag ', tag),
    element('label', {}, 'Search ', words),
    element('button', { type: 'submit' }, 'Show'),
  );
  const show = () => {
    location.hash = imagesAddress(slug, {
      class: choice.value,
      tag: tag.value.trim(),
      query: words.value.trim(),
    });
  };
  choice.addEventListener('change', show);
  form.addEventListener('submit', (event) => {
    event.preventDefault();
    show();
  });
  return form;
}
