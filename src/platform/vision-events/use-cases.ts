// Use cases of vision events: listed, made, renamed, archived.

import type { Clock } from '../../clock.ts';
import type { visionEventExtensions } from '../../contract/vision-events.ts';
import { type FoveaError, notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { requireWholeWorkspace } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import { newId, plainSlug } from '../ids-and-slugs.ts';
import type { Store } from '../store/store.ts';
import type { UseCase, UseCaseChange } from '../store/use-cases.ts';

type Managing = Pick<
  typeof visionEventExtensions,
  | 'use_cases_list'
  | 'use_cases_create'
  | 'use_cases_rename'
  | 'use_cases_archive'
  | 'use_cases_unarchive'
>;

interface Dependencies {
  readonly store: Store;
  readonly clock: Clock;
  readonly visionEventDays: number | undefined;
}

export function useCaseHandlers({
  store,
  clock,
  visionEventDays = limits.visionEventsLookbackDays,
}: Dependencies): Handlers<Managing, Principal> {
  const change = async (principal: Principal, id: string, change: UseCaseChange) => {
    requireWholeWorkspace(principal, 'Managing use cases');
    const changed = await store.useCases.change(principal.workspace.id, id, change);
    if (changed === undefined) throw noUseCase(id);
    return { success: true, ...describeUseCase(changed) };
  };
  return {
    use_cases_list: async ({ status = 'active' }, { principal }) => {
      requireWholeWorkspace(principal, 'Reading events');
      const most = limits.useCasesListedMax;
      const isArchived = status === 'inactive';
      const found = await store.useCases.list(principal.workspace.id, isArchived, most + 1);
      return {
        useCases: found.slice(0, most).map(describeUseCase),
        truncated: found.length > most,
        lookbackDays: visionEventDays,
      };
    },
    use_cases_create: async ({ name }, { principal }) => {
      requireWholeWorkspace(principal, 'Managing use cases');
      // Producers that name it by its slug find it under that.
      const slug = plainSlug(name);
      const ids = slug === '' ? [newId()] : [slug, newId()];
      return describeUseCase(await store.useCases.add(principal.workspace.id, name, ids));
    },
    use_cases_rename: ({ useCaseId, name }, { principal }) =>
      change(principal, useCaseId, { name }),
    use_cases_archive: ({ useCaseId }, { principal }) =>
      change(principal, useCaseId, { archivedAt: clock.now() }),
    use_cases_unarchive: ({ useCaseId }, { principal }) =>
      change(principal, useCaseId, { archivedAt: null }),
  };
}

/** Throws `not_found`: a query of no use case would find nothing, as if it had no events. */
export async function findUseCase(
  { useCases }: Pick<Store, 'useCases'>,
  workspaceId: string,
  id: string,
): Promise<UseCase> {
  const found = await useCases.find(workspaceId, id);
  if (found === undefined) throw noUseCase(id);
  return found;
}

function noUseCase(id: string): FoveaError {
  return notFound('use case', id, 'GET /vision-events/use-cases lists them with their ids.');
}

function describeUseCase({ id, name, isArchived, events }: UseCase) {
  return { id, name, status: isArchived ? 'inactive' : 'active', eventCount: events };
}
