// Whether `/health` is asked for readiness: liveness and readiness are two answers.

import type { IncomingMessage } from 'node:http';
import { invalidArgument } from '../errors.ts';

/** By `?ready=1`. Throws `invalid_input` for a value that is neither yes nor no. */
export function readinessAsked({ url = '' }: IncomingMessage): boolean {
  const values = new URL(url, 'http://localhost').searchParams.getAll('ready');
  const [value = '0', ...more] = values;
  const asked = answers.get(value);
  if (asked === undefined || more.length > 0)
    throw invalidArgument('ready', 'must be 1, or be left out');
  return asked;
}

const answers: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);
