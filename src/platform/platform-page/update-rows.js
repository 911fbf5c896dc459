// Brings the rows of a list up to date where they stand: what says the same stays as it is, and a
// person loses neither the focus nor what they opened.

/** @param {HTMLElement} place @param {readonly HTMLElement[]} next rows that are there may be among them */
export function updateRows(place, next) {
  const before = rowsIn(place);
  const known = new Set(before);
  const wanted = new Set(next);
  const now = next.map((row, at) => {
    const old = before[at];
    if (old === undefined || wanted.has(old) || known.has(row)) return row;
    if (old.isEqualNode(row)) return old;
    carryOpen(old, row);
    return row;
  });
  const focused = document.activeElement;
  const at = before.findIndex((row) => row.contains(focused));
  const index = focused instanceof HTMLElement ? focusableIn(before[at]).indexOf(focused) : -1;
  const kept = new Set(now);
  for (const row of before) if (!kept.has(row)) row.remove();
  for (const [nth, row] of now.entries()) {
    if (place.children[nth] !== row) place.insertBefore(row, place.children[nth] ?? null);
  }
  if (focused?.isConnected !== false) return;
  // Its row says something else now.
  const others = focusableIn(now[at]);
  (others.find((one) => one.isEqualNode(focused)) ?? others[index])?.focus();
}

/** @param {HTMLElement} place */
export function rowsIn(place) {
  return [...place.children].flatMap((row) => (row instanceof HTMLElement ? [row] : []));
}

/** @param {HTMLElement} old @param {HTMLElement} row */
function carryOpen(old, row) {
  row.hidden = old.hidden;
  const before = old.querySelectorAll('details');
  for (const [at, details] of row.querySelectorAll('details').entries()) {
    details.open = before[at]?.open ?? details.open;
  }
}

/** @param {HTMLElement | undefined} row */
function focusableIn(row) {
  const found = row?.querySelectorAll('a, button, summary, input, select, [tabindex]') ?? [];
  return [...found].flatMap((one) => (one instanceof HTMLElement ? [one] : []));
}
