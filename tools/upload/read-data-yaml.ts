// Reads files like data.yaml in a thread: a small one can take its parser minutes.

import type { DataYaml } from '../../src/annotation-formats/data-yaml.ts';
import { limits } from '../../src/limits.ts';
import type { FileThread } from './file-thread.ts';
import { readText } from './read-text.ts';

export interface YamlReader {
  /** `path`: what the file is called. Throws `invalid_input` where it cannot be read. */
  read(real: string, path: string): Promise<DataYaml>;
  close(): void;
}

/** Its thread starts with the first file. It has to be closed. */
export function openYamlReader(argument: string, signal: AbortSignal): YamlReader {
  let thread: FileThread | undefined;
  return {
    read: async (real, path) => {
      const text = await readText(real, argument, limits.yamlBytesMax);
      const { openFileThread } = await import('./file-thread.ts');
      thread ??= await openFileThread(argument, signal);
      return thread.dataYaml(path, text);
    },
    close: () => thread?.close(),
  };
}
