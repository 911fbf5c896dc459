// The page for people: asks for a key, reads the address, and shows one view at a time.

import { ApiError, failureOf } from '../../http-server/page-assets/api-error.js';
import { byId, element, shownText } from '../../http-server/page-assets/elements.js';
import { startPolling } from '../../http-server/page-assets/polling.js';
import { showConnection, showProblem } from '../../http-server/page-assets/status-messages.js';
import { offerAccounts, onAccount } from './account-offer.js';
import { endSignIn, returnFromSignIn, startRenewing } from './account-sign-in.js';
import { callCount, peopleSignIn, setEntered, signIn } from './api.js';
import { forgetKey, keepKey, knownEnd, knownKey } from './api-key-of-tab.js';
import { failedLink } from './failed-link.js';
import { annotateView } from './labelling/annotate.js';
import { forgetClassNumbers, leaveClassNumbers } from './labelling/class-numbers.js';
import { untilReleased } from './labelling/finished-drag.js';
import { forgetKeys, holdKeys, releaseKeys } from './labelling/held-keys.js';
import { forgetLabels, hasKeptLabels, leaveLabels } from './labelling/kept-labels.js';
import { keptLabelsNotice, showKeptLabels } from './labelling/kept-labels-notice.js';
import { forgetOutlines } from './labelling/kept-outlines.js';
import { useService } from './labelling/labelling-service.js';
import { isPassing, sendWhatWaits, unsaved, untilRetry } from './labelling/retry.js';
import { workAs, worksHere } from './labelling/tab-storage.js';
import { closeMenu, markPlace, startNavigation } from './navigation.js';
import { signInByLink } from './one-use-link.js';
import { activityView } from './pages/activity.js';
import { agreementView } from './pages/agreement.js';
import { comparisonView } from './pages/comparison.js';
import { evaluationView } from './pages/evaluation.js';
import { evaluationsView } from './pages/evaluations.js';
import { eventView } from './pages/event.js';
import { eventsView } from './pages/events.js';
import { foldersView } from './pages/folders.js';
import { imageView } from './pages/image.js';
import { imagesView } from './pages/images.js';
import { jobsView } from './pages/jobs.js';
import { judgedImagesView } from './pages/judged-images.js';
import { keysView } from './pages/keys.js';
import { projectView } from './pages/project.js';
import { projectsView } from './pages/projects.js';
import { tasksView } from './pages/tasks.js';
import { trainingView } from './pages/training.js';
import { trainingsView } from './pages/trainings.js';
import { trashView } from './pages/trash.js';
import { useCasesView } from './pages/use-cases.js';
import { versionsView } from './pages/versions.js';
import { meetPeople, ownName } from './people.js';
import { onRefusedKey } from './refused-key.js';
import { requestedLabelling } from './requested-labelling.js';

/** @import { View } from './types.ts' */

const keyForm = byId('key-form', HTMLFormElement);
const keyField = byId('key', HTMLInputElement);
const main = byId('view', HTMLElement);
/** Whatever view is shown. */
const notices = element('div', { hidden: true }, keptLabelsNotice());
/** @type {View | undefined} */
let shown;
/** Whose view is shown, and which is asked for: what stands behind the # of their addresses. */
let shownPlace = '';
let askedPlace = '';
/** Counts the views that were asked for: an answer for an older one is thrown away. */
let wanted = 0;
let isSignedIn = false;
/** Whether the last look for news went well. */
let isLive = true;
let lookNow = () => {};
/** Whether the last sign-out went well, once that is known. @type {Promise<boolean>} */
let ending = Promise.resolve(true);

/** @typedef {URLSearchParams} Query */

/** The views of a workspace, by the first part of the address. */
const workspaceViews = new Map(
  Object.entries({
    tasks: (/** @type {Query} */ query) => tasksView(query),
    folders: foldersView,
    trash: trashView,
    activity: activityView,
    keys: keysView,
    events: (/** @type {Query} */ query, useCase = '') =>
      useCase === '' ? useCasesView(query) : eventsView(useCase, query),
    event: (/** @type {Query} */ _query, useCase = '', id = '') => eventView(useCase, id),
  }),
);

/** The views of a project, by what comes after its slug. */
const projectViews = new Map(
  Object.entries({
    images: (/** @type {string} */ slug, /** @type {Query} */ query) => imagesView(slug, query),
    image: (/** @type {string} */ slug, /** @type {Query} */ _query, id = '') =>
      imageView(slug, id),
    annotate: (/** @type {string} */ slug, /** @type {Query} */ query, id = '') =>
      annotateView(slug, id, query),
    agreement: (/** @type {string} */ slug, /** @type {Query} */ _query, id = '') =>
      agreementView(slug, id),
    jobs: jobsView,
    evaluations: (/** @type {string} */ slug, /** @type {Query} */ query, id = '') =>
      id === '' ? evaluationsView(slug, query) : evaluationView(slug, id, query),
    evaluation: (/** @type {string} */ slug, /** @type {Query} */ query, id = '') =>
      evaluationView(slug, id, query),
    judged: (/** @type {string} */ slug, /** @type {Query} */ query, id = '') =>
      judgedImagesView(slug, id, query),
    comparison: (/** @type {string} */ slug, /** @type {Query} */ query, id = '', other = '') =>
      comparisonView(slug, id, other, query),
    versions: versionsView,
    trainings: trainingsView,
    training: (/** @type {string} */ slug, /** @type {Query} */ _query, version = '', id = '') =>
      trainingView(slug, version, id),
  }),
);

/** The view that is asked for. @returns {Promise<View>} */
function viewOf() {
  const [place = '', words = ''] = askedPlace.slice(1).split('?');
  const query = new URLSearchParams(words);
  const [name = '', slug = '', part = '', ...ids] = place.split('/').map(decoded);
  const ofWorkspace = workspaceViews.get(name);
  if (ofWorkspace !== undefined) return ofWorkspace(query, slug, part);
  if (['', 'projects'].includes(name) || place === 'project') return projectsView(query);
  if (name === 'project' && part === '') return projectView(slug);
  const ofProject = name === 'project' ? projectViews.get(part) : undefined;
  if (ofProject !== undefined) return ofProject(slug, query, ...ids);
  throw new ApiError(404, `There is no page “${place}” here.`);
}

/** What is no percent-encoded text stands for itself. @param {string} text */
function decoded(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** Shows the view of the address, as soon as the platform answers. */
async function show() {
  wanted += 1;
  const turn = wanted;
  askedPlace = location.hash;
  while (turn === wanted && (await attempt(() => load(turn)))) await untilRetry();
}

async function load(/** @type {number} */ turn) {
  main.setAttribute('aria-busy', 'true');
  if (main.querySelector('.annotate')) holdKeys();
  const stopWaiting = showWaiting(turn);
  let isShown = false;
  try {
    const view = await viewOf().finally(() => untilReleased(shown));
    if (turn !== wanted) return;
    shown = view;
    shownPlace = askedPlace;
    setPlace(askedPlace);
    present(view);
    if (!isLive) lookNow();
    isShown = true;
  } catch (thrown) {
    if (turn === wanted) showFailure(thrown);
  } finally {
    stopWaiting();
    if (turn === wanted) main.removeAttribute('aria-busy');
    if (isShown) releaseKeys();
    else if (turn === wanted) forgetKeys();
  }
}

/** Longer than this, what is shown would pass for what was asked for. */
const waitMs = 100;

/**
 * Says that the page loads. The picture that is annotated stays until the next one is there, and the
 * address says so: what is drawn meanwhile is of that one. @param {number} turn
 */
function showWaiting(turn) {
  const timer = setTimeout(() => {
    if (turn !== wanted) return;
    if (isAnnotating()) return setPlace(shownPlace);
    const bar = element('progress', { class: 'loading', 'aria-label': 'Loading' });
    present({ title: 'Loading …', content: bar });
    shown = undefined;
  }, waitMs);
  return () => clearTimeout(timer);
}

function isAnnotating() {
  return main.querySelector('.annotate') !== null && askedPlace.includes('/annotate/');
}

/** The address is the one of that view, and nothing is loaded. @param {string} place */
function setPlace(place) {
  if (location.hash !== place) history.replaceState(null, '', place || location.pathname);
}

/** @param {View} view */
function present(view) {
  document.title = `${shownText(view.title)} · Fovea`;
  main.replaceChildren(element('h2', { tabindex: -1 }, view.title), view.content);
  showKeptLabels();
  markPlace();
  closeMenu();
  window.scrollTo({ top: 0 });
  // The reader followed a link that is gone: so the focus goes where they are now.
  if (document.activeElement === document.body) main.querySelector('h2')?.focus();
}

/** In place of the view before. What may go well later is told by who tries it again. @param {unknown} thrown */
function showFailure(thrown) {
  const { status, words } = failureOf(thrown);
  if (isPassing(status) && isAnnotating()) {
    setPlace(shownPlace);
    throw new ApiError(status, `The image that you asked for cannot be shown yet: ${words}`);
  }
  if (status === 401 || isPassing(status)) throw thrown;
  shown = undefined;
  shownPlace = askedPlace;
  setPlace(askedPlace);
  present(failedLink(location.hash, status, words));
}

/**
 * Does what may fail, and says so when it does.
 * @param {() => Promise<void>} work
 * @returns {Promise<boolean>} whether it failed, and may go well later
 */
async function attempt(work) {
  try {
    await work();
    showProblem();
    return false;
  } catch (thrown) {
    const status = thrown instanceof ApiError ? thrown.status : -1;
    const words = thrown instanceof ApiError ? thrown.message : 'This page failed. Load it again.';
    if (status === 401) signOut(words);
    else showProblem(words);
    return isPassing(status);
  }
}

async function enter() {
  await attempt(async () => {
    const workspace = await signIn();
    byId('workspace', HTMLElement).textContent = workspace;
    byId('applications', HTMLElement).hidden = !peopleSignIn();
    const isOfAccount = knownEnd() !== undefined;
    byId('sign-out', HTMLElement).textContent = isOfAccount ? 'Sign out' : 'Forget the key';
    const person = await meetPeople(workspace, isOfAccount);
    if (!mayTakeTurns(person)) {
      forgetKey();
      return signOut('Nothing was lost. Sign in as before: what waits is sent then.');
    }
    takeTurns(person);
    byId('person', HTMLElement).textContent = ownName();
    isSignedIn = true;
    setEntered(true);
    document.body.classList.add('is-signed-in');
    keyForm.hidden = true;
    main.hidden = false;
    notices.hidden = false;
  });
  if (!isSignedIn) return;
  await sendWhatWaits();
  await show();
}

/** @typedef {import('./labelling/tab-storage.js').Owner} Owner */

/** Labels wait in the tab for who drew them; what cannot is lost only if somebody wants that. @param {Owner} person */
function mayTakeTurns(person) {
  const isLost = [...unsaved].some((one) => !('isKept' in one && one.isKept === true));
  if (worksHere(person) || !isLost) return true;
  return window.confirm(
    'Who signed in here before made changes that are not saved yet. Go on as another one, and lose them?',
  );
}

/** What another person left unsaved here is neither seen nor saved by this one. @param {Owner} person */
function takeTurns(person) {
  if (!worksHere(person)) {
    unsaved.clear();
    leaveLabels();
    leaveClassNumbers();
  }
  workAs(person);
  showKeptLabels();
}

/** Of the credential of this tab: what the platform says of it is meant for programs. */
function refusalWords() {
  if (knownEnd() !== undefined) {
    return 'Your sign-in has ended. Sign in again: you come back to this place.';
  }
  const waits = unsaved.size > 0 || hasKeptLabels();
  const way = waits ? ' of this workspace: changes that are not saved yet wait for it' : '';
  return `This key is unknown or no longer valid. Enter another one${way}.`;
}

/** @param {string} [why] */
function signOut(why) {
  const words = why === undefined || knownKey() === null ? why : refusalWords();
  isSignedIn = false;
  setEntered(false);
  shown = undefined;
  wanted += 1;
  forgetKey();
  document.body.classList.remove('is-signed-in');
  for (const name of ['workspace', 'person']) byId(name, HTMLElement).textContent = '';
  main.replaceChildren();
  main.hidden = true;
  notices.hidden = true;
  keyForm.hidden = false;
  keyField.value = '';
  keyField.focus();
  showConnection('unknown');
  showProblem(words);
  offerAccounts(ending);
}

function tellLive() {
  if (!isLive && !isAnnotating()) showProblem();
  isLive = true;
  showConnection(shown?.refresh === undefined ? 'connected' : 'live');
}

/** Where somebody annotates the picture must not move: how far it is saved is said beside it. */
function tellLost(/** @type {number} */ status, /** @type {string} */ words) {
  isLive = false;
  showConnection(isPassing(status) ? 'lost' : 'unknown');
  if (!isAnnotating()) showProblem(words);
}

keyForm.addEventListener('submit', (event) => {
  event.preventDefault();
  const key = keyField.value.trim();
  if (key === '') return;
  keepKey(key);
  keyField.value = '';
  enter();
});
byId('sign-out', HTMLElement).addEventListener('click', async () => {
  const isOfAccount = knownEnd() !== undefined;
  const what = isOfAccount ? 'Sign out' : 'Forget the key';
  const question = `Changes are not saved yet. ${what}, and lose them?`;
  if ((unsaved.size > 0 || hasKeptLabels()) && !window.confirm(question)) return;
  forgetWork();
  const token = isOfAccount ? knownKey() : null;
  if (token !== null) ending = endSignIn(token);
  signOut();
  if (await ending) return;
  showProblem('The sign-in service does not answer: this browser may be signed in there still.');
});
/** What who signs out wants to lose. */
function forgetWork() {
  unsaved.clear();
  forgetLabels();
  forgetOutlines();
  forgetClassNumbers();
}

document.querySelector('.skip')?.addEventListener('click', (event) => {
  // Its address would lead to another view.
  event.preventDefault();
  main.querySelector('h2')?.focus();
});
window.addEventListener('hashchange', () => {
  // The address was that of the image that is shown still: the other one is asked for already.
  const isAsked = isAnnotating() && location.hash === askedPlace;
  if (isSignedIn && !isAsked) show();
});
window.addEventListener('popstate', () => {
  if (!isSignedIn || location.hash !== shownPlace || askedPlace === shownPlace) return;
  // Back to what is shown still: what was asked for is not wanted any more.
  wanted += 1;
  askedPlace = shownPlace;
  main.removeAttribute('aria-busy');
  forgetKeys();
  showProblem();
});

// The first refusal says why; what else was under way is refused too.
onRefusedKey((words) => {
  if (isSignedIn) signOut(words);
});
main.before(notices);
startNavigation();
useService(requestedLabelling);
onAccount(enter);
startRenewing();
const problem = (await returnFromSignIn()) ?? (await signInByLink());
if (knownKey() === null) signOut(problem);
else {
  await enter();
  if (problem !== undefined) showProblem(problem);
}
lookNow = startPolling(
  async () => {
    if (!isSignedIn) return;
    const before = callCount();
    await shown?.refresh?.();
    // Else a view that asks for nothing would be shown as live where access has ended.
    if (isSignedIn && callCount() === before) await signIn();
  },
  (state, thrown) => {
    const { status, words } = failureOf(thrown);
    if (thrown !== undefined && status === 401) signOut(words);
    if (!isSignedIn) return;
    if (state === 'lost') tellLost(status, words);
    else if (state === 'live') tellLive();
    else showConnection(state);
  },
);
