// HTML templates that escape every value, unless it is HTML already.

export class Html {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Values of a template; `undefined` and `false` render nothing. */
export type TemplateValue = string | number | Html | readonly TemplateValue[] | undefined | false;

/** A template tag. Values belong in text, or in attributes with double quotes. */
export function html(
  strings: TemplateStringsArray,
  ...dependencies: readonly TemplateValue[]
): Html {
  const pieces = strings.flatMap((piece, index) => [piece, rendered(dependencies[index])]);
  return new Html(pieces.join(''));
}

function rendered(part: TemplateValue): string {
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

/** Marks our own text as HTML or CSS. Never use it for text from outside. */
export function trusted(text: string): Html {
  return new Html(text);
}
