// Everything about one event, beside the timeline.

import { byId, element } from '../../http-server/page-assets/elements.js';
import { bytes, moment, plainValue } from '../../http-server/page-assets/format.js';
import { imageUrl, localOnlyFileUrl, videoUrl } from './api.js';
import { badges } from './event-card.js';
import { largePicture } from './event-image.js';
import { badgesOf, mainImage, outcomeOf, pictureOf } from './event-summary.js';
import { stateOf } from './timeline.js';

/** @import { Child } from '../../http-server/page-assets/elements.js' */
/** @import { Attachment, EventImage, StoredEvent } from './types.ts' */

/** @type {StoredEvent | undefined} */
let open;

/** The event that is shown. */
export function openEvent() {
  return open;
}

/** Shows an event; one that is shown already only where it has changed. @param {StoredEvent} event */
export function showDetails(event) {
  const isSame = open?.id === event.id;
  if (isSame && stateOf(open) === stateOf(event)) return;
  const files = fileSections(event);
  const wasSame = isSame && sameFiles(open, event);
  open = event;
  byId('details', HTMLElement).hidden = false;
  document.body.classList.add('has-details');
  const { text, tone } = outcomeOf(event);
  byId('details-title', HTMLElement).textContent = event.event_schema.replaceAll('_', ' ');
  byId('details-state', HTMLElement).replaceChildren(
    ...(text === '' ? [] : [element('span', { class: `outcome ${tone}` }, text.slice(0, 500))]),
    ...badges(event).filter((part) => part !== false),
    ...reasons(event),
  );
  // A picture that is looked at and a video that plays stay as they are.
  if (!isSame) showPictures(event);
  if (!wasSame) byId('details-files', HTMLElement).replaceChildren(...files);
  byId('details-data', HTMLElement).replaceChildren(
    ...section('Event data', members(event.event_data)),
    ...section('Custom metadata', members(event.custom_metadata ?? {})),
    ...section('Record', record(event)),
  );
  if (!isSame) byId('details-scroll', HTMLElement).scrollTop = 0;
}

/** Closes the details. */
export function hideDetails() {
  open = undefined;
  byId('details', HTMLElement).hidden = true;
  document.body.classList.remove('has-details', 'is-wide');
  byId('details-pictures', HTMLElement).replaceChildren();
  byId('details-files', HTMLElement).replaceChildren();
}

/** @param {StoredEvent | undefined} before @param {StoredEvent} after */
function sameFiles(before, after) {
  return before?.current_file_count === after.current_file_count;
}

/** Why it was refused, and why it is held. @param {StoredEvent} event */
function reasons(event) {
  return badgesOf(event)
    .filter(({ reason }) => reason)
    .map(({ text, tone, reason }) =>
      element('p', { class: `reason ${tone}` }, element('b', {}, text), ` ${reason}`),
    );
}

/** @param {StoredEvent} event */
function showPictures(event) {
  const place = byId('details-pictures', HTMLElement);
  const images = (event.images ?? []).filter((image) => pictureOf(image));
  const main = mainImage(event);
  place.replaceChildren(...(main ? [largePicture(main)] : []));
  if (images.length < 2) return;
  const strip = images.map((image) => stripButton(image, image === main, place));
  place.append(element('div', { class: 'strip' }, ...strip));
}

/**
 * @param {EventImage} image
 * @param {boolean} isShown
 * @param {HTMLElement} place
 */
function stripButton(image, isShown, place) {
  const name = image.label ?? 'image';
  const button = element(
    'button',
    { type: 'button', 'aria-pressed': String(isShown), title: name },
    element('img', { alt: name, src: imageUrl(pictureOf(image) ?? ''), loading: 'lazy' }),
  );
  button.addEventListener('click', () => {
    for (const other of place.querySelectorAll('.strip button')) {
      other.setAttribute('aria-pressed', String(other === button));
    }
    place.querySelector('.large')?.replaceWith(largePicture(image));
  });
  return button;
}

/** @param {StoredEvent} event */
function fileSections({ videos = [], local_only_files: files = [] }) {
  return [
    ...section('Videos', videos.length > 0 && element('div', {}, ...videos.map(video))),
    ...section(
      'Files that stay on this device',
      files.length > 0 && element('ul', { class: 'files' }, ...files.map(download)),
    ),
  ];
}

/** @param {Attachment} file */
function video(file) {
  const name = nameOf(file, 'video');
  return element(
    'figure',
    { class: 'video' },
    element('video', {
      src: videoUrl(file.file_id),
      controls: true,
      preload: 'metadata',
      playsinline: true,
      'aria-label': name,
    }),
    element('figcaption', {}, name, ' ', element('small', {}, sizeOf(file))),
  );
}

/** @param {Attachment} file */
function download(file) {
  return element(
    'li',
    {},
    element('a', { href: localOnlyFileUrl(file.file_id), download: true }, nameOf(file, 'file')),
    element('small', {}, sizeOf(file)),
  );
}

/** @param {Attachment} file @param {string} otherwise */
function nameOf({ label }, otherwise) {
  return label || otherwise;
}

/** @param {Attachment} file */
function sizeOf({ size_bytes: size, content_type: type }) {
  return [typeof size === 'number' && bytes(size), type].filter(Boolean).join(', ');
}

/** Names and values as a list. @param {Readonly<Record<string, unknown>>} values */
function members(values) {
  const entries = Object.entries(values);
  return entries.length > 0 && element('dl', { class: 'members' }, ...entries.flatMap(member));
}

/** @param {[name: string, value: unknown]} entry */
function member([name, value]) {
  const isDeep = typeof value === 'object' && value !== null;
  const text = isDeep ? JSON.stringify(value, undefined, 2) : plainValue(value);
  return [element('dt', {}, name), element('dd', {}, isDeep ? element('pre', {}, text) : text)];
}

/** @param {StoredEvent} event */
function record(event) {
  const times = {
    Stored: event.created_at,
    'Seen by the model': event.inference_timestamp,
    Finalized: event.auto_finalized_at ? undefined : event.finalized_at,
    'Finalized by the sweep': event.auto_finalized_at,
    Uploaded: optionalText(event.uploaded_at),
  };
  const texts = {
    Device: event.device_id,
    Stream: event.stream_id,
    Workflow: [event.workflow_id, event.workflow_version].filter(Boolean).join(' '),
    Solution: event.solution,
    Files: `${event.current_file_count ?? 0} of ${event.original_file_count ?? 0}`,
    'API version': event.api_version,
    Id: event.id,
  };
  const all = [
    ...Object.entries(times).map(([name, time]) => [name, time && moment(time)]),
    ...Object.entries(texts),
  ];
  return members(Object.fromEntries(all.filter(([, value]) => value)));
}

/** @param {unknown} value */
function optionalText(value) {
  return typeof value === 'string' ? value : undefined;
}

/** @param {string} title @param {Child} content @returns {HTMLElement[]} */
function section(title, content) {
  if (!content) return [];
  return [element('section', {}, element('h3', {}, title), content)];
}
