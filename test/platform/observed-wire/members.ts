// Rows of the table: an operation, and members of its answer as others have observed them.

import type { Things } from '../isolation/owned-resources.ts';

/** What a member holds: a kind, or a value of its own. */
export type Held = keyof typeof kinds | { readonly is: unknown };

export interface Observed {
  /** As the API writes it. */
  readonly operation: string;
  /**
   * Who says so. DOC: the hosted vendor's documentation; SDK: its Python client; MCPT: the tools of
   * its own MCP server; SKILL: its
   * skills for agents; INF: its inference server; AE: its well-known documents, as harvested.
   */
  readonly source: string;
  readonly call: (things: Known) => Call;
  readonly status: number;
  /** From the path of a member to what it holds; `[]` stands for every item of a list. */
  readonly members: Readonly<Record<string, Held>>;
}

/** Ids of what the platform holds. */
export type Known = Things & {
  readonly taggedImageId: string;
  readonly bulkTaskId: string;
  readonly oneLabelImageId: string;
  readonly manyLabelsImageId: string;
  readonly outlinedImageId: string;
  /** Address of the sign-in service. */
  readonly signIn: string;
};

export interface Call {
  readonly method: string;
  /** Of the platform, or a whole address. */
  readonly path: string;
  readonly json?: unknown;
  /** A body of another type. */
  readonly text?: string;
  readonly contentType?: string;
  /** Without the key in a header. */
  readonly isAnonymous?: true;
  /** Sent as multipart. */
  readonly form?: Readonly<Record<string, string | Uint8Array>>;
}

/** A member with one value alone. */
export function is(value: unknown): Held {
  return { is: value };
}

export function get(path: string): Call {
  return { method: 'GET', path };
}

export function post(path: string, json: unknown = {}): Call {
  return { method: 'POST', path, json };
}

/** Members that are absent, or hold something else: none, if all is as observed. */
export function differences(answer: unknown, members: Observed['members']): readonly string[] {
  return Object.entries(members).flatMap(([path, held]) => {
    const found = valuesAt(answer, path);
    if (found.length === 0) return [`${path} is absent`];
    return found.filter((value) => !holds(value, held)).map((value) => `${path} is ${show(value)}`);
  });
}

/** The values at a path, without those that are absent. */
export function valuesAt(answer: unknown, path: string): readonly unknown[] {
  const names = path === '' ? [] : path.replaceAll('[]', '.[]').split('.').filter(Boolean);
  return names.reduce<readonly unknown[]>(
    (values, name) =>
      values.flatMap((value) => {
        if (name === '[]') return Array.isArray(value) ? value : [];
        const isThere = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
        return isThere ? [Object(value)[name]] : [];
      }),
    [answer],
  );
}

function holds(value: unknown, held: Held): boolean {
  if (typeof held === 'string') return kinds[held](value);
  return JSON.stringify(value) === JSON.stringify(held.is);
}

function show(value: unknown): string {
  return JSON.stringify(value)?.slice(0, 80) ?? 'undefined';
}

const kinds = {
  text: (value: unknown) => typeof value === 'string' && value !== '',
  integer: (value: unknown) => Number.isInteger(value),
  number: (value: unknown) => typeof value === 'number',
  'number or null': (value: unknown) => value === null || typeof value === 'number',
  'text or null': (value: unknown) => value === null || typeof value === 'string',
  boolean: (value: unknown) => typeof value === 'boolean',
  object: (value: unknown) => typeof value === 'object' && value !== null && !Array.isArray(value),
  'object or null': (value: unknown) => value === null || kinds.object(value),
  list: (value: unknown) => Array.isArray(value),
  colour: (value: unknown) => /^#[0-9a-f]{6}$/.test(String(value)),
  slug: (value: unknown) => /^[a-z0-9-]+$/.test(String(value)),
  /** Of the Unix epoch, with a fraction. */
  'Unix seconds': (value: unknown) =>
    typeof value === 'number' && value > 1_600_000_000 && value < 10_000_000_000,
  'Unix milliseconds': (value: unknown) => typeof value === 'number' && value > 1_600_000_000_000,
  'ISO time': (value: unknown) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(String(value)),
  address: (value: unknown) => URL.canParse(String(value)),
  'figure as text': (value: unknown) => /^\d+(\.\d+)?$/.test(String(value)) && kinds.text(value),
} as const;
