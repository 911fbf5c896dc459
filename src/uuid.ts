// UUIDs of version 7 (RFC 9562 section 5.7): they sort by the time at which they were made.

import { randomUUID } from 'node:crypto';

/**
 * A new UUID for a time in milliseconds since 1970. Behind the time stand 12 bits: a finer part of
 * the time where `fraction` (0 to 4095) is given (section 6.2, method 3), else random ones.
 */
export function uuidv7(milliseconds: number, fraction?: number): string {
  // The end of a random UUID of version 4 has the variant and the random bits of version 7.
  const random = randomUUID();
  const time = hex(Math.floor(milliseconds), 12);
  const behindVersion = fraction === undefined ? random.slice(15, 18) : hex(fraction, 3);
  return `${time.slice(0, 8)}-${time.slice(8)}-7${behindVersion}${random.slice(18)}`;
}

/** The milliseconds since 1970 in a UUID of version 7; wrong or NaN for any other text. */
export function timeOfUuidv7(id: string): number {
  return Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16);
}

/** Whether a text is a UUID of version 7, in lower case. */
export function isUuidv7(text: string): boolean {
  return /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/.test(text);
}

function hex(value: number, digits: number): string {
  return value.toString(16).padStart(digits, '0');
}
