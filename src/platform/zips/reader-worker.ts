// The thread that reads the annotation files of one zip file: a hostile one holds up nobody else.

import { parentPort, workerData } from 'node:worker_threads';
import { FoveaError } from '../../errors.ts';
import { limits } from '../../limits.ts';
import type { Annotation, Labelmap, Parsed } from '../annotations/annotation.ts';
import type { AnnotationIndex } from '../annotations/image-name.ts';
import { parseAnnotation } from '../annotations/parse.ts';
import { readClassList } from './class-lists.ts';
import { readDocument } from './documents.ts';
import { pairUp } from './pair.ts';
import type {
  FromReader,
  PairQuestion,
  ReadAnnotation,
  ReaderData,
  ToReader,
} from './reader-messages.ts';
import { keyOf, namesIn, splitFinder } from './split-lists.ts';

const port = parentPort;
if (port === null) throw new Error('reader-worker runs in a thread of annotation-reader.ts');

const { imagePaths }: ReaderData = workerData;
const imageKeys = new Set(imagePaths.map(keyOf));
const documents = new Map<string, AnnotationIndex>();
let lastLabelmap: Labelmap | undefined;

port.on('message', (message: ToReader) => {
  answer(message).then(send, (thrown) => send(refusalOf(thrown)));
});
send({ kind: 'ready' });

async function answer(message: ToReader): Promise<FromReader> {
  switch (message.kind) {
    case 'class list': {
      const labelmap = await readClassList(message.path, textOf(message.bytes));
      return { kind: 'class list', labelmap };
    }
    case 'split list':
      return { kind: 'split list', names: namesIn(textOf(message.bytes), imageKeys) };
    case 'document': {
      const found = readDocument(textOf(message.bytes));
      if ('problem' in found) return { kind: 'refused', problem: found.problem, isMisread: true };
      documents.set(message.path, found.index);
      return { kind: 'document' };
    }
    case 'pair':
      return { kind: 'paired', pairs: pair(message.toPair) };
    case 'own':
      return { kind: 'annotation', read: shortened(readOwn(message)) };
    case 'of document': {
      const index = documents.get(message.path);
      if (index === undefined) throw new FoveaError('internal', 'The document is not loaded.');
      return { kind: 'annotation', read: shortened(index.parse(message.name, message.image)) };
    }
  }
}

function readOwn({ file, bytes }: ToReader & { readonly kind: 'own' }): Parsed {
  const labelmap = file.labelmap === 'same' ? lastLabelmap : file.labelmap;
  lastLabelmap = labelmap ?? lastLabelmap;
  return parseAnnotation({ ...file, labelmap, text: textOf(bytes) });
}

function pair({ documents: entries, named, ...others }: PairQuestion) {
  const loaded = entries.flatMap((entry) => {
    const index = documents.get(entry.path);
    return index === undefined ? [] : [{ entry, names: index.entries.map(({ name }) => name) }];
  });
  return pairUp({ ...others, documents: loaded, findSplit: splitFinder(named) });
}

class NoText extends Error {}

function textOf(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NoText();
  }
}

/** What goes back is taken in by the thread that serves everybody. */
function shortened({ annotation, warnings }: Parsed): ReadAnnotation {
  if (pointsOf(annotation) > limits.zipPointsMax) {
    const message = `has outlines of more than ${limits.zipPointsMax} points for the image`;
    throw new FoveaError('too_large', message);
  }
  const problems = warnings.slice(0, problemsKeptMax).map(({ message }) => message);
  return { annotation, warnings: warnings.length, problems };
}

/** Of one image: an annotation file can be odd in every one of its boxes. */
const problemsKeptMax = 20;

function pointsOf(annotation: Annotation): number {
  if (annotation.kind !== 'detection') return 0;
  return annotation.boxes.reduce(
    (sum, { points, keypoints }) => sum + (points?.length ?? 0) + (keypoints?.length ?? 0),
    0,
  );
}

/** What we did not foresee is, in a file that anybody may have made, most likely too deep. */
function refusalOf(thrown: unknown): FromReader {
  if (thrown instanceof NoText) {
    return { kind: 'refused', problem: 'is no UTF-8 text', isMisread: false };
  }
  if (!(thrown instanceof FoveaError)) {
    return {
      kind: 'refused',
      problem: 'cannot be read: it is too deep or broken',
      isMisread: true,
    };
  }
  const problem = thrown.problems[0]?.message ?? thrown.message;
  return { kind: 'refused', problem, isMisread: true };
}

function send(message: FromReader): void {
  port?.postMessage(message);
}
