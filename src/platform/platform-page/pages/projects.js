// The projects of the workspace, each with its counts.

import { element } from '../../../http-server/page-assets/elements.js';
import { count, moment } from '../../../http-server/page-assets/format.js';
import { projectAddress } from '../addresses.js';
import { getWorkspace } from '../api.js';
import { splitBar } from '../chart.js';
import { listPage } from '../list-page.js';

/** @import { Project, View } from '../types.ts' */

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function projectsView(query) {
  let name = '';
  const { content } = await listPage({
    place: '#projects',
    query,
    read: async () => {
      const workspace = await getWorkspace();
      name = workspace.name;
      return { items: workspace.projects };
    },
    row: projectCard,
    nothing: ['No projects yet. The tool projects_create makes one.'],
  });
  return { title: `Projects of ${name}`, content };
}

/** @param {Project} project */
function projectCard({ id, name, type, images = 0, unannotated, splits, classes, updated }) {
  const kinds = Object.keys(classes ?? {}).length;
  const facts = [
    images === 1 ? '1 image' : `${count(images)} images`,
    kinds === 1 ? '1 class' : `${count(kinds)} classes`,
    typeof unannotated === 'number' && unannotated > 0 && `${count(unannotated)} unannotated`,
  ];
  return element(
    'li',
    { class: 'card' },
    element('h3', {}, element('a', { href: addressOf(id) }, name)),
    element('p', { class: 'quiet' }, type ?? ''),
    element('p', {}, facts.filter(Boolean).join(' · ')),
    splitBar(splits ?? {}),
    typeof updated === 'number' &&
      element('small', {}, `Changed ${moment(new Date(updated * 1000).toISOString())}`),
  );
}

/** @param {string} id `workspace/slug` */
function addressOf(id) {
  return projectAddress(id.slice(id.indexOf('/') + 1));
}
