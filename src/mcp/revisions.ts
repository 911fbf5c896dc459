// The revisions of the protocol that our servers speak.

import { SUPPORTED_PROTOCOL_VERSIONS } from '@modelcontextprotocol/server';

/** The newest first. The last revision is negotiated another way, so the package lists it apart. */
export function servedRevisions(): readonly string[] {
  return [...new Set(['2026-07-28', ...SUPPORTED_PROTOCOL_VERSIONS])].toSorted().toReversed();
}
