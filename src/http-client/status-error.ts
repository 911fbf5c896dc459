// An answer with a status other than 2xx, with what tells the API itself from others on the way.

import { type ErrorCode, type ErrorDetails, FoveaError } from '../errors.ts';

interface StatusErrorDetails extends ErrorDetails {
  /** Whether the body is a JSON object, as all errors of the services are. */
  readonly isObject: boolean;
}

export class StatusError extends FoveaError {
  readonly isObject: boolean;

  constructor(code: ErrorCode, message: string, details: StatusErrorDetails) {
    super(code, message, details);
    this.isObject = details.isObject;
  }
}
