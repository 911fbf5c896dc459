// The worker thread that reads large annotation files of an upload.

import { parentPort } from 'node:worker_threads';
import {
  type DatasetIndex,
  indexDataset,
} from '../../src/annotation-formats/dataset-file-index.ts';
import { type FindListed, listedImageFinder } from '../../src/annotation-formats/listed-images.ts';
import { looseStemOf } from '../../src/annotation-formats/path-hints.ts';
import { DatasetProblem } from '../../src/annotation-formats/streaming-json.ts';
import type { FromFileReader, ToFileReader } from './file-messages.ts';

const port = parentPort;
if (port === null) throw new Error('file-worker runs in a thread of file-thread.ts');

interface Opened {
  readonly index: DatasetIndex;
  /** Where the images of an upload stand in it, by what it calls them. */
  readonly places: ReadonlyMap<string, number>;
}

let findListed: FindListed = () => [];
const opened = new Map<string, Opened>();

port.on('message', (message: ToFileReader) => {
  answer(message).then(send, (thrown) => send({ kind: 'problem', problem: problemOf(thrown) }));
});
send({ kind: 'ready' });

async function answer(message: ToFileReader): Promise<FromFileReader> {
  switch (message.kind) {
    case 'open':
      return open(message.path, new Set(message.stems));
    case 'part':
      return { kind: 'part', text: partOf(message) };
    case 'image list': {
      if (message.images !== undefined) findListed = listedImageFinder(message.images);
      return { kind: 'image list', images: findListed(message.path, message.text) };
    }
    case 'data yaml': {
      const { readDataYaml } = await import('../../src/annotation-formats/data-yaml.ts');
      const read = readDataYaml(message.text, (problem) => new DatasetProblem(problem));
      return { kind: 'data yaml', read };
    }
  }
}

function open(path: string, wanted: ReadonlySet<string>): FromFileReader {
  const index = indexDataset(path);
  if (index === undefined) return { kind: 'opened', names: undefined, others: 0, strays: 0 };
  const places = new Map<string, number>();
  let others = 0;
  for (const [place, name] of index.names.entries()) {
    if (wanted.has(looseStemOf(name.replaceAll('\\', '/')))) places.set(name, place);
    else others += 1;
  }
  opened.set(path, { index, places });
  return { kind: 'opened', names: [...places.keys()], others, strays: index.strays };
}

function partOf({ path, name, imageName }: Extract<ToFileReader, { kind: 'part' }>): string {
  const found = opened.get(path);
  const place = found?.places.get(name);
  if (found === undefined || place === undefined) throw new DatasetProblem('is not open');
  return found.index.partOf(place, imageName).text;
}

function problemOf(thrown: unknown): string {
  return thrown instanceof DatasetProblem ? thrown.problem : 'cannot be read';
}

function send(message: FromFileReader): void {
  port?.postMessage(message);
}
