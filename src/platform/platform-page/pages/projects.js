// The projects of the workspace, each with its counts.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { projectAddress } from '../addresses.js';
import { getWorkspace } from '../api.js';
import { splitBar } from '../chart.js';
import { listPage } from '../list-page.js';
import { withColumns } from '../row-filter.js';
import { timeElement } from '../time-element.js';

/** @import { Project, View } from '../types.ts' */

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function projectsView(query) {
  let name = '';
  const list = await listPage({
    place: '#projects',
    query,
    columns: ['Name', 'Type', 'Images', 'Classes', 'Unannotated', 'Changed', 'Created'],
    read: async () => {
      const workspace = await getWorkspace();
      name = workspace.name;
      return { items: workspace.projects };
    },
    row: projectCard,
    nothing: wordsOfNone(),
  });
  return { title: `Projects of ${name}`, ...list };
}

/** For an agent, and for a person without one. */
function wordsOfNone() {
  const wanted = '{"name": "Cells", "type": "object-detection", "annotation": "cells"}';
  return [
    'No projects yet. An agent makes one with ',
    element('code', {}, 'projects_create'),
    ', a person on the command line, with the settings of this platform: ',
    element('code', {}, `fovea call projects_create '${wanted}'`),
    '.',
  ];
}

/** @param {Project} project */
function projectCard(project) {
  const { id, name, type, images = 0, unannotated, splits, classes, updated, created } = project;
  const kinds = Object.keys(classes ?? {}).length;
  const facts = [
    images === 1 ? '1 image' : `${count(images)} images`,
    kinds === 1 ? '1 class' : `${count(kinds)} classes`,
    typeof unannotated === 'number' && unannotated > 0 && `${count(unannotated)} unannotated`,
  ];
  const changed = element('small', {}, typeof updated === 'number' && timeElement(updated));
  const made = element('small', {}, typeof created === 'number' && timeElement(created));
  const card = element(
    'li',
    { class: 'card' },
    element('h3', {}, element('a', { href: addressOf(id) }, name)),
    element('p', { class: 'quiet' }, type ?? ''),
    element('p', {}, facts.filter(Boolean).join(' · ')),
    splitBar(splits ?? {}),
    typeof updated === 'number' && element('small', {}, 'Changed ', timeElement(updated)),
  );
  const open = typeof unannotated === 'number' ? count(unannotated) : '';
  const columns = [name, type ?? '', count(images), count(kinds), open, changed, made];
  return withColumns(card, columns);
}

/** @param {string} id `workspace/slug` */
function addressOf(id) {
  return projectAddress(id.slice(id.indexOf('/') + 1));
}
