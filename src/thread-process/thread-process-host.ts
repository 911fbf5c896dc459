// The process that holds threads for another one, and ends when that one has ended.

import type { Worker } from 'node:worker_threads';
import { limits } from '../limits.ts';
import type { FromThreadProcess, ToThreadProcess } from './messages.ts';
import { startThread } from './start-thread.ts';

const threads = new Map<number, Worker>();

process.on('message', (message: ToThreadProcess) => {
  if (message.kind === 'start') start(message);
  else if (message.kind === 'message') threads.get(message.id)?.postMessage(message.message);
  else void threads.get(message.id)?.terminate();
});
process.once('disconnect', async () => {
  // A thread may be inside a decoder, which nothing interrupts.
  setTimeout(end, limits.threadProcessEndMsMax);
  await Promise.all([...threads.values()].map((thread) => thread.terminate()));
  end();
});
// A signal to the whole group is answered by the process that holds the other end.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP']) process.on(signal, () => undefined);

/** An orderly exit was seen to wait for ever in native code, with the output of others open. */
function end(): void {
  process.kill(process.pid, 'SIGKILL');
}

function start({ id, start }: ToThreadProcess & { readonly kind: 'start' }): void {
  const thread = startThread(start);
  threads.set(id, thread);
  thread.on('message', (message) => send({ kind: 'message', id, message }));
  thread.on('error', (thrown) => send({ kind: 'error', id, error: copyOf(thrown) }));
  thread.once('exit', () => {
    threads.delete(id);
    send({ kind: 'exit', id });
  });
}

/** What a thread has thrown is an error by its prototype alone: its message would not be sent. */
function copyOf(thrown: unknown): Error {
  if (!(thrown instanceof Error)) return new Error(String(thrown));
  const { name, message, stack } = thrown;
  return Object.assign(new Error(message), { name, stack });
}

function send(message: FromThreadProcess): void {
  process.send?.(message, undefined, undefined, () => undefined);
}
