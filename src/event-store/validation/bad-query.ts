// The error of a query parameter.

import { FoveaError } from '../../errors.ts';

export function badQuery(name: string, wrong: string): FoveaError {
  return new FoveaError('bad_request', `${name}: ${wrong}.`);
}
