// XML before it is parsed: how many tags it has, how long and how deep they are. One pass, which
// builds nothing; whether the text is well-formed only the parser knows.

import { limits } from '../limits.ts';
import { lineOf, refusal, tooLarge } from './value-checks.ts';

/** Throws `too_large` and `invalid_input`, naming the line, for what no annotation file is like. */
export function checkXml(text: string): void {
  let tags = 0;
  let depth = 0;
  for (let at = text.indexOf('<'); at >= 0; at = text.indexOf('<', at)) {
    tags += 1;
    if (tags > limits.annotationTagsMax) {
      throw tooLarge('', `has more than ${limits.annotationTagsMax} tags of XML`);
    }
    const hidden = hiddenAt(text, at);
    if (hidden !== undefined) {
      at = hidden;
      continue;
    }
    const { end, isEmpty } = readTag(text, at);
    if (text[at + 1] === '/') depth -= 1;
    else if (!isEmpty) depth += 1;
    if (depth > limits.annotationXmlDepthMax) {
      const most = limits.annotationXmlDepthMax;
      throw refusal(`line ${lineOf(text, at)}`, `has more than ${most} elements in each other`);
    }
    at = end;
  }
  checkReferences(text);
}

/** Refuses references to what is no character of XML, such as `&#0;`: parsers leave them out. */
function checkReferences(text: string): void {
  for (const { 0: reference, 1: hex, 2: decimal, index } of text.matchAll(references)) {
    const code = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16);
    if (isCharacter(code)) continue;
    const shown = reference.length <= referenceShownMax ? reference : 'a reference';
    throw refusal(`line ${lineOf(text, index)}`, `has ${shown}, which is no character of XML`);
  }
}

const references = /&#(?:x([0-9a-f]+)|([0-9]+));/gi;
const referenceShownMax = 12;

/** XML 1.0, section 2.2. */
function isCharacter(code: number): boolean {
  if (code < 0x20) return code === 0x9 || code === 0xa || code === 0xd;
  const isSurrogate = code >= 0xd800 && code <= 0xdfff;
  return !isSurrogate && code !== 0xfffe && code !== 0xffff && code <= 0x10ffff;
}

/** Behind a comment, CDATA or a processing instruction; undefined where none begins here. */
function hiddenAt(text: string, start: number): number | undefined {
  const kind = hiddenKinds.find(([open]) => text.startsWith(open, start));
  if (kind === undefined) {
    // Entities and document types are not for annotation files.
    if (text[start + 1] !== '!') return undefined;
    throw refusal(`line ${lineOf(text, start)}`, 'must not have a document type');
  }
  const [open, close] = kind;
  const end = text.indexOf(close, start + open.length);
  if (end < 0) throw refusal(`line ${lineOf(text, start)}`, `begins ${open} without an end`);
  return end + close.length;
}

const hiddenKinds = [
  ['<!--', '-->'],
  ['<![CDATA[', ']]>'],
  ['<?', '?>'],
] as const;

interface Tag {
  /** Behind it. */
  readonly end: number;
  /** It is `<a/>`, which needs no end. */
  readonly isEmpty: boolean;
}

function readTag(text: string, start: number): Tag {
  let quote = '';
  const most = Math.min(text.length, start + limits.annotationTagCharactersMax);
  for (let at = start + 1; at < most; at += 1) {
    const letter = text[at] ?? '';
    if (quote !== '') {
      if (letter === quote) quote = '';
    } else if (letter === '"' || letter === "'") quote = letter;
    else if (letter === '>') return { end: at + 1, isEmpty: text[at - 1] === '/' };
  }
  const line = `line ${lineOf(text, start)}`;
  if (most === text.length) throw refusal(line, 'is not well-formed XML: a tag has no end');
  throw refusal(line, `has a tag of more than ${limits.annotationTagCharactersMax} characters`);
}
