// Who this tab is signed in as, and who else is in the workspace.

import { listActivity, listPeople } from './api.js';

/** Kept by the tab, so that it is known also after a sign-in elsewhere. */
const personOfTab = 'fovea-person';

let me = '';
/** Whose work this tab has. */
let owner = '';
/** By their credentials. @type {Readonly<Record<string, string>>} */
let names = {};

/**
 * To be called when somebody signs in. Keys are no people: who enters another one of the same
 * workspace, since the first was revoked, goes on with what waits.
 * @param {string} workspace
 * @param {boolean} isOfAccount else it is a key
 * @returns {Promise<boolean>} whether that is who signed in before, or the first one
 */
export async function meetPeople(workspace, isOfAccount) {
  const before = owner || (sessionStorage.getItem(personOfTab) ?? '');
  ({ me, names } = await listPeople());
  owner = isOfAccount ? me : `a key of ${workspace}`;
  sessionStorage.setItem(personOfTab, owner);
  return before === '' || before === owner;
}

/** Nothing of this person waits in the tab. */
export function forgetPerson() {
  sessionStorage.removeItem(personOfTab);
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
 * Who changed the labels of an image last, apart from this credential.
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
  const entry = entries.find(({ verb, who }) => verb === 'annotated' && who !== me);
  return entry?.who ? personName(entry.who) : undefined;
}
