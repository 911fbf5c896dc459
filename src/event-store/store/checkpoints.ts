// When the log of the database is moved into its file: beside the writes, and not before answers.

import { extname } from 'node:path';
import { Worker } from 'node:worker_threads';
import { threadEnvironment } from '../../environment.ts';
import { limits } from '../../limits.ts';
import type { Database } from '../../storage/database.ts';

/**
 * SQLite by itself does it at the end of a commit, once much has come together: all who wait for
 * that commit wait some 40 ms. A thread of its own does it a few milliseconds at a time, while
 * writes go on. What they append meanwhile is little, and is moved by the writer: only when all is
 * in the file does the log begin anew.
 */
export class Checkpoints {
  readonly #path: string;
  #bytes = 0;
  #thread: Worker | undefined;
  #isRunning = false;

  constructor(path: string) {
    this.#path = path;
  }

  /** So many bytes of rows were written. */
  wrote(bytes: number): void {
    this.#bytes += bytes;
  }

  /** What fails is done later: by SQLite, if by nobody else. */
  runIfDue(database: Database): void {
    if (this.#bytes < limits.eventCheckpointBytes || this.#isRunning) return;
    this.#bytes = 0;
    const thread = this.#startedThread(database);
    this.#isRunning = thread !== undefined;
    if (thread) thread.postMessage('go');
    else database.checkpoint();
  }

  /** Ends the thread, and its connection with it. */
  async close(): Promise<void> {
    await this.#thread?.terminate();
  }

  /** Undefined where the process can have no more threads. */
  #startedThread(database: Database): Worker | undefined {
    try {
      this.#thread ??= this.#start(database);
    } catch {}
    return this.#thread;
  }

  #start(database: Database): Worker {
    const entry = new URL(`./checkpoint-thread${extname(import.meta.url)}`, import.meta.url);
    const thread = new Worker(entry, { workerData: this.#path, env: threadEnvironment() });
    thread.unref();
    thread.on('message', () => {
      this.#isRunning = false;
      try {
        database.checkpoint();
      } catch {}
    });
    // Without a listener, an error of the thread would end the process.
    thread.on('error', () => undefined);
    thread.on('exit', () => {
      this.#thread = undefined;
      this.#isRunning = false;
    });
    return thread;
  }
}
