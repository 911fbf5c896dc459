// The revisions of MCP that our servers speak.

import { type Server, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** The newest first. The package lists the stateless revision apart, since it is not negotiated. */
export function servedRevisions(): readonly string[] {
  return [...new Set([firstStateless, ...SUPPORTED_PROTOCOL_VERSIONS])].toSorted().toReversed();
}

/**
 * From this revision on a host declares its capabilities with each request, and a result may
 * require input.
 */
const firstStateless = '2026-07-28';

export function isStateless(server: Server): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= firstStateless;
}
