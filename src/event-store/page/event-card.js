// One event in the timeline: its picture with what was seen in it, its outcome and its state.

import { classCounts, drawSmall } from '../../http-server/page-assets/drawing.js';
import { element, svg } from '../../http-server/page-assets/elements.js';
import { plainValue, timeOfDay } from '../../http-server/page-assets/format.js';
import { imageUrl } from './api.js';
import { findingsOf } from './event-detections.js';
import { badgesOf, mainImage, outcomeOf, pictureOf } from './event-summary.js';

/** @import { Badge, EventImage, StoredEvent } from './types.ts' */

/**
 * A list item with one link, which opens the event.
 * @param {StoredEvent} event
 */
export function createCard(event) {
  const item = element('li', { class: 'card', 'data-id': event.id });
  fillCard(item, event);
  return item;
}

/**
 * Shows an event that has changed; the picture, which never does, stays as it is.
 * @param {HTMLElement} item
 * @param {StoredEvent} event
 */
export function fillCard(item, event) {
  const outcome = outcomeOf(event);
  const link = element(
    'a',
    { href: `#event/${encodeURIComponent(event.id)}`, class: 'card-link' },
    item.querySelector('.picture') ?? picture(event),
    element(
      'span',
      { class: 'card-text' },
      element(
        'span',
        { class: 'card-line' },
        element('strong', { class: 'schema' }, event.event_schema.replaceAll('_', ' ')),
        element('time', { datetime: event.created_at }, timeOfDay(event.created_at)),
      ),
      outcome.text !== '' &&
        element('span', { class: `outcome ${outcome.tone}` }, outcome.text.slice(0, 200)),
      element('span', { class: 'card-origin' }, originOf(event)),
      element('span', { class: 'badges' }, ...badges(event)),
    ),
  );
  const old = item.querySelector('.card-link');
  const hadFocus = old !== null && old === document.activeElement;
  item.replaceChildren(link);
  if (hadFocus) link.focus({ preventScroll: true });
}

/** The states of an event, and what it carries, as small marks. @param {StoredEvent} event */
export function badges(event) {
  const { videos = [], local_only_files: files = [], images = [] } = event;
  return [
    ...badgesOf(event).map(badge),
    images.length > 1 && element('span', { class: 'mark' }, `${images.length} images`),
    videos.length > 0 && element('span', { class: 'mark' }, plural(videos.length, 'video')),
    files.length > 0 && element('span', { class: 'mark' }, plural(files.length, 'file')),
  ];
}

/** @param {Badge} badge */
function badge({ text, tone, reason }) {
  return element('span', { class: `badge ${tone}`, title: reason }, text);
}

/** @param {number} number @param {string} noun */
function plural(number, noun) {
  return number === 1 ? noun : `${number} ${noun}s`;
}

/** Where it comes from, and what was seen. @param {StoredEvent} event */
function originOf(event) {
  const image = mainImage(event);
  const seen = image ? classCounts([...findingsOf(image), ...classesOf(image)]) : [];
  const words = seen.slice(0, 4).map(([name, times]) => (times > 1 ? `${times} ${name}` : name));
  return [event.device_id, words.join(', ')].filter(Boolean).join(' · ');
}

/** @param {EventImage} image */
function classesOf({ classifications = [] }) {
  return classifications.map((found) => ({ class: String(found.class ?? '') }));
}

/** @param {StoredEvent} event */
function picture(event) {
  const image = mainImage(event);
  const file = image && pictureOf(image);
  if (!image || !file) return withoutPicture(event);
  const photo = element('img', { alt: '', loading: 'lazy', decoding: 'async' });
  const overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  photo.addEventListener('load', () => {
    const { naturalWidth: width, naturalHeight: height } = photo;
    drawSmall(overlay, findingsOf(image), { width, height });
  });
  photo.addEventListener('error', () => photo.parentElement?.classList.add('is-broken'));
  photo.src = imageUrl(file);
  return element('span', { class: 'picture' }, photo, overlay);
}

/** @param {StoredEvent} event */
function withoutPicture({ event_data: data, videos = [] }) {
  const lines = Object.entries(data)
    .slice(0, 5)
    .map(([name, value]) =>
      element('span', {}, element('b', {}, name), ' ', plainValue(value).slice(0, 120)),
    );
  const isVideo = videos.length > 0;
  return element('span', { class: isVideo ? 'picture is-video' : 'picture is-data' }, ...lines);
}
