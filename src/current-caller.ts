// For whom the running code works: what requests and tasks share, such as the threads that decode
// images, takes turns between callers, however deep in the code it is asked for.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './semaphore.ts';

/** What runs, as the log of changes names it. */
export interface CurrentWork extends Caller {
  /** The credential of a request. */
  readonly who?: string;
  /** The operation, or `task:KIND`. */
  readonly action?: string;
  /** Of a task. */
  readonly taskId?: string;
}

const callers = new AsyncLocalStorage<CurrentWork>();

/** Runs work for a caller; so does all that it starts. */
export function runFor<Value>(caller: CurrentWork, work: () => Value): Value {
  return callers.run(caller, work);
}

/** Undefined: the work is for no caller in particular. */
export function currentWork(): CurrentWork | undefined {
  return callers.getStore();
}

/** Undefined: the work is for no caller in particular. */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}
