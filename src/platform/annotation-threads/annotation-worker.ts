// The thread that reads annotation files, single ones or those of a zip file, so that a hostile
// file delays no other request.

import { parentPort, workerData } from 'node:worker_threads';
import type { Labelmap } from '../../annotation-formats/annotation-file.ts';
import { readClassList } from '../../annotation-formats/class-lists.ts';
import { type Document, openDocument } from '../../annotation-formats/dataset-file-reader.ts';
import { keyOf, namesIn, splitFinder } from '../../annotation-formats/image-splits.ts';
import { type FindListed, listedImageFinder } from '../../annotation-formats/listed-images.ts';
import { matchAnnotations } from '../../annotation-formats/match-annotations.ts';
import {
  type ReadAnnotation,
  readAnnotation,
  toRead,
} from '../../annotation-formats/parse-annotation.ts';
import { DatasetProblem } from '../../annotation-formats/streaming-json.ts';
import { FoveaError } from '../../errors.ts';
import type {
  AnnotationThreadData,
  FromAnnotationThread,
  MatchQuestion,
  ToAnnotationThread,
} from './annotation-thread.ts';

const port = parentPort;
if (port === null) throw new Error('annotation-worker runs in a thread of annotation-thread.ts');

const { imagePaths }: AnnotationThreadData = workerData;
const imageKeys = new Set(imagePaths.map(keyOf));
const documents = new Map<string, Document>();
let findListed: FindListed | undefined;
let lastLabelmap: Labelmap | undefined;

port.on('message', (message: ToAnnotationThread) => {
  answer(message).then(send, (thrown) => send(refusalOf(thrown)));
});
send({ kind: 'ready' });

async function answer(message: ToAnnotationThread): Promise<FromAnnotationThread> {
  switch (message.kind) {
    case 'class list': {
      const list = await readClassList(message.path, textOf(message.bytes));
      return { kind: 'class list', list };
    }
    case 'split list':
      return { kind: 'split list', names: namesIn(textOf(message.bytes), imageKeys) };
    case 'image list': {
      findListed ??= listedImageFinder(imagePaths);
      return { kind: 'image list', images: findListed(message.path, textOf(message.bytes)) };
    }
    case 'document': {
      documents.set(message.path, openDocument(message.file));
      return { kind: 'document' };
    }
    case 'pair':
      return { kind: 'paired', pairs: pair(message.toPair) };
    case 'own':
      return { kind: 'annotation', read: readOwn(message) };
    case 'of document': {
      const document = documents.get(message.path);
      if (document === undefined) throw new FoveaError('internal', 'The document is not loaded.');
      return { kind: 'annotation', read: toRead(document.parse(message.name, message.image)) };
    }
  }
}

function readOwn({ file, content }: ToAnnotationThread & { readonly kind: 'own' }): ReadAnnotation {
  const labelmap = file.labelmap === 'same' ? lastLabelmap : file.labelmap;
  lastLabelmap = labelmap ?? lastLabelmap;
  const text = typeof content === 'string' ? content : textOf(content);
  return readAnnotation({ ...file, labelmap, text });
}

function pair({ documents: entries, named, ...others }: MatchQuestion) {
  const loaded = entries.flatMap((entry) => {
    const names = documents.get(entry.path)?.names;
    return names === undefined ? [] : [{ entry, names }];
  });
  return matchAnnotations({ ...others, documents: loaded, findSplit: splitFinder(named) });
}

class NoText extends Error {}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NoText();
  }
}

/** An unexpected error, in a file from outside, most likely comes from too deep nesting. */
function refusalOf(thrown: unknown): FromAnnotationThread {
  if (thrown instanceof NoText) {
    return { kind: 'refused', problem: 'is no UTF-8 text', isMisread: false };
  }
  if (thrown instanceof DatasetProblem) {
    return { kind: 'refused', problem: thrown.problem, isMisread: true };
  }
  if (!(thrown instanceof FoveaError)) {
    return {
      kind: 'refused',
      problem: 'cannot be read: it is too deep or broken',
      isMisread: true,
    };
  }
  const { code, message, hint, problems } = thrown;
  const problem = problems[0]?.message ?? message;
  return { kind: 'refused', problem, isMisread: true, failure: { code, message, hint, problems } };
}

function send(message: FromAnnotationThread): void {
  port?.postMessage(message);
}
