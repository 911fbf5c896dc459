// The folders of the workspace with their projects.

import { element } from '../../../http-server/page-assets/elements.js';
import { projectAddress } from '../addresses.js';
import { listFolders } from '../api.js';
import { refuseUnknown } from '../known-conditions.js';
import { RowFilter } from '../row-filter.js';

/** @import { Folders, View } from '../types.ts' */

/** @typedef {Folders['data'][number]} Folder */

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function foldersView(query) {
  refuseUnknown(query, ['q']);
  const { data } = await listFolders();
  const filter = new RowFilter('#folders', query);
  const tree = below(data, null, new Set());
  // What lies above a thing that fits has its words, and stays too.
  filter.show([...tree.querySelectorAll('li')]);
  const nothing = 'No folders yet. folders_create makes one.';
  return {
    title: 'Folders',
    content: element(
      'div',
      { class: 'stack' },
      filter.root,
      data.length === 0 && element('p', { class: 'empty' }, nothing),
      filter.none,
      tree,
    ),
  };
}

/**
 * The folders below one, each with what lies in it.
 * @param {readonly Folder[]} all
 * @param {string | null} parent
 * @param {ReadonlySet<string>} above that are shown already: what lies in itself ends here
 */
function below(all, parent, above) {
  const known = new Set(all.map(({ id }) => id));
  const here = all.filter(({ id, parent_id: given }) => {
    const shown = typeof given === 'string' && known.has(given) ? given : null;
    return shown === parent && !above.has(id);
  });
  return element('ul', { class: 'tree' }, ...here.map((folder) => item(all, folder, above)));
}

/**
 * @param {readonly Folder[]} all
 * @param {Folder} folder
 * @param {ReadonlySet<string>} above
 * @returns {HTMLElement}
 */
function item(all, { id, name, projects = [] }, above) {
  return element(
    'li',
    {},
    element('h3', {}, name ?? id),
    element(
      'ul',
      { class: 'tree' },
      ...projects.map((project) => {
        const slug = String(project);
        return element('li', {}, element('a', { href: projectAddress(slug) }, slug));
      }),
    ),
    below(all, id, new Set([...above, id])),
  );
}
