// Handlers of the search family.

import type { search } from '../contract/search.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Principal } from './access-control/authorization.ts';
import type { Parts } from './dependencies.ts';
import { catalogHandlers } from './search/catalog-search.ts';
import { imageSearchHandlers } from './search/project-search.ts';
import { searchExportHandlers } from './search/search-exports.ts';
import { workspaceSearchHandlers } from './search/workspace-search.ts';

export function searchHandlers(parts: Parts): Handlers<typeof search, Principal> {
  return {
    ...imageSearchHandlers(parts),
    ...workspaceSearchHandlers(parts),
    ...catalogHandlers(parts),
    ...searchExportHandlers(parts),
  };
}
