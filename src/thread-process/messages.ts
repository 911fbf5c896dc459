// The messages between a process that holds threads and the process that started it.

import type { ThreadStart } from './start-thread.ts';

export type ToThreadProcess =
  | { readonly kind: 'start'; readonly id: number; readonly start: ThreadStart }
  | { readonly kind: 'message'; readonly id: number; readonly message: unknown }
  | { readonly kind: 'end'; readonly id: number };

export type FromThreadProcess =
  | { readonly kind: 'message'; readonly id: number; readonly message: unknown }
  | { readonly kind: 'error'; readonly id: number; readonly error: Error }
  | { readonly kind: 'exit'; readonly id: number };
