// The use cases whose vision events the workspace keeps.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { eventsAddress } from '../addresses.js';
import { listUseCases } from '../api.js';
import { listPage } from '../list-page.js';

/** @import { UseCases, View } from '../types.ts' */

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function useCasesView(query) {
  const list = await listPage({
    place: '#events',
    query,
    heads: ['Use case', 'Events', 'Status', 'Id'],
    read: async () => {
      const [active, inactive] = await Promise.all([
        listUseCases('active'),
        listUseCases('inactive'),
      ]);
      return {
        items: [...active.useCases, ...inactive.useCases],
        isWhole: !active.truncated && !inactive.truncated,
      };
    },
    row,
    nothing: [
      'No vision events yet. Devices and agents record them with vision_events_create, each under a use case.',
    ],
  });
  return { title: 'Vision events', ...list };
}

/** @param {UseCases['useCases'][number]} useCase */
function row({ id, name, status, eventCount }) {
  return element(
    'tr',
    {},
    element('th', { scope: 'row' }, element('a', { href: eventsAddress(id) }, name)),
    element('td', {}, count(eventCount)),
    element('td', {}, status),
    element('td', {}, id),
  );
}
