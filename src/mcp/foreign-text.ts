// Text that others wrote, made fit for a model to read: nothing in it that a person cannot see.

/**
 * Control characters except tab and line feed, zero-width characters, marks that turn the
 * direction of writing, and tag and variation characters, in which text can be hidden.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu;

/** The text without unseen characters; half characters become U+FFFD. */
export function cleanText(text: string): string {
  return text.toWellFormed().replace(unseen, '');
}

/** Any JSON value, with all its strings and names cleaned. */
function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return cleanText(value);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return cleanValue(value.toJSON());
  return cleanRecord(value);
}

/** An object, with all its strings and names cleaned; what JSON cannot say is left out. */
export function cleanRecord(record: object): Record<string, unknown> {
  const entries = Object.entries(record).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [cleanText(name), cleanValue(member)]));
}
