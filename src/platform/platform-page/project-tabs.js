// The views of one project, as links above each of them.

import { element } from '../../http-server/page-assets/elements.js';
import { imagesAddress, projectAddress } from './addresses.js';

/**
 * The views of one project.
 * @param {string} slug
 * @param {'overview' | 'images' | 'versions' | 'trainings' | 'evaluations' | 'jobs'} here
 */
export function projectTabs(slug, here) {
  const place = projectAddress(slug);
  const tabs = [
    { name: 'overview', words: 'Overview', href: place },
    { name: 'images', words: 'Images', href: imagesAddress(slug, {}) },
    { name: 'jobs', words: 'Jobs', href: `${place}/jobs` },
    { name: 'versions', words: 'Versions', href: `${place}/versions` },
    { name: 'trainings', words: 'Trainings', href: `${place}/trainings` },
    { name: 'evaluations', words: 'Evaluations', href: `${place}/evaluations` },
  ];
  return element(
    'nav',
    { class: 'tabs', 'aria-label': 'Views of the project' },
    ...tabs.map(({ name, words, href }) =>
      element('a', { href, 'aria-current': name === here && 'page' }, words),
    ),
  );
}
