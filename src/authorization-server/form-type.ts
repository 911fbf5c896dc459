// The type of a body that is a form.

import type { IncomingMessage } from 'node:http';

/** Whether the body says that it is a form (RFC 6749 appendix B), with any parameters. */
export function isForm({ headers }: IncomingMessage): boolean {
  const [type = ''] = (headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === 'application/x-www-form-urlencoded';
}
