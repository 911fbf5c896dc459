// Holds answers against an OpenAPI document: a status that it has, in the shape that it shows.

import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import type { Described } from './document.ts';
import type { FuzzRequest } from './requests.ts';

export interface FuzzAnswer {
  readonly status: number;
  readonly contentType: string;
  readonly text: string;
}

/** Why the answer is wrong; undefined: it is right. */
export type Judge = (request: FuzzRequest, answer: FuzzAnswer) => string | undefined;

export function createJudge(all: readonly Described[]): Judge {
  const ajv = new Ajv2020({ strict: false, validateFormats: false });
  const known = new Map<object, ValidateFunction>();
  const validate = (schema: object, body: unknown) => {
    const check = known.get(schema) ?? ajv.compile(schema);
    known.set(schema, check);
    return check(body) ? undefined : ajv.errorsText(check.errors);
  };
  const byDocument = ({ responses }: Described, { status, contentType, text }: FuzzAnswer) => {
    const described = responses[String(status)];
    if (described === undefined) return `${status} is not described`;
    const schema = described.content?.['application/json']?.schema;
    if (schema === undefined) {
      return described.content || text === '' ? undefined : `${status} has a body`;
    }
    if (!contentType.startsWith('application/json')) return `${status} is ${contentType}`;
    const body = parsed(text);
    if (body === undefined) return `${status} has no JSON`;
    const problem = validate(schema, body);
    return problem && `${status}: ${problem}`;
  };
  return ({ described, isPlain }, answer) => {
    if (answer.status >= 500 && !(String(answer.status) in described.responses)) {
      return `${answer.status}`;
    }
    if (leaks.test(answer.text)) return `${answer.status} tells of our insides`;
    if (isPlain) return byDocument(described, answer);
    // An odd path may be that of another operation, or of none.
    const fits = all.some((other) => byDocument(other, answer) === undefined);
    return fits || answer.status === 405 ? undefined : `${answer.status} fits no operation`;
  };
}

/** Places in our code, and the words of the database. */
const leaks = /src\/(platform|http-server|storage|contract)\/|node:internal|SQLITE_|\bat Object\./;

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
