// The page beside events_list: the events along a line of time, and each in a row.

import { element, svg } from '../../../http-server/page-assets/elements.js';
import { day, moment, plainValue, timeOfDay } from '../../../http-server/page-assets/format.js';
import { asList, asRecord, connect, nextCall } from './host.js';
import { callButton, failure, fill, pictures, statusLine, summaryOf } from './result-elements.js';

/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {import('./types.ts').Host} Host */
/** @typedef {Record<string, unknown>} Event */

connect('fovea-event-timeline', { show, fail: failure });

/**
 * @param {ToolResult} result
 * @param {Host} host
 */
function show(result, host) {
  const events = asList(asRecord(result.structuredContent).events).map(asRecord);
  fill([
    summaryOf(result),
    events.length === 0 ? statusLine('No events.') : line(events),
    ...pictures(result, 'Images of the events, with what was found in them.'),
    list(events),
    callButton('More events', nextCall(result, 'events_list'), host, (next) => show(next, host)),
  ]);
}

/** @param {Event} event */
function timeOf(event) {
  return Date.parse(String(event.created_at ?? ''));
}

/** What went wrong is seen first. @param {Event} event */
function stateOf(event) {
  const { result } = asRecord(event.event_data);
  if (event.draft === true) return 'draft';
  if (result === 'fail' || event.event_schema === 'safety_alert') return 'bad';
  return result === 'pass' ? 'good' : 'plain';
}

const width = 1000;
const middle = 24;

/** A mark for each event; who uses the keyboard has the list. @param {readonly Event[]} events */
function line(events) {
  const times = events.map(timeOf).filter((time) => !Number.isNaN(time));
  const first = Math.min(...times);
  const span = Math.max(...times) - first || 1;
  const marks = events.flatMap((event, index) => {
    const time = timeOf(event);
    if (Number.isNaN(time)) return [];
    const x = 12 + ((time - first) / span) * (width - 24);
    const mark = svg('circle', { cx: x, cy: middle, r: 8, class: stateOf(event) });
    mark.append(svg('title', {}, `${timeOfDay(String(event.created_at))} ${event.event_schema}`));
    mark.addEventListener('click', () => document.getElementById(`event-${index}`)?.focus());
    return [mark];
  });
  const axis = svg('line', { x1: 0, y1: middle, x2: width, y2: middle });
  const words = `${events.length} events, ${ends(first, first + span)}`;
  return element(
    'figure',
    {},
    svg('svg', { viewBox: `0 0 ${width} 48`, role: 'img', 'aria-label': words }, axis, ...marks),
    element('figcaption', {}, ends(first, first + span)),
  );
}

/**
 * @param {number} first
 * @param {number} last
 */
function ends(first, last) {
  if (!Number.isFinite(first) || !Number.isFinite(last)) return '';
  const [from, to] = [new Date(first).toISOString(), new Date(last).toISOString()];
  return day(from) === day(to)
    ? `${day(from)}, ${timeOfDay(from)} to ${timeOfDay(to)}`
    : `${moment(from)} to ${moment(to)}`;
}

/** @param {readonly Event[]} events */
function list(events) {
  return element('ol', { class: 'events' }, ...events.map(card));
}

/**
 * @param {Event} event
 * @param {number} index
 */
function card(event, index) {
  const { event_schema, device_id, hold, event_data, custom_metadata } = event;
  const pairs = [
    ...Object.entries(asRecord(event_data)),
    ...Object.entries(asRecord(custom_metadata)),
  ];
  const states = [
    event.draft === true && 'draft',
    typeof hold === 'string' && `held: ${hold}`,
    event.upload_status === 'refused' && 'refused by the cloud',
  ].filter((words) => words !== false);
  return element(
    'li',
    { id: `event-${index}`, tabindex: 0, class: stateOf(event) },
    element('time', {}, moment(String(event.created_at ?? ''))),
    element('strong', {}, String(event_schema ?? '')),
    device_id ? element('span', {}, String(device_id)) : undefined,
    ...states.map((words) => element('em', {}, words)),
    element('small', {}, pairs.map(([name, value]) => `${name}: ${plainValue(value)}`).join(' · ')),
  );
}
