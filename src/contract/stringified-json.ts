// Parses JSON text within a value, which models and shells write where an array or an object is
// expected. All texts of one input share its bounds.

import type { Problem } from '../errors.ts';
import { isPlainObject } from '../json-object.ts';
import { excessWords, hasPrototypeName, type JsonBounds, outlineOf } from '../json-scanner.ts';
import { limits } from '../limits.ts';
import { memberSchema, type Path, type Schema, structureOf } from './schema-introspection.ts';
import { pathText } from './validation-problems.ts';

/** Reads the JSON texts of one value; create one for each reading. */
export class StringifiedJsonReader {
  /** Why some texts were not parsed; they stay texts. */
  readonly problems: Problem[] = [];
  readonly #bounds: JsonBounds;
  #elementsLeft: number;
  #bytesLeft = limits.jsonTextBytesMax;

  constructor(bounds: JsonBounds) {
    this.#bounds = bounds;
    this.#elementsLeft = bounds.elementsMax;
  }

  /**
   * The value with its texts parsed where the schema expects an array or an object, at any depth;
   * the identical value where there is no such text.
   */
  read(schema: Schema, value: unknown, path: Path): unknown {
    if (typeof value === 'string') {
      const parsed = this.#parsed(schema, value, path);
      return parsed === undefined ? value : this.read(schema, parsed, path);
    }
    if (Array.isArray(value)) return this.#elementsOf(schema, value, path);
    if (!isPlainObject(value)) return value;
    const members = Object.entries(value).map(([name, member]): [string, unknown, unknown] => [
      name,
      member,
      this.#readMember(schema, name, member, path),
    ]);
    if (members.every(([, member, read]) => read === member)) return value;
    return Object.fromEntries(members.map(([name, , read]) => [name, read]));
  }

  #elementsOf(schema: Schema, elements: readonly unknown[], path: Path): readonly unknown[] {
    let copy: unknown[] | undefined;
    for (const [index, element] of elements.entries()) {
      const read = this.#readMember(schema, index, element, path);
      if (read === element) continue;
      copy ??= [...elements];
      copy[index] = read;
    }
    return copy ?? elements;
  }

  #readMember(schema: Schema, key: string | number, value: unknown, path: Path): unknown {
    const mayHold = typeof value === 'object' || (typeof value === 'string' && isStart.test(value));
    const member = mayHold ? memberSchema(schema, key) : undefined;
    return member ? this.read(member, value, [...path, key]) : value;
  }

  #parsed(schema: Schema, text: string, path: Path): object | undefined {
    if (!isStart.test(text)) return undefined;
    const structure = structureOf(schema);
    if (structure === undefined || this.#exceeds(text, path)) return undefined;
    const parsed = parsedOf(text);
    if (parsed === undefined || Array.isArray(parsed) !== (structure === 'array')) return undefined;
    if (!hasPrototypeName(parsed)) return parsed;
    this.#refuse(path, 'is JSON text with a member named __proto__, which is not allowed');
    return undefined;
  }

  #exceeds(text: string, path: Path): boolean {
    this.#bytesLeft -= text.length;
    if (this.#bytesLeft < 0) {
      const most = limits.jsonTextBytesMax;
      this.#refuse(path, `is JSON text of more than ${most} bytes: give what it holds`);
      return true;
    }
    const bounds = { ...this.#bounds, elementsMax: this.#elementsLeft };
    const { excess, elements } = outlineOf(Buffer.from(text), bounds);
    this.#elementsLeft -= elements;
    if (excess === undefined) return false;
    this.#refuse(path, `is JSON text that ${excessWords(excess, this.#bounds)}`);
    return true;
  }

  #refuse(path: Path, message: string): void {
    if (this.problems.length >= limits.problemsShownMax) return;
    this.problems.push({ path: pathText(path), message });
  }
}

const isStart = /^\s*[[{]/;

function parsedOf(text: string): object | undefined {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
