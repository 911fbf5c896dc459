// Handlers of the search family.

import type { search } from '../contract/search.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Parts } from './parts.ts';
import type { Principal } from './principal.ts';
import { catalogHandlers } from './search/catalog.ts';
import { imageSearchHandlers } from './search/image-search.ts';
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
