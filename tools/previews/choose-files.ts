// Chooses the local images of a preview, with their annotations.

import { createHash } from 'node:crypto';
import { basename } from 'node:path';
import type { FilePart } from '../../src/contract/operation.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { type FindAnnotation, openAnnotations } from '../upload/annotation-files.ts';
import { listImages } from '../upload/image-list.ts';

export interface ChosenFiles {
  readonly images: FilePart[];
  readonly annotations: FilePart[];
  /** For each annotation, the place of its image. */
  readonly annotated: number[];
}

interface Given {
  readonly files?: readonly string[] | undefined;
  readonly annotations?: string | undefined;
}

/**
 * Up to `count` of the images that the patterns stand for, with annotations if there are any. Of
 * more, those that the seed chooses: with an annotation first. Throws as listImages and
 * openAnnotations.
 */
export async function chooseFiles(
  { files = [], annotations }: Given,
  { seed, count }: { readonly seed: number; readonly count: number },
  context: ToolContext,
): Promise<ChosenFiles> {
  const { paths, realOf } = await listImages(context.files, files, undefined);
  const ordered = paths.length > count ? mixed(paths, seed) : paths;
  const opened =
    annotations === undefined
      ? undefined
      : await openAnnotations(context.files, annotations, paths, context.signal);
  const find = opened?.find ?? (() => undefined);
  const chosen = await annotatedFirst(ordered, find, count).finally(() => opened?.close());
  const found = chosen.flatMap(({ annotation }, place) =>
    annotation ? [{ annotation, place }] : [],
  );
  return {
    images: chosen.map(({ path }) => ({
      name: basename(path),
      content: { path: realOf(path) },
    })),
    annotations: found.map(({ annotation: { name, text } }) => ({
      name,
      content: new TextEncoder().encode(text),
    })),
    annotated: found.map(({ place }) => place),
  };
}

/** By name, so that a folder that was moved gives the same images. */
function mixed(paths: readonly string[], seed: number): readonly string[] {
  const rank = (path: string) =>
    createHash('sha256')
      .update(`${seed}/${basename(path)}`)
      .digest('hex');
  const ranked = paths.map((path) => ({ path, rank: rank(path) }));
  return ranked.sort((a, b) => (a.rank < b.rank ? -1 : 1)).map(({ path }) => path);
}

interface Chosen {
  readonly path: string;
  readonly annotation: { readonly name: string; readonly text: string } | undefined;
}

async function annotatedFirst(
  paths: readonly string[],
  find: FindAnnotation,
  count: number,
): Promise<readonly Chosen[]> {
  const annotated: Chosen[] = [];
  const others: Chosen[] = [];
  for (const path of paths.slice(0, limits.previewFilesReadMax)) {
    if (annotated.length === count) break;
    const found = find(path);
    const annotation = found && { name: found.name, text: await found.text() };
    (annotation ? annotated : others).push({ path, annotation });
  }
  return paths.length <= count
    ? paths.flatMap((path) => [...annotated, ...others].find((one) => one.path === path) ?? [])
    : [...annotated, ...others].slice(0, count);
}
