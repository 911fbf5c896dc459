// What the pages have: pictures, a status line, a button for the next call.

import { element } from '../../../http-server/page-assets/elements.js';

/** @typedef {import('./types.ts').ToolResult} ToolResult */
/** @typedef {import('./types.ts').Host} Host */
/** @typedef {import('./types.ts').NextCall} NextCall */

/** Formats that browsers draw without running anything. */
export const pictureTypes = new Set(['image/jpeg', 'image/png', 'image/webp']);

/**
 * Replaces what the page shows.
 * @param {readonly (Node | undefined)[]} parts
 */
export function fill(parts) {
  const place = document.getElementById('view');
  place?.replaceChildren(...parts.filter((part) => part !== undefined));
}

/** @param {string} words */
export function statusLine(words) {
  return element('p', { class: 'status', role: 'status' }, words);
}

/**
 * Words of others stand between tags, for models; a person sees them without.
 * @param {ToolResult} result
 */
export function summaryOf(result) {
  return statusLine(withoutTags(result, String(result.structuredContent?.summary ?? '')));
}

/** @param {ToolResult} result @param {string} words of it */
export function withoutTags({ _meta = {} }, words) {
  const tag = String(_meta['fovea/foreign'] ?? '');
  return tag === '' ? words : words.replaceAll(`<${tag}>`, '“').replaceAll(`</${tag}>`, '”');
}

/** @param {string} words */
export function failure(words) {
  fill([statusLine(words)]);
}

/**
 * The pictures of a result; a click shows them in their own size, and back.
 * @param {ToolResult} result
 * @param {string} words
 */
export function pictures({ content = [] }, words) {
  const shown = content.filter(
    ({ type, data, mimeType }) => type === 'image' && data && pictureTypes.has(mimeType ?? ''),
  );
  return shown.map(({ data, mimeType }) => {
    const picture = element('img', { src: `data:${mimeType};base64,${data}`, alt: words });
    const button = element(
      'button',
      { type: 'button', class: 'picture', 'aria-pressed': 'false', title: 'Own size' },
      picture,
    );
    button.addEventListener('click', () => {
      const isLarge = button.classList.toggle('large');
      button.setAttribute('aria-pressed', String(isLarge));
    });
    return button;
  });
}

/**
 * A button that makes a call and shows its result; undefined: there is no such call.
 * @param {string} words
 * @param {NextCall | undefined} call
 * @param {Host} host
 * @param {(result: ToolResult) => void} show
 */
export function callButton(words, call, { callTool }, show) {
  if (call === undefined || callTool === undefined) return undefined;
  const button = element('button', { type: 'button', class: 'next' }, words);
  button.addEventListener('click', async () => {
    button.disabled = true;
    try {
      const result = await callTool(call);
      if (result.isError) throw new Error(textOf(result));
      show(result);
    } catch (thrown) {
      button.after(statusLine(thrown instanceof Error ? thrown.message : String(thrown)));
      button.disabled = false;
    }
  });
  return button;
}

/** @param {ToolResult} result */
export function textOf({ content = [] }) {
  return content.map(({ text = '' }) => text).join('\n');
}
