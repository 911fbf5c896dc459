// Whether the capabilities of a host have the extension of MCP Apps, with pages as we make them.

import { isJsonObject, membersOf } from '../../json-object.ts';

/** The type by which hosts know a page (MCP Apps, revision 2026-01-26). */
export const pageMimeType = 'text/html;profile=mcp-app';

const appsExtension = 'io.modelcontextprotocol/ui';

/** A host that names no types takes this one. */
export function declaresApps(capabilities: unknown): boolean {
  const declared = membersOf(membersOf(capabilities).extensions)[appsExtension];
  if (!isJsonObject(declared)) return false;
  const { mimeTypes } = declared;
  return !Array.isArray(mimeTypes) || mimeTypes.includes(pageMimeType);
}
