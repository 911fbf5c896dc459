// For whom the running code works: what requests and tasks share, such as the threads that decode
// images, takes turns between callers, however deep in the code it is asked for.

import { AsyncLocalStorage } from 'node:async_hooks';
import type { Caller } from './semaphore.ts';

const callers = new AsyncLocalStorage<Caller>();

/** Runs work for a caller; so does all that it starts. */
export function runFor<Value>(caller: Caller, work: () => Value): Value {
  return callers.run(caller, work);
}

/** Undefined: the work is for no caller in particular. */
export function currentCaller(): Caller | undefined {
  return callers.getStore();
}
