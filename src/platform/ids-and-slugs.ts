// Generates ids, and slugs from display names.

import { randomBytes } from 'node:crypto';
import { reservedWorkspaces } from '../contract/workspace.ts';
import { invalidArgument } from '../errors.ts';

/** A new id: 20 hexadecimal characters, no order, not to be guessed. */
export function newId(): string {
  return randomBytes(10).toString('hex');
}

/** Slugs that would hide a project behind another path of the API. */
const reservedSlugs = new Set([
  ...reservedWorkspaces,
  'activity-log',
  'api-keys',
  'asynctasks',
  'autolabel',
  'groups',
  'images',
  'inference-stats',
  'projects',
  'search',
  'trash',
  'upload',
  'workflows',
]);

/** The slug of a project of that name, as requiredSlug. */
export function projectSlug(name: string): string {
  const slug = requiredSlug('name', name);
  return reservedSlugs.has(slug) ? `${slug}-project` : slug;
}

/** The slug of an argument. Throws `invalid_input` when nothing is left of it. */
export function requiredSlug(argument: string, text: string): string {
  const slug = plainSlug(text);
  if (slug !== '') return slug;
  throw invalidArgument(argument, 'needs at least one letter a-z or digit, for the slug');
}

/**
 * The slug of a display name: lower-case letters and digits of any script reduced to ASCII, joined
 * by dashes, at most 60 characters. Empty where nothing is left of the name.
 */
export function plainSlug(name: string): string {
  return name
    .normalize('NFKD')
    .replace(/\p{M}/gu, '')
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 60)
    .replace(/^-+|-+$/g, '');
}
