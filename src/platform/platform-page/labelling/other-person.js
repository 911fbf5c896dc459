// Who else works on the same images, in words.

import { capitalised } from '../../../http-server/page-assets/format.js';
import { processKeyWords } from '../process-keys.js';
import { service } from './labelling-service.js';

export const somebodyElse = 'Somebody else';

/**
 * Who changed the labels of an image meanwhile.
 * @param {string} slug of the project
 * @param {string} image its id
 * @returns {Promise<string>}
 */
export async function otherPerson(slug, image) {
  const name = await service()
    .lastPersonAt?.(slug, image)
    .catch(() => undefined);
  return name ?? somebodyElse;
}

/** As the activity log names credentials, whose ids tell a person nothing. @param {string | undefined} who */
export function deciderWords(who) {
  const name = who && service().personName?.(who);
  if (name) return name;
  if (who === undefined || who.startsWith('token:')) return 'Somebody';
  return capitalised(processKeyWords.get(who) ?? 'an API key');
}
