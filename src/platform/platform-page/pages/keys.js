// The API keys of the workspace: what each may do, and new ones, whose secret is shown once.

import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { momentOfMinute } from '../../../http-server/page-assets/format.js';
import { showProblem } from '../../../http-server/page-assets/status-messages.js';
import { activityAddress } from '../addresses.js';
import { createKey, disableKey, listKeys, peopleSignIn, revokeKey } from '../api.js';
import { knownKey } from '../api-key-of-tab.js';
import { namesOf, peopleNames, whoWords } from '../credentials.js';
import { listPage } from '../list-page.js';
import { leadsToSignIn } from '../refused-key.js';
import { timeElement } from '../time-element.js';

/** @import { ApiKey, NewApiKey, View } from '../types.ts' */

/** @param {URLSearchParams} query @returns {Promise<View>} */
export async function keysView(query) {
  /** @type {ReadonlyMap<string, string>} */
  let names = new Map();
  /** @returns {Promise<void>} */
  const changed = () => list.refresh();
  const list = await listPage({
    place: '#keys',
    query,
    heads: ['Name', 'Begins with', 'May', 'Projects', 'Created', 'By', 'Last use', 'State', ''],
    read: async () => {
      const [{ apiKeys }, people] = await Promise.all([listKeys(), peopleNames()]);
      names = new Map([...namesOf(apiKeys), ...people]);
      return { items: apiKeys };
    },
    row: (key) => row(key, names, changed),
    nothing: ['No API key yet but that of the platform itself. Make one for each program above.'],
  });
  const note =
    'Keys do not expire: disable or revoke those that nobody uses. Last uses are told to the hour.';
  return {
    title: 'API keys',
    content: element(
      'div',
      { class: 'stack' },
      newKey(changed),
      list.content,
      element('p', { class: 'quiet' }, note),
      peopleSignIn() &&
        element(
          'p',
          {},
          'People need no key, they sign in: ',
          element('a', { href: '/settings/applications' }, 'their applications'),
          ', ',
          element('a', { href: '/settings/password' }, 'their password'),
          '. An account is made by ',
          element('code', {}, 'fovea account add'),
          ' where the platform runs.',
        ),
    ),
    refresh: list.refresh,
  };
}

/** A form that makes a key. @param {() => Promise<void>} changed */
function newKey(changed) {
  const name = element('input', { name: 'name', required: true, maxlength: 200 });
  const scopes = element('input', { name: 'scopes', placeholder: 'project:read image:read' });
  const submit = element('button', { type: 'submit' }, 'Make a key');
  const form = element(
    'form',
    { class: 'row', autocomplete: 'off', 'aria-label': 'A new key' },
    element('label', {}, 'Name ', name),
    element('label', {}, 'Scopes ', scopes),
    submit,
  );
  const place = element('div', { role: 'status' });
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    submit.disabled = true;
    const wanted = scopes.value.split(/[\s,]+/).filter(Boolean);
    const made = await attempt(() =>
      createKey({ name: name.value.trim(), ...(wanted.length > 0 && { scopes: wanted }) }),
    );
    submit.disabled = false;
    if (made === undefined) return;
    form.reset();
    place.replaceChildren(secretOnce(made, () => place.replaceChildren()));
    await attempt(changed);
  });
  const words = 'Without scopes it may do what the key of this tab may. ';
  const folders = 'A key for some folders only is made by api_keys_create.';
  return element(
    'details',
    { open: false },
    element('summary', {}, 'New key'),
    element('div', { class: 'stack' }, form, element('small', {}, words, folders), place),
  );
}

/** The secret, until somebody says that they have it: nothing else keeps it. @param {NewApiKey} made @param {() => void} forget */
function secretOnce({ key }, forget) {
  const secret = element('input', {
    'aria-label': 'The secret of the new key',
    readonly: true,
    value: key,
    size: Math.min(60, key.length + 2),
  });
  secret.addEventListener('focus', () => secret.select());
  const done = element('button', { type: 'button' }, 'I have kept it');
  done.addEventListener('click', () => {
    secret.value = '';
    forget();
  });
  const copy = element('button', { type: 'button' }, 'Copy');
  copy.addEventListener('click', async () => {
    try {
      await navigator.clipboard.writeText(key);
      copy.textContent = 'Copied';
    } catch {
      secret.select();
      copy.textContent = 'Copy it by hand';
    }
  });
  const words = 'This is shown once, and nobody can read it again:';
  return element('div', { class: 'notice row' }, words, secret, copy, done);
}

/** @param {ApiKey} key @param {ReadonlyMap<string, string>} names @param {() => Promise<void>} changed */
function row(key, names, changed) {
  const { keyId, name, prefix = '', scopes, created_on: created, created_by: by } = key;
  const { last_used_on: used } = key;
  const { disabled: isDisabled = false, protected: isProtected = false } = key;
  const isOwn = prefix !== '' && (knownKey() ?? '').startsWith(prefix);
  const states = [isOwn && 'key of this tab', isDisabled && 'disabled', isProtected && 'protected'];
  const state = states.filter(Boolean).join(', ') || 'in use';
  return element(
    'tr',
    {},
    element('th', { scope: 'row', title: keyId }, name || keyId),
    element('td', { class: 'short' }, prefix && element('code', {}, `${prefix}…`)),
    element('td', {}, scopes ? scopes.join(', ') || 'nothing' : 'everything'),
    element('td', {}, projectWords(key)),
    element('td', { class: 'short' }, timeElement(created ?? '')),
    element('td', {}, whoWords(by, names)),
    element('td', { class: 'short' }, used ? timeElement(used, momentOfMinute) : 'not yet'),
    element('td', { class: isDisabled ? 'bad' : '' }, state),
    element(
      'td',
      {},
      element(
        'div',
        { class: 'row' },
        element('a', { href: activityAddress(`key:${keyId}`) }, 'Activity'),
        // The platform refuses it, and nobody locks themselves out by a slip.
        ...(isOwn || isProtected ? [] : commands(key, changed)),
      ),
    ),
  );
}

/** @param {ApiKey} key */
function projectWords({ folderIds, folders }) {
  if (!folderIds) return 'all';
  const known = Array.isArray(folders) ? folders.map(({ name }) => String(name)) : [];
  return known.length > 0 ? known.join(', ') : 'none';
}

/** @param {ApiKey} key @param {() => Promise<void>} changed */
function commands({ keyId, disabled = false }, changed) {
  const turn = element('button', { type: 'button' }, disabled ? 'Enable' : 'Disable');
  turn.addEventListener('click', () =>
    attempt(async () => {
      await disableKey(keyId, !disabled);
      await changed();
    }),
  );
  const revoke = element('button', { type: 'button' }, 'Revoke');
  revoke.addEventListener('click', () => {
    // A second press of the same button, which says so: nothing brings a revoked key back.
    if (revoke.textContent === 'Revoke') {
      revoke.textContent = 'Revoke for good?';
      return;
    }
    void attempt(async () => {
      await revokeKey(keyId);
      await changed();
    });
  });
  revoke.addEventListener('blur', () => {
    revoke.textContent = 'Revoke';
  });
  return [turn, revoke];
}

/**
 * Does it, or says why not.
 * @template Result
 * @param {() => Promise<Result>} act
 * @returns {Promise<Result | undefined>}
 */
async function attempt(act) {
  try {
    const result = await act();
    showProblem();
    return result;
  } catch (thrown) {
    if (!leadsToSignIn(thrown)) showProblem(failureOf(thrown).words);
    return undefined;
  }
}
