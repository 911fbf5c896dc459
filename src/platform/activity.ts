// Handlers of the log of changes.

import { isoTime } from '../clock.ts';
import type { activity } from '../contract/activity.ts';
import { embeddedOperations } from '../contract/index.ts';
import { invalidInput } from '../errors.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { accessibleProjects, findProject } from './access-control/accessible-projects.ts';
import type { Principal } from './access-control/authorization.ts';
import { lanes } from './background-tasks/index.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { signInAction } from './sign-in-log.ts';
import type { ActivityEntry } from './store/activity.ts';

const entriesDefault = 20;

export function activityHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof activity, Principal> {
  const { store } = dependencies;
  return {
    activity_list: async (input, { principal }) => {
      const { since, until, kind, action, who, thing, limit = entriesDefault, before } = input;
      if (action !== undefined) checkAction(action);
      const project =
        input.project === undefined
          ? undefined
          : await findProject(dependencies, principal, input.project);
      const { projectIds } = await accessibleProjects(store, principal);
      const wanted = {
        since: since === undefined ? undefined : Date.parse(since),
        until: until === undefined ? undefined : Date.parse(until),
        kind,
        action,
        who,
        thingId: thing,
        projectId: project?.id,
        projectIds,
        caller: principal.name,
        beforeId: before,
        countMax: limit + 1,
      };
      const { id } = principal.workspace;
      const found = await store.activity.list(id, wanted);
      const entries = found.slice(0, limit);
      const next = found.length > limit && entries.at(-1);
      return {
        total: await store.activity.count(id, wanted),
        ...(next && { next: next.id }),
        entries: await Promise.all(
          entries.map(async (entry) => describeEntry(entry, await imagesOf(store, entry, limit))),
        ),
      };
    },
  };
}

const taskActions = Object.values(lanes)
  .flatMap((lane) => Object.keys(lane))
  .map((kind) => `task:${kind}`);

/** `platform` is what the log itself writes where neither a call nor a task changed something. */
const actions = [...Object.keys(embeddedOperations), ...taskActions, signInAction, 'platform'];

/** A misspelt name would be answered with no entries, as if nothing had been changed. */
function checkAction(action: string): void {
  if (actions.includes(action)) return;
  const near = suggestSpelling(action, actions);
  const right =
    near === undefined ? `tasks are ${taskActions.join(', ')}` : `did you mean "${near}"?`;
  throw invalidInput([{ path: 'action', message: `is no operation and no task; ${right}` }]);
}

/** All that are kept where a single entry is wanted; else of entries that name all of theirs. */
async function imagesOf(
  { activity }: PlatformDependencies['store'],
  { id, kind, count, names }: ActivityEntry,
  limit: number,
) {
  const isWanted = kind === 'image' && (limit === 1 || (count > 1 && count <= names.length));
  return isWanted ? activity.images(id) : [];
}

type Images = Awaited<ReturnType<typeof imagesOf>>;

function describeEntry(entry: ActivityEntry, images: Images) {
  const { id, at, until, who, action, verb, kind, count, thingId, names, project } = entry;
  return {
    id,
    time: isoTime(at),
    ...(until > at && { until: isoTime(until) }),
    who: who ?? null,
    action,
    verb,
    kind,
    count,
    ...(count === 1 && { thing_id: thingId }),
    names: [...names],
    ...(images.length > 0 && { images }),
    ...(project !== undefined && { project }),
    ...(entry.before !== undefined && { before: entry.before }),
    ...(entry.after !== undefined && { after: entry.after }),
  };
}
