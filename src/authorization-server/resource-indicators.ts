// Resource indicators (RFC 8707): tokens are issued for the management API and known MCP servers.

import { withoutLastSlash } from './application-validation.ts';
import type { Applications } from './applications.ts';

export interface Resources {
  /** The audience of tokens for this resource; undefined: it is unknown. */
  audienceOf(resource: string): Promise<string | undefined>;
  /** Whether tokens for this audience get the lifetime of MCP tokens. */
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
    audienceOf: async (resource) => {
      const name = withoutLastSlash(resource);
      if (name === issuer || name === own) return name;
      return (await applications.findByResource(name))?.resource;
    },
  };
}
