// The images on which inference_run runs a model: a file, a URL, an image of the platform, or those
// that a search finds.

import { basename, join } from 'node:path';
import { images } from '../../src/contract/images.ts';
import type { FilePart } from '../../src/contract/operation.ts';
import { search } from '../../src/contract/search.ts';
import { workspace as workspaces } from '../../src/contract/workspace.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { asGiven, type FoundImages, lastPart, quoted } from '../format.ts';
import { queryWithin } from '../images/project-query.ts';
import { openPart } from '../local-file.ts';
import { withScratchFolder } from '../scratch-folder.ts';
import type { LabelledBox } from './match-boxes.ts';

export interface Given {
  readonly project: string;
  readonly file?: string | undefined;
  readonly url?: string | undefined;
  readonly imageId?: string | undefined;
  readonly query?: string | undefined;
}

export interface Source {
  /** In a sentence of ours. */
  readonly shown: string;
  readonly name: string;
  readonly imageId?: string;
  /** What the call of the model gets. */
  readonly sent: { readonly file: FilePart } | { readonly image: string };
  /** The true boxes; undefined: not known. */
  readonly truth?: readonly LabelledBox[];
}

export interface Sources {
  readonly list: readonly Source[];
  /** How many images the search finds; undefined: there is none. */
  readonly found: FoundImages | undefined;
}

/** Calls `use` with the images; files of the platform are there as long as it runs. */
export async function withSources<Result>(
  given: Given,
  context: ToolContext,
  use: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  const { file, url, imageId, query } = given;
  const named = [file, url, imageId, query].filter((value) => value !== undefined);
  if (named.length !== 1) {
    throw invalidArgument('file', 'give one of file, url, imageId and query');
  }
  if (file !== undefined) {
    const part = await openPart(file, 'file', context);
    const name = basename(file);
    return use({ list: [{ shown: asGiven(file), name, sent: { file: part } }], found: undefined });
  }
  if (url !== undefined) {
    const source = { shown: asGiven(url), name: url, sent: { image: url } };
    return use({ list: [source], found: undefined });
  }
  return withPlatformImages(given, context, use);
}

async function withPlatformImages<Result>(
  { imageId, query = '', project }: Given,
  context: ToolContext,
  use: (sources: Sources) => Promise<Result>,
): Promise<Result> {
  const workspace = await workspaceOf(context);
  const { ids, found } =
    imageId === undefined
      ? await findImages(workspace, project, query, context)
      : { ids: [imageId], found: undefined };
  return withScratchFolder(context, async (folder) => {
    const list: Source[] = [];
    for (const [index, id] of ids.entries()) {
      const path = join(folder, `image-${index}`);
      list.push(await bringImage({ workspace, project: lastPart(project), id, path }, context));
    }
    return use({ list, found });
  });
}

export async function workspaceOf({ settings, client, signal }: ToolContext): Promise<string> {
  if (settings.workspace !== undefined) return settings.workspace;
  return (await client.call(workspaces.workspace_whoami, {}, { signal })).body.workspace;
}

/** The first few: each runs, and is drawn. Throws `not_found` where the search finds none. */
async function findImages(
  workspace: string,
  project: string,
  query: string,
  { client, signal }: ToolContext,
) {
  const input = {
    workspace,
    query: queryWithin(project, query),
    pageSize: limits.previewSourcesMax,
    fields: ['id'],
  };
  const { body } = await client.call(search.workspace_search, input, { signal });
  const ids = body.results.flatMap(({ id }) => id ?? []).slice(0, limits.previewSourcesMax);
  if (ids.length === 0) throw noImageFound(project);
  const { total = ids.length, totalIsExact } = body;
  return { ids, found: { total, isExact: totalIsExact !== false } };
}

export function noImageFound(project: string): FoveaError {
  return new FoveaError('not_found', `query: finds no image of ${quoted(project)}.`, {
    hint: 'workspace_search says what excludes all.',
  });
}

interface Wanted {
  readonly workspace: string;
  readonly project: string;
  readonly id: string;
  readonly path: string;
}

export async function bringImage(
  { workspace, project, id, path }: Wanted,
  { client, signal }: ToolContext,
): Promise<Source> {
  const input = { workspace, project, imageId: id };
  const { image } = (await client.call(images.images_get, input, { signal })).body;
  const link = image.urls?.original;
  if (link === undefined) {
    throw new FoveaError('upstream_failed', 'The platform gave no link to the original.');
  }
  await client.download(link, path, { signal });
  const { name = id, annotation } = image;
  const boxes = annotation?.boxes;
  return {
    shown: quoted(name),
    name,
    imageId: id,
    sent: { file: { name: 'image', content: { path } } },
    ...(boxes && { truth: boxes }),
  };
}
