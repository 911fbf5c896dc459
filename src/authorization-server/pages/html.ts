// HTML made of text: whatever is put into a template is escaped, unless it is HTML already.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** What may stand in a template; `undefined` and `false` are nothing. */
export type Part = string | number | Html | readonly Part[] | undefined | false;

/** A piece of a page. Values belong into text, or into attributes with double quotes. */
export function html(strings: TemplateStringsArray, ...parts: readonly Part[]): Html {
  const pieces = strings.flatMap((piece, index) => [piece, rendered(parts[index])]);
  return new Html(pieces.join(''));
}

function rendered(part: Part): string {
  if (part === undefined || part === false) return '';
  if (part instanceof Html) return part.text;
  if (typeof part === 'string' || typeof part === 'number') return escaped(String(part));
  return part.map(rendered).join('');
}

function escaped(text: string): string {
  return text.toWellFormed().replaceAll(/[&<>"'`]/g, (character) => entities[character] ?? '');
}

const entities: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
};

/** Text of our own that is HTML, or style, as it is. Never anything that came from outside. */
export function trusted(text: string): Html {
  return new Html(text);
}
