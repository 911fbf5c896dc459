// Reads files like data.yaml, and the lists that they name, in a thread: a small one can take its
// parser minutes, and a list is compared with all images.

import type { DataYaml } from '../../src/annotation-formats/data-yaml.ts';
import { limits } from '../../src/limits.ts';
import type { FileThread } from './file-thread.ts';
import { readText } from './read-text.ts';

export interface YamlReader {
  /** `path`: what the file is called. Throws `invalid_input` where it cannot be read. */
  read(real: string, path: string): Promise<DataYaml>;
  /** Those of the images that a list names: always the same images. Throws likewise. */
  listed(real: string, path: string, images: readonly string[]): Promise<readonly string[]>;
  close(): void;
}

/** Its thread starts with the first file. It has to be closed. */
export function openYamlReader(argument: string, signal: AbortSignal): YamlReader {
  let thread: FileThread | undefined;
  let isSent = false;
  const started = async () => {
    const { openFileThread } = await import('./file-thread.ts');
    thread ??= await openFileThread(argument, signal);
    return thread;
  };
  return {
    read: async (real, path) => {
      const text = await readText(real, argument, limits.yamlBytesMax);
      return (await started()).dataYaml(path, text);
    },
    listed: async (real, path, images) => {
      const text = await readText(real, argument, limits.splitListBytesMax);
      const found = (await started()).listed(path, text, isSent ? undefined : images);
      isSent = true;
      return found;
    },
    close: () => thread?.close(),
  };
}
