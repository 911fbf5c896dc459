// The vision events of a use case, the newest first.

import { ApiError } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { plainValue } from '../../../http-server/page-assets/format.js';
import { eventAddress, eventsAddress } from '../addresses.js';
import { getEventPicture, queryEvents } from '../api.js';
import { listPage } from '../list-page.js';
import { timeElement } from '../time-element.js';

/** @import { EventImage, View, VisionEvent } from '../types.ts' */

const pageSize = 50;

const types = ['quality_check', 'inventory_count', 'safety_alert', 'custom', 'operator_feedback'];

/** @param {string} useCase @param {URLSearchParams} query @returns {Promise<View>} */
export async function eventsView(useCase, query) {
  const { content } = await listPage({
    place: eventsAddress(useCase),
    query,
    heads: ['Time', 'Type', 'Says', 'Saw', 'Device', 'Images'],
    fields: [
      {
        name: 'type',
        words: 'Type',
        options: types.map((value) => ({ value, words: value.replaceAll('_', ' ') })),
      },
      { name: 'class', words: 'Class seen' },
      { name: 'device', words: 'Device' },
      { name: 'data', words: 'Data', placeholder: 'result=fail' },
      { name: 'metadata', words: 'Metadata', placeholder: 'line=3' },
      { name: 'since', words: 'From', type: 'datetime-local' },
      { name: 'until', words: 'Until', type: 'datetime-local' },
    ],
    read: async (wanted, after) => {
      const conditions = { useCaseId: useCase, limit: pageSize, ...conditionsOf(wanted) };
      const { events, nextCursor } = await queryEvents({
        ...conditions,
        ...(typeof after === 'string' && { cursor: after }),
      });
      return { items: events, after: nextCursor ?? undefined };
    },
    row: (event) => row(useCase, event),
    nothing: ['This use case has no event yet: vision_events_create records one.'],
    none: 'No event fits: take a condition away.',
  });
  const back = element('a', { href: '#events' }, 'All use cases');
  return {
    title: `Events of ${useCase}`,
    content: element('div', { class: 'stack' }, element('p', {}, back), content),
  };
}

/** As the service takes them. @param {Readonly<Record<string, string>>} wanted */
function conditionsOf({ type, class: seen, device, data, metadata, since, until }) {
  return {
    ...(type && { eventType: type }),
    ...(seen && { detection: { operator: 'eq', value: seen } }),
    ...(device && { deviceId: device }),
    ...(data && { eventFieldFilters: [comparison('data', 'column', data)] }),
    ...(metadata && { customMetadataFilters: [comparison('metadata', 'field', metadata)] }),
    ...(since && { startTime: isoOf(since) }),
    ...(until && { endTime: isoOf(until) }),
  };
}

/** `name=value`, `name>5`. @param {string} condition @param {string} member @param {string} words */
function comparison(condition, member, words) {
  const found = /^([^=<>!]+)(!=|>=|<=|=|>|<)(.+)$/s.exec(words);
  if (found === null) {
    const example = 'such as result=fail or line>=3';
    throw new ApiError(
      400,
      `“${condition}” compares a member with a value, ${example}: “${words}” does not.`,
    );
  }
  const [, name = '', sign = '', value = ''] = found;
  const operator = operators.get(sign) ?? 'eq';
  return { [member]: name.trim(), operator, value: scalarOf(value.trim()) };
}

const operators = new Map([
  ['=', 'eq'],
  ['!=', 'neq'],
  ['>', 'gt'],
  ['>=', 'gte'],
  ['<', 'lt'],
  ['<=', 'lte'],
]);

/** Numbers, true and false are meant as such; a text is so in quotes: `"3"`. @param {string} words */
function scalarOf(words) {
  try {
    const value = JSON.parse(words);
    return ['string', 'number', 'boolean'].includes(typeof value) ? value : words;
  } catch {
    return words;
  }
}

/** The time of the reader's clock. What is none is the service's to refuse. @param {string} local */
export function isoOf(local) {
  const date = new Date(local);
  return Number.isNaN(date.getTime()) ? local : date.toISOString();
}

/** @param {string} useCase @param {VisionEvent} event */
function row(useCase, { eventId, eventType, timestamp, eventData, deviceId, images = [] }) {
  const href = eventAddress(useCase, eventId);
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', class: 'short', title: eventId },
      element('a', { href }, timeElement(timestamp)),
    ),
    element('td', {}, eventType.replaceAll('_', ' ')),
    element('td', {}, dataWords(eventData ?? {})),
    element('td', {}, seenWords(images)),
    element('td', {}, deviceId ?? ''),
    element('td', { class: 'short' }, smallPicture(images), images.length),
  );
}

/** Loads the pictures that somebody comes to see. */
const seen = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (!isIntersecting) continue;
    seen.unobserve(target);
    void showSmall(target);
  }
});

/** Of the first image; without words, since the number stands beside it. @param {readonly EventImage[]} images */
function smallPicture([first]) {
  if (first === undefined) return undefined;
  const attributes = { class: 'small-picture', alt: '', hidden: true };
  const photo = element('img', attributes);
  const place = element('span', { 'data-source': first.sourceId }, photo);
  seen.observe(place);
  return place;
}

/** @param {Element} place */
async function showSmall(place) {
  const photo = place.querySelector('img');
  const picture = await getEventPicture(place.getAttribute('data-source') ?? '').catch(
    () => undefined,
  );
  if (photo === null || picture === undefined) return;
  // What cannot be made small, as HEIC, has no picture here.
  photo.addEventListener('load', () => {
    photo.hidden = false;
  });
  photo.src = picture.thumb;
}

/** The first single values. @param {Readonly<Record<string, unknown>>} data */
function dataWords(data) {
  return Object.entries(data)
    .filter(([, value]) => ['string', 'number', 'boolean'].includes(typeof value))
    .slice(0, 3)
    .map(([name, value]) => `${name} ${plainValue(value).slice(0, 100)}`)
    .join(', ');
}

/** @param {readonly EventImage[]} images */
function seenWords(images) {
  /** @type {Map<string, number>} */
  const times = new Map();
  const found = images.flatMap((image) => [
    ...(image.objectDetections ?? []),
    ...(image.classifications ?? []),
    ...(image.instanceSegmentations ?? []),
    ...(image.keypoints ?? []),
  ]);
  for (const { class: name } of found) times.set(name, (times.get(name) ?? 0) + 1);
  return [...times].map(([name, number]) => `${number} ${name}`).join(', ');
}
