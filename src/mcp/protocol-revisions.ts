// The revisions of the protocol that our servers speak.

import { type Server, SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** The newest first. The last revision is negotiated another way, so the package lists it apart. */
export function servedRevisions(): readonly string[] {
  return [...new Set([firstStateless, ...SUPPORTED_PROTOCOL_VERSIONS])].toSorted().toReversed();
}

/** From this one on a host declares what it can with each request, and results may ask. */
const firstStateless = '2026-07-28';

export function isStateless(server: Server): boolean {
  return (server.getNegotiatedProtocolVersion() ?? '') >= firstStateless;
}
