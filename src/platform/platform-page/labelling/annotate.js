// The view that annotates, on the page of the platform.

import { element } from '../../../http-server/page-assets/elements.js';
import { projectTabs } from '../project-tabs.js';
import { openImage } from './open-image.js';

/** @import { View } from '../types.ts' */

/**
 * `query`: `q` is the search whose images come one after the other, `job` the annotation job.
 * @param {string} slug
 * @param {string} id of the image; empty: the first that the search finds
 * @param {URLSearchParams} query
 * @returns {Promise<View>}
 */
export async function annotateView(slug, id, query) {
  const { title, parts, ...rest } = await openImage(slug, id, query);
  const content = element('div', { class: 'stack' }, projectTabs(slug, 'images'), ...parts);
  return { title, content, ...rest };
}
