// Reads large annotation files of an upload in a thread, so that the server keeps answering. Loaded
// with the first file.

import { extname } from 'node:path';
import type { DataYaml } from '../../src/annotation-formats/data-yaml.ts';
import { invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { startWorkerThread, type WorkerThread } from '../../src/worker-thread.ts';
import { fileAt } from '../format.ts';
import type { FromFileReader, ToFileReader } from './file-messages.ts';

export interface FileThread {
  /**
   * What a COCO or CreateML file calls the images of these file names, which come without folder
   * and extension, in small letters; undefined: it is neither. Throws `invalid_input` for an
   * invalid file, or one that takes too much time or memory.
   */
  open(path: string, stems: readonly string[]): Promise<Opened | undefined>;
  /**
   * What an opened file says of one of these, as a file of its own about an image of another name.
   * Throws likewise.
   */
  part(path: string, name: string, imageName: string): Promise<string>;
  /** Throws as `open` does. */
  dataYaml(path: string, text: string): Promise<DataYaml>;
  /** Those of the images that a list names; `images` may be left out after the first list. */
  listed(
    path: string,
    text: string,
    images: readonly string[] | undefined,
  ): Promise<readonly string[]>;
  close(): void;
}

/** The index of a file about many images. */
export interface Opened {
  readonly names: readonly string[];
  /** Images of the file with other names than those asked for. */
  readonly others: number;
  /** Annotations about images that it does not list. */
  readonly strays: number;
}

/** `argument` named the files. It has to be closed. */
export async function openFileThread(argument: string, signal: AbortSignal): Promise<FileThread> {
  const thread: WorkerThread<ToFileReader, FromFileReader> = await startWorkerThread(
    {
      entry: new URL(`./file-worker${extname(import.meta.url)}`, import.meta.url),
      data: undefined,
      megabytesMax: limits.annotationThreadMegabytesMax,
    },
    signal,
  );
  let turn: Promise<unknown> = Promise.resolve();
  const ask = async (path: string, message: ToFileReader): Promise<FromFileReader> => {
    const answer = turn.then(() => thread.ask(message, { msMax: limits.datasetMsMax, signal }));
    turn = answer.catch(() => {});
    const given = await answer;
    const problem = problemOf(given);
    if (problem !== undefined) throw invalidArgument(argument, `${fileAt(path)} ${problem}`);
    return typeof given === 'string' ? { kind: 'ready' } : given;
  };
  return {
    open: async (path, stems) => {
      const given = await ask(path, { kind: 'open', path, stems });
      if (given.kind !== 'opened' || given.names === undefined) return undefined;
      return { names: given.names, others: given.others, strays: given.strays };
    },
    part: async (path, name, imageName) => {
      const given = await ask(path, { kind: 'part', path, name, imageName });
      return given.kind === 'part' ? given.text : '';
    },
    dataYaml: async (path, text) => {
      const given = await ask(path, { kind: 'data yaml', text });
      return given.kind === 'data yaml' ? given.read : { labelmap: {}, places: [] };
    },
    listed: async (path, text, images) => {
      const given = await ask(path, { kind: 'image list', path, text, images });
      return given.kind === 'image list' ? given.images : [];
    },
    close: () => void thread.terminate(),
  };
}

function problemOf(given: FromFileReader | 'too slow' | 'ended'): string | undefined {
  if (given === 'too slow') return 'takes too long to be read';
  if (given === 'ended') return 'needs too much memory to be read';
  return given.kind === 'problem' ? given.problem : undefined;
}
