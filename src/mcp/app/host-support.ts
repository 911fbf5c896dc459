// Which hosts show pages beside answers: they say so with the extension of MCP Apps.

import {
  CLIENT_CAPABILITIES_META_KEY,
  type Server,
  type ServerContext,
} from '@modelcontextprotocol/server';
import { membersOf } from '../../json-object.ts';
import { declaresApps } from './declared-apps.ts';

/**
 * Of older revisions the capabilities of a connection count: over HTTP, where each request has a
 * server of its own, those are not known.
 */
export function showsApps(server: Server, { mcpReq }: ServerContext): boolean {
  const declared = membersOf(mcpReq.envelope)[CLIENT_CAPABILITIES_META_KEY];
  return declaresApps(declared ?? server.getClientCapabilities());
}
