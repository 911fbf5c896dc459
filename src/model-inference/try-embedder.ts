// Whether the embedding model of FOVEA_EMBEDDER works: one image and one text are given to it.

import { createEmbedder } from './embedder.ts';
import { openEmbedderFolder } from './embedder-folder.ts';

/** Bytes: of both encoders. Throws as the calls of an Embedder. */
export async function tryEmbedder(
  folder: string,
): Promise<{ readonly name: string; readonly bytes: number }> {
  const { name, vision, text } = await openEmbedderFolder(folder);
  const embedder = createEmbedder(folder);
  const never = new AbortController().signal;
  try {
    await embedder.dimensions(never);
    await embedder.embedImage(Buffer.from(onePixel, 'base64'), never);
    await embedder.embedText('a photo', never);
  } finally {
    await embedder.close();
  }
  return { name, bytes: vision.bytes + text.bytes };
}

/** A PNG. */
const onePixel =
  'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==';
