// Figures and times as people read them, in their own language and time zone.

const numbers = new Intl.NumberFormat();
const compact = new Intl.NumberFormat(undefined, { maximumFractionDigits: 1 });
const clockTime = new Intl.DateTimeFormat(undefined, { timeStyle: 'medium' });
const dayName = new Intl.DateTimeFormat(undefined, { dateStyle: 'full' });
const minuteTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'short' });
const wholeTime = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });

/** @param {number} value */
export function count(value) {
  return numbers.format(value);
}

/** @param {number} value */
export function bytes(value) {
  const units = ['B', 'KB', 'MB', 'GB', 'TB'];
  let size = value;
  let unit = 0;
  while (size >= 1000 && unit < units.length - 1) {
    size /= 1000;
    unit += 1;
  }
  return `${compact.format(size)} ${units[unit]}`;
}

/** Seconds as the largest unit that fits: `3 min`. @param {number} seconds */
export function duration(seconds) {
  if (seconds < 90) return `${Math.round(seconds)} s`;
  if (seconds < 90 * 60) return `${Math.round(seconds / 60)} min`;
  if (seconds < 48 * 3600) return `${compact.format(seconds / 3600)} h`;
  return `${compact.format(seconds / 86_400)} days`;
}

/** A share from 0 to 1 as percent. @param {number} share */
export function percent(share) {
  return `${Math.round(share * 100)} %`;
}

/** `14:03:11`. @param {string} time */
export function timeOfDay(time) {
  return formatted(clockTime, time);
}

/** `Saturday, 21 November 2026`. @param {string} time */
export function day(time) {
  return formatted(dayName, time);
}

/** Day and time. @param {string} time */
export function moment(time) {
  return formatted(wholeTime, time);
}

/** Day and time without seconds, of what is known no better. @param {string} time */
export function momentOfMinute(time) {
  return formatted(minuteTime, time);
}

/**
 * A time that cannot be read is shown as it came.
 * @param {Intl.DateTimeFormat} format
 * @param {string} time
 */
function formatted(format, time) {
  const date = new Date(time);
  return Number.isNaN(date.getTime()) ? time : format.format(date);
}

/** At the beginning of a sentence. @param {string} words */
export function capitalised(words) {
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** A value of event_data or custom_metadata on one line. @param {unknown} value */
export function plainValue(value) {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '');
}
