// A request in the spelling of its operation: what its clients may send in another place is put
// where the operation has it, and what changes nothing is left out.

import { coerceText, type UncheckedRequest } from '../contract/check.ts';
import type { Operation } from '../contract/operation.ts';
import { invalidArgument } from '../errors.ts';
import type { Body, Texts } from './body-parsing.ts';

interface Sent {
  readonly path: Readonly<Record<string, string>>;
  /** Without the credential. */
  readonly query: Texts;
  readonly body: Body;
}

/** Throws `invalid_input` for what is given in two places. */
export function readParts(operation: Operation, { path, query, body }: Sent): UncheckedRequest {
  const { pathParameters, bodyInQuery } = operation;
  const inPath = Object.fromEntries(Object.entries(path).map(([name, value]) => [name, [value]]));
  const [ofPath, alsoOfQuery] = parted(inPath, (name) => Object.hasOwn(pathParameters.shape, name));
  const [ofBody, ofQuery] = parted(withoutIdle(operation, query), (name) =>
    bodyInQuery.includes(name),
  );
  refuseTwice(alsoOfQuery, ofQuery, 'is in the path and in the query, send one');
  if (bodyInQuery.length > 0)
    refuseTwice(ofBody, body.members, 'is in the query and in the body, send one');
  for (const [name, values] of Object.entries(body.parameters)) {
    const inQuery = ofQuery[name];
    if (inQuery && inQuery.join('\n') !== values.join('\n')) {
      throw invalidArgument(name, 'the query and the body give different values, send one');
    }
  }
  return {
    path: coerceText(pathParameters, ofPath),
    query: coerceText(operation.query, { ...alsoOfQuery, ...ofQuery, ...body.parameters }),
    body: withTexts(operation, ofBody, body),
  };
}

function withTexts({ body: schema, bodyInQuery }: Operation, texts: Texts, { members }: Body) {
  return bodyInQuery.length === 0 ? members : { ...coerceText(schema, texts), ...members };
}

/** Those of which it holds, and the others. */
function parted(texts: Texts, holds: (name: string) => boolean): readonly [Texts, Texts] {
  const all = Object.entries(texts);
  return [
    Object.fromEntries(all.filter(([name]) => holds(name))),
    Object.fromEntries(all.filter(([name]) => !holds(name))),
  ];
}

function refuseTwice(texts: Texts, others: object, words: string): void {
  const twice = Object.keys(texts).find((name) => Object.hasOwn(others, name));
  if (twice !== undefined) throw invalidArgument(twice, words);
}

function withoutIdle({ idleQuery }: Operation, query: Texts): Texts {
  const isIdle = (name: string, values: readonly string[]) =>
    Object.hasOwn(idleQuery, name) && values.every((value) => idleQuery[name]?.test(value));
  return Object.fromEntries(
    Object.entries(query).filter(([name, values]) => !isIdle(name, values)),
  );
}
