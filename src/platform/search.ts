// Handlers of the toolset "search".

import type { search } from '../contract/search.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Principal } from './access-control/authorization.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { catalogHandlers } from './search/catalog-search.ts';
import { projectSearchHandlers } from './search/project-search.ts';
import { searchExportHandlers } from './search/search-exports.ts';
import { workspaceSearchHandlers } from './search/workspace-search.ts';

export function searchHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof search, Principal> {
  return {
    ...projectSearchHandlers(dependencies),
    ...workspaceSearchHandlers(dependencies),
    ...catalogHandlers(dependencies),
    ...searchExportHandlers(dependencies),
  };
}
