// The fields of a form that one of our pages sent.

import type { IncomingMessage } from 'node:http';
import { FoveaError, invalidArgument } from '../errors.ts';
import { readBytes } from '../http-server/bounded-body.ts';
import { limits } from '../limits.ts';
import { isForm } from './form-type.ts';

export interface Form {
  /** The one value of a field; empty where it is missing. Throws `invalid_input` for two. */
  text(name: string): string;
  /** All values of a field, those that are empty left out. */
  all(name: string): readonly string[];
}

/** Reads the whole body. Throws `unsupported_media` for another type, `too_large` above 16 KiB. */
export async function readForm(request: IncomingMessage): Promise<Form> {
  if (!isForm(request)) {
    throw new FoveaError('unsupported_media', 'This address takes forms alone.');
  }
  const bytes = await readBytes(request, limits.signInFormBytesMax);
  const fields = new URLSearchParams(bytes.toString('utf8'));
  const all = (name: string) => fields.getAll(name).filter((value) => value !== '');
  return {
    all,
    text: (name) => {
      const [value = '', ...more] = all(name);
      if (more.length > 0) throw invalidArgument(name, 'is there twice');
      return value;
    },
  };
}
