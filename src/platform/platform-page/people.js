// Who this tab is signed in as, and who else is in the workspace.

import { listActivity, listPeople } from './api.js';

/** @import { Owner } from './labelling/tab-storage.js' */

let me = '';
/** By their credentials. @type {Readonly<Record<string, string>>} */
let names = {};

/**
 * To be called when somebody signs in. Keys are no people: who enters another one of the same
 * workspace, since the first was revoked, goes on with what waits.
 * @param {string} workspace
 * @param {boolean} isOfAccount else it is a key
 * @returns {Promise<Owner>} whose work it is from now on
 */
export async function meetPeople(workspace, isOfAccount) {
  ({ me, names } = await listPeople());
  return { who: isOfAccount ? me : '', workspace };
}

/** @param {string} who a credential */
export function isMe(who) {
  return who === me;
}

/** Empty for a key. */
export function ownName() {
  return names[me] ?? '';
}

/** @param {string} who a credential @returns {string | undefined} of people who are known here */
export function personName(who) {
  return names[who];
}

/** How many changes of the image are looked at. */
const entriesMax = '50';

/**
 * Who changed the labels of an image last, where this page did not. A key may be in many hands; an
 * account is one person.
 * @param {string} project
 * @param {string} image its id
 * @returns {Promise<string | undefined>} undefined: nobody who is known here
 */
export async function lastPersonAt(project, image) {
  const { entries } = await listActivity({
    project,
    kind: 'image',
    thing: image,
    limit: entriesMax,
  });
  const [last] = entries
    .filter(({ verb }) => verb === 'annotated')
    .toSorted((one, other) => Date.parse(endOf(other)) - Date.parse(endOf(one)));
  const name = last?.who ? personName(last.who) : undefined;
  return name !== undefined && last?.who === me ? 'Another window or program of yours' : name;
}

/** @param {import('./types.ts').ActivityEntry} entry */
function endOf({ time, until = time }) {
  return until;
}
