// For whom a token may be asked (RFC 8707): the management API, and MCP servers that are known.

import { withoutLastSlash } from './application-rules.ts';
import type { Applications } from './applications.ts';

export interface Resources {
  /** The audience of tokens for this resource; undefined: nobody here knows it. */
  audienceOf(resource: string): string | undefined;
  /** Whether tokens for this audience live as long as those of MCP clients. */
  isMcp(audience: string): boolean;
  /** The MCP server of this process. */
  readonly own: string | undefined;
}

export function createResources(
  applications: Applications,
  issuer: string,
  ownPath: string | undefined,
): Resources {
  const own = ownPath === undefined ? undefined : `${issuer}${withoutLastSlash(ownPath)}`;
  return {
    own,
    isMcp: (audience) => audience !== issuer,
    audienceOf: (resource) => {
      const name = withoutLastSlash(resource);
      if (name === issuer || name === own) return name;
      return applications.findByResource(name)?.resource;
    },
  };
}
