// The thread of a model: opens it, then runs it on one image after the other.

import { parentPort } from 'node:worker_threads';
import { FoveaError } from '../errors.ts';
import { type Detector, openDetector } from './detector.ts';
import { type FromModel, failedAnswer, type ToModel } from './model-messages.ts';

const port = parentPort;
if (port === null) throw new Error('model-worker runs in a thread of model-thread.ts');

let detector: Detector | undefined;

port.on('message', (message: ToModel) => {
  answer(message).then(send, (thrown) => send(failedAnswer(thrown)));
});

async function answer(message: ToModel): Promise<FromModel> {
  if (message.kind === 'open') {
    const before = detector;
    detector = undefined;
    await before?.close();
    detector = await openDetector(message.file, message.classes);
    const { task, classes, keypointNames, canvas, isStretched, thresholds } = detector;
    return { kind: 'opened', task, classes, keypointNames, canvas, isStretched, thresholds };
  }
  if (detector === undefined) throw new FoveaError('internal', 'The model is not open.');
  return { kind: 'found', found: await detector.detect(message.job) };
}

function send(message: FromModel): void {
  port?.postMessage(message);
}
