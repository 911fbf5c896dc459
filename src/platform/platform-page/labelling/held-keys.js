// Keys that are typed between two images are meant for the one that comes: they are held until it is
// there. Where none comes they are forgotten.

/** More is typed by nobody, but by a key that is held down. */
const keysMax = 200;
/** Longer than this nobody remembers what they typed: it is forgotten, and more is not kept. */
const keptMsMax = 10_000;
/** Until then the image that is shown gets none: no call takes longer. */
const holdMsMax = 70_000;

/** Undefined: keys go where they are typed. @type {KeyboardEvent[] | undefined} */
let held;
let isKept = true;
let keptTimer = 0;
let timer = 0;
/** Keys of before mean nothing, also those that a busy browser delivers later. */
let forgottenAt = 0;

/** From now on, until they are released or forgotten. */
export function holdKeys() {
  held ??= [];
  isKept = true;
  clearTimers();
  keptTimer = window.setTimeout(() => {
    isKept = false;
    held = [];
  }, keptMsMax);
  timer = window.setTimeout(forgetKeys, holdMsMax);
}

/** The next image is there: it gets them, up to one that leads to another image. */
export function releaseKeys() {
  const keys = held ?? [];
  stopHolding();
  for (const [at, key] of keys.entries()) {
    press(key);
    if (isHolding()) return held?.push(...keys.slice(at + 1));
  }
}

/** There is no next image: nothing is meant that was typed until now. */
export function forgetKeys() {
  if (isHolding()) forgottenAt = performance.now();
  stopHolding();
}

function clearTimers() {
  clearTimeout(keptTimer);
  clearTimeout(timer);
}

function stopHolding() {
  clearTimers();
  held = undefined;
}

function isHolding() {
  return held !== undefined;
}

document.addEventListener(
  'keydown',
  (event) => {
    const isForgotten = event.timeStamp < forgottenAt;
    if (!(isHolding() || isForgotten) || !event.isTrusted || !isMeant(event)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    if (!isForgotten && isKept && held !== undefined && held.length < keysMax) held.push(event);
  },
  { capture: true },
);

/** Not those of the browser. @param {KeyboardEvent} event */
function isMeant({ key, ctrlKey, metaKey }) {
  if (key === 'Tab' || /^F\d+$/.test(key)) return false;
  return !(ctrlKey || metaKey) || ['enter', 'z', 'y'].includes(key.toLowerCase());
}

/** As if it were pressed now; into a field, a browser types nothing of what a page presses. */
function press(/** @type {KeyboardEvent} */ { key, ctrlKey, metaKey, shiftKey, altKey }) {
  const target = document.activeElement ?? document.body;
  const how = { key, ctrlKey, metaKey, shiftKey, altKey, bubbles: true, cancelable: true };
  const isFree = target.dispatchEvent(new KeyboardEvent('keydown', how));
  if (isFree && target instanceof HTMLTextAreaElement && !ctrlKey && !metaKey) type(target, key);
}

/** @param {HTMLTextAreaElement} field @param {string} key */
function type(field, key) {
  const { selectionStart: start, selectionEnd: end } = field;
  const text = key === 'Enter' ? '\n' : key;
  if (key === 'Backspace')
    field.setRangeText('', start === end ? Math.max(0, start - 1) : start, end, 'end');
  else if ([...text].length === 1) field.setRangeText(text, start, end, 'end');
}
