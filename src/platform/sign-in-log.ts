// Notes in the log of changes who signs in and out.

import type { Clock } from '../clock.ts';
import type { NoteSignIn } from '../contract/sign-in-event.ts';
import type { Store } from './store/store.ts';

/** As `action` in the log: it is neither an operation nor a task. */
export const signInAction = 'sign-in';

export function signInLog(
  { workspaces, activity }: Pick<Store, 'workspaces' | 'activity'>,
  clock: Clock,
): NoteSignIn {
  return async ({ accountId, workspaces: slugs, verb, where }) => {
    for (const slug of slugs) {
      const now = clock.now();
      const { id } = (await workspaces.find(slug)) ?? (await workspaces.ensure(slug, now));
      const who = `token:${accountId}`;
      await activity.noteSignIn(id, { who, action: signInAction, verb, accountId, where }, now);
    }
  };
}
