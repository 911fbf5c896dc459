// Text by others, made safe for a model to read: it holds no invisible characters, and stands in a
// fence that its author cannot forge without the tag of the answer.

/** Escape sequences that move or colour the text of a terminal, as a whole. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const terminalSequence = /\u001b\[[0-?]*[ -/]*[@-~]/g;

/**
 * Control characters except tab and line feed, what takes no room on a screen or turns the
 * direction of writing, tag and variation characters, in which text can be hidden, and characters
 * that nobody but their author knows. Joined emoji fall apart into their parts.
 */
const unseen =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u2028-\u202e\ufff9-\ufffb\u2800\p{Default_Ignorable_Code_Point}\p{Noncharacter_Code_Point}\p{Co}]/gu;

/** Fast path: most text holds none of these characters. */
const beyondAscii = /[^\t\n\u0020-\u007e]/;

/** The text without unseen characters; half characters become U+FFFD. */
export function cleanText(text: string): string {
  if (!beyondAscii.test(text)) return text;
  return text.toWellFormed().replace(terminalSequence, '').replace(unseen, '');
}

/** The text on one line, without unseen characters. */
export function cleanLine(text: string): string {
  return cleanText(text).replace(/\s+/gu, ' ').trim();
}

/** Any JSON value, with all its strings and names cleaned. */
function cleanValue(value: unknown): unknown {
  if (typeof value === 'string') return forPeople(value);
  if (typeof value === 'bigint') return String(value);
  if (Array.isArray(value)) return value.map(cleanValue);
  if (typeof value !== 'object' || value === null) return value;
  if ('toJSON' in value && typeof value.toJSON === 'function') return cleanValue(value.toJSON());
  return cleanRecord(value);
}

/** Characters that JSON text may have to be cleaned of: beyond ASCII, or written as escapes. */
const suspectJson = /[^\u0020-\u007e]|\\[bfru]/;

/**
 * An object as `cleanRecord` gives it, and its JSON. Where the JSON shows that there is nothing to
 * clean, it is the object itself: native code looks through it, which takes a tenth of the time.
 */
export function cleanData(record: object): CleanData {
  const asIs = jsonOf(record);
  if (asIs !== undefined && !suspectJson.test(asIs)) return { data: { ...record }, json: asIs };
  const data = cleanRecord(record);
  return { data, json: JSON.stringify(data) };
}

export interface CleanData {
  readonly data: Record<string, unknown>;
  readonly json: string;
}

/** Undefined: the data holds values that JSON cannot represent. */
function jsonOf(record: object): string | undefined {
  try {
    return JSON.stringify(record);
  } catch {
    return undefined;
  }
}

/**
 * An object with all its strings and names cleaned; values that JSON cannot represent are left out.
 */
export function cleanRecord(record: object): Record<string, unknown> {
  const entries = Object.entries(record).filter(([, member]) => member !== undefined);
  return Object.fromEntries(entries.map(([name, member]) => [cleanText(name), cleanValue(member)]));
}

// Private-use characters: `cleanText` removes them from text by others.
const opening = '\ue000';
const closing = '\ue001';
const marked = /\ue000([^\ue000\ue001]*)\ue001/gu;

const plainCharactersMax = 32;
const plainWordsMax = 2;

/**
 * Marks words by others inside a sentence of ours, so that the sentence can be shown with them
 * fenced. A single short word, a number or an id is harmless, and only quoted.
 */
export function foreignWords(text: string): string {
  return text === '' || isPlain(text) ? `"${text}"` : `${opening}${text}${closing}`;
}

const isoTime = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d(\.\d{1,9})?)?(Z|[+-]\d\d:\d\d)$/;

/** Other scripts put a whole sentence into few characters: only Latin words are counted. */
export function isPlain(text: string): boolean {
  if (/^[0-9a-f][0-9a-f-]{0,39}$/.test(text) || isoTime.test(text)) return true;
  if (text.length > plainCharactersMax) return false;
  if (!/^[\p{Script=Latin}\p{Nd}]+(?:[-_./+][\p{Script=Latin}\p{Nd}]+)*$/u.test(text)) return false;
  const words = text.replace(/\.\w{1,5}$/, '').match(/\p{Lu}*[\p{Ll}\p{Lo}]+|\p{Lu}+/gu) ?? [];
  return words.length <= plainWordsMax;
}

/** For the screen of a person, and inside data that is fenced as a whole: quotes for the marks. */
export function forPeople(text: string): string {
  return text.includes(opening) ? betweenMarks(text, (words) => `"${words}"`) : cleanText(text);
}

/** For text that a host may show anywhere, such as progress: words by others are left out. */
export function withoutWords(text: string): string {
  return betweenMarks(text, () => '…');
}

/** For a model: words by others stand between `<TAG>` and `</TAG>`. */
export function fenceWords(text: string, tag: string): string {
  return betweenMarks(text, (words) => `<${tag}>${words}</${tag}>`);
}

/** Data by others, between `<data-TAG>` and `</data-TAG>`. */
export function fenceData(json: string, tag: string): string {
  return `<data-${tag}>${json}</data-${tag}>`;
}

/** Eight hexadecimal digits that no text of this answer knows. */
export type MakeTag = () => string;

/** The first digits of a UUID are all random, and Node draws them from the system in stock. */
export const randomTag: MakeTag = () => crypto.randomUUID().slice(0, 8);

/** Everything is cleaned; marks that are no pair are taken out with the rest. */
function betweenMarks(text: string, show: (words: string) => string): string {
  if (!text.includes(opening)) return cleanText(text);
  const parts = text.split(marked);
  return parts.map((part, at) => (at % 2 === 0 ? cleanText(part) : show(cleanLine(part)))).join('');
}
