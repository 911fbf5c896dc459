// One vision event: what it says, and its pictures with what was seen in them.

import {
  classChoice,
  findingTable,
  pictureStage,
  toggle,
} from '../../../http-server/page-assets/annotated-image.js';
import { failureOf } from '../../../http-server/page-assets/api-error.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { findingsIn } from '../../../http-server/page-assets/findings.js';
import { moment, percent, plainValue } from '../../../http-server/page-assets/format.js';
import { eventsAddress } from '../addresses.js';
import { getEvent, getEventPicture } from '../api.js';
import { fact } from '../facts.js';
import { leadsToSignIn } from '../refused-key.js';

/** @import { EventImage, View, VisionEvent } from '../types.ts' */

/** @param {string} useCase @param {string} id @returns {Promise<View>} */
export async function eventView(useCase, id) {
  const event = await getEvent(useCase, id);
  const { eventType, timestamp, eventData, customMetadata } = event;
  return {
    title: `${eventType.replaceAll('_', ' ')}, ${moment(timestamp)}`,
    content: element(
      'div',
      { class: 'stack' },
      element(
        'p',
        {},
        element('a', { href: eventsAddress(useCase) }, 'All events of this use case'),
      ),
      record(event),
      await pictures(event),
      ...members('Event data', eventData),
      ...members('Custom metadata', customMetadata),
    ),
  };
}

/** @param {VisionEvent} event */
function record({ useCaseId, eventId, deviceId, streamId, workflowId }) {
  const texts = {
    'Use case': useCaseId,
    Device: deviceId,
    Stream: streamId,
    Workflow: workflowId,
    Event: eventId,
  };
  const known = Object.entries(texts).filter(([, text]) => text);
  return element('dl', { class: 'facts' }, ...known.map(([name, text]) => fact(name, text)));
}

/** The main picture, and a button for each where there are several. @param {VisionEvent} event */
async function pictures({ images = [], displayImagePosition: position = 0 }) {
  if (images.length === 0) return element('p', { class: 'empty' }, 'The event has no image.');
  const main = images[position] ? position : 0;
  const place = element('div', {}, await picture(images[main]));
  const buttons = images.map((image, at) => {
    const name = `${at + 1}${image.label ? ` ${image.label}` : ''}`;
    const button = element('button', { type: 'button', 'aria-pressed': String(at === main) }, name);
    button.addEventListener('click', async () => {
      for (const other of buttons) other.setAttribute('aria-pressed', String(other === button));
      const next = await picture(image);
      if (button.getAttribute('aria-pressed') === 'true') place.replaceChildren(next);
    });
    return button;
  });
  return element(
    'section',
    { class: 'stack', 'aria-label': 'Images' },
    images.length > 1 && element('div', { class: 'chips choice' }, ...buttons),
    place,
  );
}

/** @param {EventImage | undefined} image */
async function picture(image) {
  if (image === undefined) return '';
  const { sourceId, inputSourceId: inputId, label, classifications = [] } = image;
  const findings = findingsIn(
    image.objectDetections ?? [],
    image.instanceSegmentations ?? [],
    image.keypoints ?? [],
  );
  try {
    const [{ url, name }, input] = await Promise.all([
      getEventPicture(sourceId),
      inputId === undefined ? undefined : getEventPicture(inputId),
    ]);
    const { stage, photo } = pictureStage(label ?? name, findings);
    photo.src = url;
    const classes = classifications.map(
      ({ class: seen, confidence }) => `${seen} ${percent(confidence)}`,
    );
    return element(
      'div',
      { class: 'large' },
      stage,
      classChoice(stage, findings),
      input &&
        element(
          'div',
          { class: 'chips' },
          toggle('Output image', 'chip plain', (isOn) => {
            photo.src = isOn ? url : input.url;
          }),
        ),
      classes.length > 0 && element('p', {}, `Classified as ${classes.join(', ')}`),
      findingTable(stage, findings, 'detections'),
      // Browsers show no HEIC.
      element('p', {}, element('a', { href: url }, 'The file')),
    );
  } catch (thrown) {
    return leadsToSignIn(thrown) ? '' : element('p', { class: 'bad' }, failureOf(thrown).words);
  }
}

/** @param {string} title @param {Readonly<Record<string, unknown>>} [values] */
function members(title, values = {}) {
  const all = Object.entries(values);
  if (all.length === 0) return [];
  const facts = all.map(([name, value]) => {
    const isDeep = typeof value === 'object' && value !== null;
    const deep = isDeep && JSON.stringify(value, undefined, 2);
    return fact(
      name,
      deep ? element('pre', { class: 'log', tabindex: 0 }, deep) : plainValue(value),
    );
  });
  return [element('h3', {}, title), element('dl', { class: 'facts' }, ...facts)];
}
