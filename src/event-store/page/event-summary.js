// What an event says in few words: its outcome, its state, what was seen.

import { plainValue } from '../../http-server/page-assets/format.js';

/** @import { Badge, EventImage, StoredEvent, Tone } from './types.ts' */

/**
 * The outcome of an event, and how it is to be taken.
 * @param {StoredEvent} event
 * @returns {{ text: string, tone: Tone }}
 */
export function outcomeOf({ event_schema: schema, event_data: data }) {
  const words = outcomes[schema]?.(data) ?? Object.values(data).slice(0, 1);
  const text = words.filter((value) => value !== undefined && value !== null).map(plainValue);
  const [first = ''] = text;
  return { text: text.join(' · '), tone: (Object.hasOwn(tones, first) && tones[first]) || 'plain' };
}

/**
 * Where an event is: a draft or on its way to the cloud, and whether it is held.
 * @param {StoredEvent} event
 * @returns {Badge[]}
 */
export function badgesOf({ draft, upload_status: status, upload_error: error, hold }) {
  const state = draft ? 'draft' : status === 'off' ? 'stored' : (status ?? 'waiting');
  /** @type {Badge} */
  const own = {
    text: state,
    tone: (Object.hasOwn(states, state) && states[state]) || 'plain',
    reason: error ?? undefined,
  };
  return hold ? [own, { text: 'held', tone: 'held', reason: hold }] : [own];
}

/**
 * The image that stands for an event: the one to display, or the first with a picture.
 * @param {StoredEvent} event
 * @returns {EventImage | undefined}
 */
export function mainImage({ images = [], display_image_position: position }) {
  const chosen = images[position ?? 0];
  return chosen && pictureOf(chosen) ? chosen : images.find((image) => pictureOf(image));
}

/** The file of an image. @param {EventImage} image @returns {string | undefined} */
export function pictureOf(image) {
  return image.file_id ?? image.input_file_id ?? undefined;
}

/** @type {Readonly<Record<string, (data: Readonly<Record<string, unknown>>) => unknown[]>>} */
const outcomes = {
  quality_check: ({ result }) => [result],
  inventory_count: ({ itemCount, itemType, location }) => [itemCount, itemType, location],
  safety_alert: ({ severity, alertType }) => [severity, alertType],
  operator_feedback: ({ feedback }) => [feedback],
  custom: ({ value }) => [value],
};

/** @type {Readonly<Record<string, Tone>>} */
const tones = {
  pass: 'good',
  correct: 'good',
  fail: 'bad',
  incorrect: 'bad',
  high: 'bad',
  medium: 'warn',
  inconclusive: 'warn',
  low: 'info',
};

/** @type {Readonly<Record<string, Tone>>} */
const states = { draft: 'warn', waiting: 'info', uploaded: 'good', refused: 'bad' };
