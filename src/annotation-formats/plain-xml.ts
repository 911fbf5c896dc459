// XML as annotation tools write it: elements and text, without attributes, entities and comments.
// Reading it here takes a tenth of the time that the parser takes.

import type { JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';

type Members = Record<string | symbol, unknown>;

interface Element {
  readonly name: string;
  readonly start: number;
  /** Undefined: no element is in it, as far as it was read. */
  members: Members | undefined;
}

/** Whether an element is one of a list also where it is alone. The root is at depth 1. */
type IsList = (name: string, depth: number) => boolean;

/**
 * What the parser would give, with the places of elements under a symbol. Undefined: something else
 * is in it, or it is not well-formed, which the parser is to say.
 */
export function parsePlainXml(text: string, isList: IsList): JsonObject | undefined {
  const root: Members = {};
  const open: Element[] = [{ name: '', start: 0, members: root }];
  let at = declaration.exec(text)?.[0].length ?? 0;
  for (let tags = 0; tags <= limits.annotationTagsMax; tags += 1) {
    const start = text.indexOf('<', at);
    const before = text.slice(at, start < 0 ? text.length : start).trim();
    if (start < 0) return before === '' && open.length === 1 ? root : undefined;
    const end = text.indexOf('>', start);
    at = end + 1;
    const isRead =
      text[start + 1] === '/'
        ? close(open, text.slice(start + 2, end), before, isList)
        : before === '' && begin(open, text.slice(start + 1, end), start, isList);
    if (!isRead || end < 0) return undefined;
  }
  return undefined;
}

const declaration = /^\s*(?:<\?xml version="1\.[01]"(?: encoding="[\w-]+")?\s*\?>)?/;

function begin(open: Element[], tag: string, start: number, isList: IsList): boolean {
  const isEmpty = tag.endsWith('/');
  const name = isEmpty ? tag.slice(0, -1) : tag;
  const parent = open.at(-1);
  const isSecondRoot = open.length === 1 && Object.keys(parent?.members ?? {}).length > 0;
  if (!parent || isSecondRoot || !/^[A-Za-z]\w*$/.test(name)) return false;
  if (open.length > limits.annotationXmlDepthMax) return false;
  parent.members ??= { [position]: { startIndex: parent.start } };
  if (isEmpty) add(parent.members, name, '', isList(name, open.length));
  else open.push({ name, start, members: undefined });
  return true;
}

const position = Symbol('position');

function close(open: Element[], name: string, before: string, isList: IsList): boolean {
  const ended = open.pop();
  const { members } = open.at(-1) ?? {};
  if (ended?.name !== name || !members || /[&>\]]/.test(before)) return false;
  if (ended.members && before !== '') return false;
  add(members, name, ended.members ?? before, isList(name, open.length));
  return true;
}

function add(members: Members, name: string, value: unknown, isListed: boolean): void {
  const known = Object.hasOwn(members, name) ? members[name] : undefined;
  if (Array.isArray(known)) known.push(value);
  else if (known !== undefined) members[name] = [known, value];
  else members[name] = isListed ? [value] : value;
}
