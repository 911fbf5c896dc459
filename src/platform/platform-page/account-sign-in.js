// Signs in with an account at the sign-in service of the same address: an authorization code with
// PKCE (RFC 7636), of which the page keeps the access token alone.

import { keepToken, knownEnd, knownKey } from './api-key-of-tab.js';
import { leaveToSignIn } from './labelling/retry.js';

/** Where what waits for the way back is kept in the tab: other tabs know nothing of it. */
const pendingName = 'fovea-account-sign-in';

/** So long before its end an access token is replaced by the next one. */
const renewBeforeMs = 60 * 60_000;
const renewEveryMs = 60_000;

/**
 * @typedef {object} SignInService
 * @property {string} issuer its origin
 * @property {string} clientId
 * @property {string} scope
 */

/** @typedef {{ state: string, verifier: string, view: string }} Pending */

/** @type {Promise<SignInService | undefined> | undefined} */
let known;

/** The service whose accounts open this page; undefined: there is none that this tab can reach. */
export function signInService() {
  known ??= askForService();
  return known;
}

/** @returns {Promise<SignInService | undefined>} */
async function askForService() {
  const response = await fetch(`${location.origin}/page/account-sign-in`, {
    headers: { accept: 'application/json' },
    signal: AbortSignal.timeout(60_000),
  }).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  if (answer === undefined) known = undefined;
  const service = answer?.service ?? undefined;
  return service !== undefined && isReachable(new URL(service.issuer)) ? service : undefined;
}

/** Loopback addresses of the service are not those of another machine. @param {URL} issuer */
function isReachable(issuer) {
  const isHere = ({ hostname = '' }) => ['localhost', '127.0.0.1', '[::1]'].includes(hostname);
  return isHere(issuer) ? isHere(location) : true;
}

/** Whether the page is at the address to which the service sends people back. @param {SignInService} service */
export function isAtHome({ issuer }) {
  return issuer === location.origin;
}

/**
 * Signs in without leaving the page where the browser is signed in at the service; else goes there,
 * and comes back to this view.
 * @param {SignInService} service
 * @returns {Promise<boolean>} whether this tab is signed in now
 */
export async function signInWithAccount(service) {
  if (await signInSilently(service)) return true;
  const { pending, address } = await requestOf(service);
  sessionStorage.setItem(pendingName, JSON.stringify(pending));
  leaveToSignIn();
  location.assign(address);
  return false;
}

/**
 * Takes up a sign-in that comes back to this address. What it brought is taken out of the address
 * first. @returns {Promise<string | undefined>} why that failed
 */
export async function returnFromSignIn() {
  const given = new URLSearchParams(location.search);
  if (!['state', 'code', 'error'].some((name) => given.has(name))) return undefined;
  const pending = takePending(given.get('state'));
  history.replaceState(null, '', `/${pending?.view ?? location.hash}`);
  if (pending === undefined) {
    return 'This sign-in was not begun in this tab: nothing was taken from it.';
  }
  if (given.get('error') === 'access_denied') return 'You did not allow it. Nothing was changed.';
  return redeem(given, pending);
}

/** The one of that state. Another one is left for its own way back. @param {string | null} state @returns {Pending | undefined} */
function takePending(state) {
  const text = sessionStorage.getItem(pendingName);
  const pending = text === null ? undefined : JSON.parse(text);
  if (pending === undefined || pending.state !== state) return undefined;
  sessionStorage.removeItem(pendingName);
  return pending;
}

/**
 * Ends the sign-in of this browser: of its tabs, at the service and at the settings pages.
 * @param {string} token
 * @returns {Promise<boolean>} whether the service answered
 */
export async function endSignIn(token) {
  const body = new URLSearchParams({ page_token: token });
  const signal = AbortSignal.timeout(60_000);
  const sent = fetch(`${location.origin}/settings/sign-out`, { method: 'POST', body, signal });
  return (await sent.catch(() => undefined))?.ok ?? false;
}

/** Replaces the token of this tab before it ends, while the browser is signed in at the service. */
export function startRenewing() {
  setInterval(async () => {
    const before = knownKey();
    const end = knownEnd();
    if (before === null || end === undefined || end - Date.now() > renewBeforeMs) return;
    const service = await signInService();
    if (service !== undefined && isAtHome(service)) await signInSilently(service, before);
  }, renewEveryMs);
}

/**
 * @param {SignInService} service
 * @param {string} [before] only in place of this token
 */
async function signInSilently(service, before) {
  const { pending, address } = await requestOf(service, { prompt: 'none' });
  const response = await fetch(address, {
    // What comes last is this page itself.
    headers: { accept: 'text/html' },
    signal: AbortSignal.timeout(60_000),
  }).catch(() => undefined);
  const given = new URL(response?.url || location.href).searchParams;
  if (given.get('state') !== pending.state) return false;
  if (before !== undefined && knownKey() !== before) return false;
  return (await redeem(given, pending)) === undefined;
}

/**
 * @param {SignInService} service
 * @param {Readonly<Record<string, string>>} [more]
 * @returns {Promise<{ pending: Pending, address: string }>}
 */
async function requestOf({ issuer, clientId, scope }, more = {}) {
  const pending = { state: random(), verifier: random(), view: location.hash };
  const hash = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(pending.verifier));
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: clientId,
    redirect_uri: `${issuer}/`,
    scope,
    resource: issuer,
    state: pending.state,
    code_challenge: base64url(new Uint8Array(hash)),
    code_challenge_method: 'S256',
    ...more,
  });
  return { pending, address: `${issuer}/oauth/authorize?${query}` };
}

/**
 * Exchanges the code of an answer, of the right state, for the token of this tab.
 * @param {URLSearchParams} given
 * @param {Pending} pending
 * @returns {Promise<string | undefined>} why that failed
 */
async function redeem(given, { verifier }) {
  const service = await signInService();
  const code = given.get('code');
  if (service === undefined || code === null || given.get('iss') !== service.issuer) {
    return 'The sign-in failed. Try it again.';
  }
  const response = await fetch(`${location.origin}/oauth/token`, {
    method: 'POST',
    body: new URLSearchParams({
      grant_type: 'authorization_code',
      client_id: service.clientId,
      redirect_uri: `${service.issuer}/`,
      code,
      code_verifier: verifier,
    }),
    signal: AbortSignal.timeout(60_000),
  }).catch(() => undefined);
  const answer = await response?.json().catch(() => undefined);
  if (response === undefined || response.status >= 500) {
    return 'The sign-in service does not answer. Sign in again.';
  }
  if (typeof answer?.access_token !== 'string') {
    return 'This sign-in was used already, or is older than a minute. Sign in again.';
  }
  keepToken(answer.access_token, Date.now() + Number(answer.expires_in) * 1_000);
  return undefined;
}

/** 256 bits. */
function random() {
  return base64url(crypto.getRandomValues(new Uint8Array(32)));
}

/** @param {Uint8Array} bytes */
function base64url(bytes) {
  const text = btoa(String.fromCharCode(...bytes));
  return text.replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}
