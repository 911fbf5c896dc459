// Threads in a process of their own: what they took of memory goes back to the system when it ends.
// The C library keeps much of what threads of this process have freed, and code that was compiled.

import { type ChildProcess, fork } from 'node:child_process';
import { EventEmitter } from 'node:events';
import { extname } from 'node:path';
import { environmentOfOthers, threadEnvironment } from '../environment.ts';
import { limits } from '../limits.ts';
import type { FromThreadProcess, ToThreadProcess } from './messages.ts';
import type { ThreadStart } from './start-thread.ts';

let isWanted = false;
let current: ThreadProcess | undefined;

/** From now on threads that take much memory start there. */
export function holdThreadsApart(): void {
  // A desktop application that runs us may not allow its program to be started as Node.
  isWanted = process.versions.electron === undefined;
}

/** Undefined: threads start in this process. One other process holds all that start there. */
export function startThreadApart(start: ThreadStart): ThreadApart | undefined {
  if (!isWanted) return undefined;
  if (!current?.isUsable) current = new ThreadProcess();
  return current.start(start);
}

/** As a Worker is used here: the same members and events. What is sent is copied. */
class ThreadApart extends EventEmitter {
  readonly #holder: ThreadProcess;
  readonly #id: number;
  #isHeld = false;

  constructor(holder: ThreadProcess, id: number) {
    super();
    this.#holder = holder;
    this.#id = id;
  }

  postMessage(message: unknown): void {
    this.#holder.send({ kind: 'message', id: this.#id, message });
  }

  ref(): void {
    if (!this.#isHeld) this.#holder.hold();
    this.#isHeld = true;
  }

  unref(): void {
    if (this.#isHeld) this.#holder.release();
    this.#isHeld = false;
  }

  async terminate(): Promise<void> {
    await this.#holder.end(this.#id, this);
  }
}

class ThreadProcess {
  readonly #child: ChildProcess;
  readonly #threads = new Map<number, ThreadApart>();
  readonly #idle: NodeJS.Timeout;
  #held = 0;
  #lastId = 0;

  constructor() {
    const entry = new URL(`./thread-process-host${extname(import.meta.url)}`, import.meta.url);
    this.#child = fork(entry, {
      serialization: 'advanced',
      // Standard output belongs to the protocol.
      stdio: ['ignore', 2, 2, 'ipc'],
      env: environmentOfOthers(threadEnvironment()),
      windowsHide: true,
    });
    this.#child.on('message', (message: FromThreadProcess) => this.#receive(message));
    this.#child.once('error', () => this.#lose()).once('disconnect', () => this.#lose());
    this.#idle = setTimeout(() => this.#endIfIdle(), limits.threadProcessIdleMsMax).unref();
    this.#unref();
  }

  get isUsable(): boolean {
    return this.#child.connected;
  }

  start(start: ThreadStart): ThreadApart {
    const id = ++this.#lastId;
    const thread = new ThreadApart(this, id);
    this.#threads.set(id, thread);
    this.send({ kind: 'start', id, start });
    return thread;
  }

  send(message: ToThreadProcess): void {
    // What is lost here is told by `disconnect`.
    if (this.#child.connected) this.#child.send(message, () => undefined);
  }

  async end(id: number, thread: ThreadApart): Promise<void> {
    if (!this.#threads.has(id)) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    thread.once('exit', resolve);
    this.send({ kind: 'end', id });
    await promise;
  }

  /** Keeps this process alive, and that one. */
  hold(): void {
    if (this.#held++ > 0) return;
    this.#child.ref();
    this.#child.channel?.ref();
  }

  release(): void {
    if (--this.#held > 0) return;
    this.#unref();
    this.#idle.refresh();
  }

  #unref(): void {
    this.#child.unref();
    this.#child.channel?.unref();
  }

  #endIfIdle(): void {
    if (this.#held === 0 && this.isUsable) this.#child.disconnect();
  }

  #receive(message: FromThreadProcess): void {
    const thread = this.#threads.get(message.id);
    if (message.kind === 'message') thread?.emit('message', message.message);
    else if (message.kind === 'error') thread?.emit('error', message.error);
    else this.#exit(message.id, thread);
  }

  #exit(id: number, thread: ThreadApart | undefined): void {
    this.#threads.delete(id);
    thread?.emit('exit');
  }

  /** Nothing tells why: it was killed, or could not start. */
  #lose(): void {
    clearTimeout(this.#idle);
    for (const [id, thread] of this.#threads) this.#exit(id, thread);
  }
}
