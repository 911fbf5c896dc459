// The page for people: puts its parts together, and reads the address.

import { ApiError } from '../../http-server/page-assets/api-error.js';
import { byId } from '../../http-server/page-assets/elements.js';
import { startPolling } from '../../http-server/page-assets/polling.js';
import { showConnection, showProblem } from '../../http-server/page-assets/status-messages.js';
import { getEvent, getStats } from './api.js';
import { loadDeletions, loadOlderDeletions } from './deletions.js';
import { hideDetails, openEvent, showDetails } from './event-details.js';
import { Filters } from './filters.js';
import { showStats } from './store-figures.js';
import { Timeline } from './timeline.js';

const list = byId('events', HTMLElement);
const olderButton = byId('older', HTMLButtonElement);
const newButton = byId('new', HTMLButtonElement);
const end = byId('end', HTMLElement);
const timeline = new Timeline(list, (events) => filters.learn(events));
const filters = new Filters(() => attempt(reload));
/** Looks since the page was opened: some things need not be looked at each time. */
let looks = 0;
let isLoading = false;
/** @type {string | null} of the deletions that are shown */
let lastRemoval = null;
/** Whether the reader has just opened an event: then the details take the focus. */
let isOpening = false;

/** Older events are loaded before the reader comes to the end. */
const watcher = new IntersectionObserver(
  (entries) => {
    if (entries.at(-1)?.isIntersecting && timeline.hasOlder) attempt(loadOlder);
  },
  { rootMargin: '800px' },
);

async function reload() {
  list.setAttribute('aria-busy', 'true');
  try {
    await timeline.load(filters.query);
  } finally {
    list.removeAttribute('aria-busy');
  }
  window.scrollTo({ top: 0 });
  showCounts();
}

async function loadOlder() {
  if (isLoading) return;
  isLoading = true;
  try {
    await timeline.loadOlder();
  } finally {
    isLoading = false;
  }
  showCounts();
  // It tells of changes alone, and the end may still be near: so it looks anew.
  watcher.unobserve(end);
  watcher.observe(end);
}

async function look() {
  looks += 1;
  const stats = await getStats();
  showStats(stats);
  await showRemovals(stats.last_removal_at);
  if (timeline.size === 0 && timeline.waiting === 0) await timeline.load(filters.query);
  else await timeline.lookForNew();
  if (isAtRest()) await showNew();
  if (looks % 2 === 0) await refresh();
  showCounts();
}

/** The newest deletions, where they are looked at. @param {string | null} at time of the last one */
async function showRemovals(at) {
  const isShown = document.body.classList.contains('is-ledger') && window.scrollY < 4;
  if (isShown && at !== lastRemoval) await loadDeletions();
  if (isShown) lastRemoval = at;
}

/** The states of what is on the screen; also of the open event, which may be further down. */
async function refresh() {
  await timeline.refresh();
  const event = openEvent();
  if (event === undefined) return;
  const found = await getEvent(event.id).catch((thrown) => {
    if (thrown instanceof ApiError && thrown.status === 404) return undefined;
    throw thrown;
  });
  byId('details-gone', HTMLElement).hidden = found !== undefined;
  if (found && openEvent()?.id === found.id) showDetails(found);
}

/** Whether nobody reads: at the top, nothing open, neither pointer nor focus in the list. */
function isAtRest() {
  const isTouched = list.matches(':hover') || list.contains(document.activeElement);
  return window.scrollY < 4 && !isTouched && openEvent() === undefined;
}

async function showNew() {
  if (timeline.isBehind) {
    await reload();
    return;
  }
  const events = timeline.showNew();
  if (events.length === 0) return;
  const words = events.length === 1 ? '1 new event' : `${events.length} new events`;
  byId('announcement', HTMLElement).textContent = words;
}

function showCounts() {
  const { waiting, size, hasOlder } = timeline;
  newButton.hidden = waiting === 0;
  const number = timeline.isBehind ? 'Many' : String(waiting);
  newButton.textContent = waiting === 1 ? '1 new event' : `${number} new events`;
  olderButton.hidden = !hasOlder;
  const isEmpty = size === 0;
  byId('empty', HTMLElement).hidden = !isEmpty || !filters.isEmpty;
  byId('no-match', HTMLElement).hidden = !isEmpty || filters.isEmpty;
}

/** Opens what the part of the address after `#` says. */
async function readAddress() {
  const address = location.hash;
  const [view = '', id = ''] = address.slice(1).split('/');
  const isDeletions = view === 'deletions';
  byId('timeline', HTMLElement).hidden = isDeletions;
  byId('deletions', HTMLElement).hidden = !isDeletions;
  // The filters are of events alone.
  byId('filters', HTMLElement).hidden = isDeletions;
  document.body.classList.toggle('is-ledger', isDeletions);
  for (const link of document.querySelectorAll('.views a')) {
    const isHere = link.getAttribute('href') === (isDeletions ? '#deletions' : '#events');
    if (isHere) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }
  if (isDeletions) await loadDeletions();
  if (view !== 'event') {
    closeDetails();
    return;
  }
  const wanted = decodeURIComponent(id);
  const event = timeline.find(wanted) ?? (await getEvent(wanted));
  if (location.hash !== address) return;
  showDetails(event);
  markOpen(wanted);
  if (isOpening) byId('details-title', HTMLElement).focus({ preventScroll: true });
  isOpening = false;
  byId('details-gone', HTMLElement).hidden = true;
  byId('newer-event', HTMLButtonElement).disabled = !timeline.neighbour(wanted, -1);
  byId('older-event', HTMLButtonElement).disabled = !timeline.neighbour(wanted, 1);
}

/** @param {string} [id] */
function markOpen(id) {
  for (const card of list.querySelectorAll('.is-open')) card.classList.remove('is-open');
  if (id !== undefined) timeline.card(id)?.classList.add('is-open');
}

function closeDetails() {
  const { id } = openEvent() ?? {};
  if (id === undefined) return;
  hideDetails();
  markOpen();
  timeline.card(id)?.querySelector('a')?.focus({ preventScroll: true });
}

/** @param {number} step */
function openNeighbour(step) {
  const { id } = openEvent() ?? {};
  const next = id === undefined ? undefined : timeline.neighbour(id, step);
  if (next === undefined) return;
  location.replace(`#event/${encodeURIComponent(next)}`);
  timeline.card(next)?.scrollIntoView({ block: 'nearest' });
}

/** Does what may fail, and says so when it does. @param {() => Promise<void>} work */
async function attempt(work) {
  try {
    await work();
    showProblem();
  } catch (thrown) {
    showProblem(thrown instanceof ApiError ? thrown.message : 'This page failed. Load it again.');
  }
}

window.addEventListener('hashchange', () => attempt(readAddress));
olderButton.addEventListener('click', () => attempt(loadOlder));
newButton.addEventListener('click', () =>
  attempt(async () => {
    window.scrollTo({ top: 0 });
    await showNew();
    showCounts();
    list.querySelector('a')?.focus({ preventScroll: true });
  }),
);
byId('older-deletions', HTMLElement).addEventListener('click', () => attempt(loadOlderDeletions));
byId('close', HTMLElement).addEventListener('click', () => {
  location.hash = '#events';
});
byId('newer-event', HTMLElement).addEventListener('click', () => openNeighbour(-1));
byId('older-event', HTMLElement).addEventListener('click', () => openNeighbour(1));
byId('widen', HTMLElement).addEventListener('click', ({ currentTarget }) => {
  const isWide = document.body.classList.toggle('is-wide');
  if (currentTarget instanceof Element) currentTarget.setAttribute('aria-pressed', String(isWide));
});
list.addEventListener('click', ({ target }) => {
  isOpening = target instanceof Element && target.closest('.card-link') !== null;
});
document.addEventListener('keydown', ({ key, target }) => {
  const isTyping = target instanceof Element && target.closest('input, select, textarea, video');
  if (openEvent() === undefined || isTyping) return;
  if (key === 'Escape') location.hash = '#events';
  if (key === 'ArrowLeft') openNeighbour(-1);
  if (key === 'ArrowRight') openNeighbour(1);
});
watcher.observe(end);

await attempt(async () => {
  await filters.offerSchemas();
  await reload();
  await readAddress();
});
let isLost = false;
startPolling(look, (state, thrown) => {
  showConnection(state);
  if (state === 'lost') showProblem(thrown instanceof ApiError ? thrown.message : undefined);
  else if (state === 'live' && isLost) showProblem();
  isLost = state === 'lost';
});
