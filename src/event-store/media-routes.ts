// Serves stored images, videos and local-only files.

import { FoveaError, notFound } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { sendContent } from '../http-server/send-content.ts';
import type { ByteRange } from '../storage/file-store.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import type { FileKind, StoredFile } from './store/store.ts';

type MediaDependencies = Pick<EventStoreDependencies, 'store' | 'files'>;

/** `/images/{file_id}` and similar (Event Store 11.6, 12.5); each serves only its own kind. */
export function mediaRoutes(dependencies: MediaDependencies): readonly Route<Caller>[] {
  return [
    mediaRoute(dependencies, '/images/{file_id}', 'image'),
    mediaRoute(dependencies, '/videos/{file_id}', 'video'),
    mediaRoute(dependencies, '/local-only-files/{file_id}', 'local_only'),
  ];
}

function mediaRoute(dependencies: MediaDependencies, path: string, kind: FileKind): Route<Caller> {
  return {
    method: 'GET',
    path,
    handle: async (_request, response, { file_id = '' }) => {
      const file = await dependencies.store.file(file_id);
      if (file?.kind !== kind) throw notFound(nouns[kind], file_id);
      await sendContent(response, {
        contentType: file.contentType,
        bytes: file.bytes,
        etag: file.id,
        sameOrigin: true,
        ...(!isShown(file.contentType) && { filename: file.id }),
        open: () => openFile(dependencies, file),
        openRange: (range) => openFile(dependencies, file, range),
      });
    },
  };
}

const nouns = { image: 'image', video: 'video', local_only: 'local-only file' } as const;

/** A row without its file is an internal error, unless a cleanup has just removed both. */
async function openFile(
  { store, files }: MediaDependencies,
  { id, kind }: StoredFile,
  range?: ByteRange,
) {
  try {
    return await files.open(id, range);
  } catch (thrown) {
    const isMissing = thrown instanceof FoveaError && thrown.code === 'not_found';
    if (!isMissing || (await store.file(id)) === undefined) throw thrown;
    throw new FoveaError('internal', `The content of this ${nouns[kind]} is missing on the disk.`);
  }
}

/** Types that a browser shows without executing them; all others are downloads. */
function isShown(contentType: string): boolean {
  const type = contentType.replace(/;.*/s, '').trim().toLowerCase();
  if (type.endsWith('+xml')) return false;
  return (
    /^(image|video|audio)\//.test(type) || type === 'text/plain' || type === 'application/json'
  );
}
