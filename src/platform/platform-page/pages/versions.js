// The versions of a project, and what the settings of each make of its images.

import { ApiError } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { count, percent, plainValue } from '../../../http-server/page-assets/format.js';
import { projectAddress } from '../addresses.js';
import { getProject, getVersion, previewVersion } from '../api.js';
import { bar, splitBar } from '../chart.js';
import { refuseUnknown } from '../known-conditions.js';
import { projectTabs } from '../project-tabs.js';
import { RowFilter, withColumns } from '../row-filter.js';
import { timeElement } from '../time-element.js';

/** @import { VersionAnswer, View } from '../types.ts' */

/** What a filter may name. */
const heads = ['Number', 'Name', 'Images', 'Created'];

/**
 * @param {string} slug @param {URLSearchParams} query
 * @param {string} [only] number of the only version that is shown; empty: all
 * @returns {Promise<View>}
 */
export async function versionsView(slug, query, only = '') {
  refuseUnknown(query, ['q']);
  const { project, versions } = await getProject(slug);
  const all = versions.map(({ id }) => String(id).slice(String(id).lastIndexOf('/') + 1));
  const numbers = only === '' ? all : all.filter((number) => number === only);
  if (only !== '' && numbers.length === 0) throw new ApiError(404, `There is no version ${only}.`);
  const list = element('ol', { class: 'stack' });
  const filter = new RowFilter(`${projectAddress(slug)}/versions`, query, heads);
  const show = async () => {
    const found = await Promise.all(numbers.map((number) => getVersion(slug, number)));
    for (const [index, version] of found.entries())
      update(list, slug, numbers[index] ?? '', version);
    filter.show([...list.querySelectorAll('li')]);
  };
  await show();
  return {
    title: `${project.name}: versions`,
    content: element(
      'div',
      { class: 'stack' },
      projectTabs(slug, 'versions'),
      filter.root,
      filter.none,
      numbers.length > 0
        ? list
        : element('p', { class: 'empty' }, 'No versions yet. versions_generate makes one.'),
    ),
    refresh: async () => {
      if (list.querySelector('[data-generating="true"]')) await show();
    },
  };
}

/**
 * Shows a version where it stands already, so that an open contact sheet stays.
 * @param {HTMLElement} list
 * @param {string} slug
 * @param {string} number
 * @param {VersionAnswer} version
 */
function update(list, slug, number, version) {
  const known = list.querySelector(`[data-version="${CSS.escape(number)}"]`);
  const item =
    known instanceof HTMLElement ? known : element('li', { class: 'card', 'data-version': number });
  item.setAttribute('data-generating', String(version.generating === true));
  withColumns(item, [number, version.name ?? '', count(version.images ?? 0), madeOf(version)]);
  const head = element('div', { class: 'stack' }, ...summary(number, version));
  if (known) known.firstElementChild?.replaceWith(head);
  else {
    item.append(head, contactSheet(slug, version));
    list.append(item);
  }
}

/** @param {VersionAnswer} version */
function madeOf({ created }) {
  return element('span', {}, created !== undefined && timeElement(created));
}

/** @param {string} number @param {VersionAnswer} version */
function summary(number, version) {
  const { name, images = 0, splits, generating, progress, error } = version;
  return [
    element('h3', {}, `${number} · ${name ?? ''}`),
    element('p', { class: 'quiet' }, `${count(images)} images · `, madeOf(version)),
    generating && element('p', {}, bar(progress ?? 0), ` ${percent(progress ?? 0)}`),
    error !== undefined && element('p', { class: 'bad' }, error),
    !generating && error === undefined && splitBar(splits ?? {}),
    element(
      'dl',
      { class: 'facts' },
      settings('Preprocessing', version.preprocessing),
      settings('Augmentation', version.augmentation),
    ),
  ];
}

/** @param {string} name @param {Readonly<Record<string, unknown>> | undefined} steps */
function settings(name, steps = {}) {
  const words = Object.entries(steps).map(([step, value]) => `${step} ${plainValue(value)}`);
  return element('div', {}, element('dt', {}, name), element('dd', {}, words.join(', ') || 'none'));
}

/** Drawn when it is asked for. @param {string} slug @param {VersionAnswer} version */
function contactSheet(slug, { preprocessing = {}, augmentation = {} }) {
  const note = 'What these settings make of images that the project has now.';
  const place = element('div', {}, element('p', { class: 'quiet' }, note));
  const details = element('details', {}, element('summary', {}, 'Contact sheet'), place);
  details.addEventListener('toggle', async () => {
    if (!details.open || details.dataset.state !== undefined) return;
    details.dataset.state = 'loading';
    try {
      const { sheet, contentType, width, height } = await previewVersion(slug, {
        preprocessing,
        augmentation,
      });
      const src = `data:${contentType};base64,${sheet}`;
      place.append(element('img', { class: 'sheet', src, width, height, alt: note }));
      details.dataset.state = 'loaded';
    } catch (thrown) {
      delete details.dataset.state;
      place.append(element('p', { class: 'bad' }, thrown instanceof Error ? thrown.message : ''));
    }
  });
  return details;
}
