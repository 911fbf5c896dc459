// The fields of a found image that an answer shows.

import { isoTime } from '../../clock.ts';
import { imageFields } from '../../contract/search.ts';
import { invalidInput } from '../../errors.ts';
import { imageContentTypes } from '../../imaging/image-format.ts';
import { quotedName } from '../../quoted-name.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import type { DownloadLinks } from '../signed-links/download-links.ts';
import type { FoundImage, SearchStore } from '../store/search.ts';

const allFields = [...imageFields, 'project', 'projects'] as const;
export type FieldName = (typeof allFields)[number];

/** Throws `invalid_input` for an unknown field, with the nearest known one. */
export function readFieldNames(names: readonly string[]): readonly FieldName[] {
  const problems = names.flatMap((name, at) => {
    if (isFieldName(name)) return [];
    const guess = suggestSpelling(name, allFields);
    const meant = guess === undefined ? `use ${allFields.join(', ')}` : `did you mean "${guess}"?`;
    return [{ path: `fields[${at}]`, message: `there is no field ${quotedName(name)}; ${meant}` }];
  });
  if (problems.length > 0) throw invalidInput(problems);
  return [...new Set(names.filter(isFieldName))];
}

function isFieldName(name: string): name is FieldName {
  return allFields.some((known) => known === name);
}

/** Whether these fields show annotations. */
export function needAnnotations(fields: readonly FieldName[]): boolean {
  return fields.includes('annotations');
}

/** Whether these fields show how images look. */
export function needDescriptors(fields: readonly FieldName[]): boolean {
  return fields.includes('embedding');
}

export interface Describing {
  readonly fields: readonly FieldName[];
  readonly links: DownloadLinks;
  readonly origin: string;
  /** Slug of the workspace. */
  readonly owner: string;
  readonly search: Pick<SearchStore, 'descriptorOf'>;
}

/** An image as the API shows it. Its id is always there. */
export async function describeFound(
  image: FoundImage & { readonly similarity?: number },
  describing: Describing,
): Promise<{ readonly id: string } & Readonly<Record<string, unknown>>> {
  const { similarity } = image;
  const shown: Record<string, unknown> = {};
  for (const field of describing.fields) shown[field] = await readField(field, image, describing);
  return {
    ...shown,
    id: image.id,
    ...(similarity !== undefined && { similarity: Math.round(similarity * 10_000) / 10_000 }),
  };
}

async function readField(
  field: FieldName,
  image: FoundImage,
  { links, origin, owner, search }: Describing,
): Promise<unknown> {
  const { width, height, annotation } = image;
  switch (field) {
    case 'filename':
      return image.name;
    case 'url':
      return links.make(origin, {
        hash: image.hash,
        name: image.name,
        contentType: imageContentTypes[image.format],
      });
    case 'created':
      return isoTime(image.created);
    case 'annotations':
      return annotation?.kind === 'detection'
        ? { width, height, boxes: annotation.boxes }
        : (annotation ?? null);
    case 'owner':
      return owner;
    case 'projects':
      return [image.project];
    case 'embedding': {
      const descriptor = await search.descriptorOf(image.id);
      return descriptor ? [...descriptor.vector] : null;
    }
    case 'metadata':
    case 'user_metadata':
      return image.metadata;
    case 'aspectRatio':
      return Math.round((width / height) * 10_000) / 10_000;
    default:
      return image[field];
  }
}
