// Sends many images with their annotations in one call, to the platform of this process.

import { basename } from 'node:path';
import { diskImages } from '../../src/contract/disk-images.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import type { AnnotationFile } from './annotation-files.ts';
import type { SentImage, UploadPlan } from './upload-image.ts';

/**
 * One for each path; undefined: that image is still to be sent, alone, which also tells what is
 * wrong with it.
 */
export async function uploadInBulk(
  paths: readonly string[],
  plan: UploadPlan,
  { client, signal }: Pick<ToolContext, 'client' | 'signal'>,
): Promise<readonly (SentImage | undefined)[]> {
  const { project, facts, realOf, splitOf, findAnnotation, labelmapOf } = plan;
  const { batch, tag, metadata } = facts;
  try {
    const found = paths.map((path) => findAnnotation?.(path));
    // A call has one list of class names: what needs another goes after its image.
    const maps = new Set(
      found.flatMap((annotation) => (annotation && labelmapOf(annotation)) ?? []),
    );
    const [sent] = maps;
    const annotations = await Promise.all(
      found.map((annotation) => {
        const own = annotation && labelmapOf(annotation);
        return toSend(maps.size < 2 || own === sent ? annotation : undefined);
      }),
    );
    const { body } = await client.call(
      diskImages.images_upload_files,
      {
        project,
        files: paths.map((path) => {
          const split = facts.split ?? splitOf(path);
          return { path: realOf(path), name: basename(path), ...(split && { split }) };
        }),
        ...(findAnnotation && { annotations }),
        ...(batch !== undefined && { batch }),
        ...(tag && { tag: [...tag] }),
        ...(metadata !== undefined && { metadata }),
        ...(sent && { labelmap: { ...sent.labelmap } }),
      },
      { signal },
    );
    return paths.map((_path, at) => body.images[at] ?? undefined);
  } catch {
    return paths.map(() => undefined);
  }
}

/** One that is too long, or cannot be read, goes after its image. */
async function toSend(annotation: AnnotationFile | undefined) {
  if (annotation === undefined) return null;
  const { name, path } = annotation;
  if (path !== undefined) return { name, path };
  const text = await annotation.text().catch(() => undefined);
  if (text === undefined || Buffer.byteLength(text) > limits.diskAnnotationBytesMax) return null;
  return { name, text };
}
