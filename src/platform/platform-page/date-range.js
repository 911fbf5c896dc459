// Days and times in filters of lists, in the time zone of the browser.

/** @typedef {{ from: number, to: number }} DateRange milliseconds since 1970, `to` is not in it */

const pattern = /^(\d{4})-(\d{2})(?:-(\d{2})(?:[tT](\d{2}):(\d{2}))?)?$/;

/**
 * What a month, a day or a minute reaches over: `2026-11`, `2026-11-01`, `2026-11-01T09:30`.
 * @param {string} text
 * @returns {DateRange | undefined} undefined: it is none of them
 */
export function dateRange(text) {
  const found = pattern.exec(text);
  if (found === null) return undefined;
  const numbers = found.slice(1).map((part) => (part === undefined ? undefined : Number(part)));
  const [year = 0, month = 1, day, hour, minute] = numbers;
  const from = new Date(year, month - 1, day ?? 1, hour ?? 0, minute ?? 0);
  // Date takes the 31st of February for a day in March.
  const isThere =
    from.getMonth() === month - 1 &&
    from.getDate() === (day ?? 1) &&
    from.getHours() === (hour ?? from.getHours()) &&
    from.getMinutes() === (minute ?? from.getMinutes());
  if (!isThere) return undefined;
  const to = new Date(from);
  if (day === undefined) to.setMonth(to.getMonth() + 1);
  else if (hour === undefined) to.setDate(to.getDate() + 1);
  else to.setMinutes(to.getMinutes() + 1);
  return { from: from.getTime(), to: to.getTime() };
}

/** What a year reaches over. @param {string} text @returns {DateRange | undefined} */
export function yearRange(text) {
  if (!/^\d{4}$/.test(text)) return undefined;
  const year = Number(text);
  return { from: new Date(year, 0, 1).getTime(), to: new Date(year + 1, 0, 1).getTime() };
}

/**
 * Whether a time stands so to a range: `>` is after all of it, `<=` before its end.
 * @param {number | undefined} time undefined: there is none
 * @param {string} operator
 * @param {DateRange} range
 */
export function comparesTime(time, operator, { from, to }) {
  if (time === undefined) return false;
  if (operator === '>') return time >= to;
  if (operator === '>=') return time >= from;
  if (operator === '<') return time < from;
  return operator === '<=' ? time < to : time >= from && time < to;
}
