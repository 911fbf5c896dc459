// What was deleted, and can come back.

import { element } from '../../../http-server/page-assets/elements.js';
import { showProblem } from '../../../http-server/page-assets/status-messages.js';
import { listTrash, restore } from '../api.js';
import { listPage } from '../list-page.js';
import { timeElement } from '../time-element.js';

/** @import { TrashItem, View } from '../types.ts' */

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function trashView(query) {
  const { content } = await listPage({
    place: '#trash',
    query,
    heads: ['Name', 'What', 'Of', 'Deleted', 'Gone for good', ''],
    read: listTrash,
    row,
    nothing: ['The trash is empty. What projects_delete or images_delete takes away waits here.'],
  });
  // It stays as it is: what was just restored says so in its row.
  return { title: 'Trash', content };
}

/** @param {TrashItem} item */
function row(item) {
  const { name, id, type, parentName, deletedAt, scheduledCleanupAt } = item;
  const button = element('button', { type: 'button' }, 'Restore');
  const made = element(
    'tr',
    {},
    element('th', { scope: 'row', title: id }, name ?? id),
    element('td', {}, type),
    element('td', {}, parentName ?? ''),
    element('td', {}, timeElement(String(deletedAt ?? ''))),
    element('td', {}, timeElement(String(scheduledCleanupAt ?? ''))),
    element('td', {}, button),
  );
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      await restore(item);
      showProblem();
      button.replaceWith('Restored');
    } catch (thrown) {
      button.disabled = false;
      showProblem(thrown instanceof Error ? thrown.message : 'It was not restored.');
    }
  });
  return made;
}
