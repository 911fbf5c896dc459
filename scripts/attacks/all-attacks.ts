// Every attack, in the order in which they run.

import { annotationAttacks } from './annotations.ts';
import type { Attack } from './attack.ts';
import { connectionAttacks } from './connections.ts';
import { credentialAttacks } from './credentials.ts';
import { eventStoreAttacks } from './event-store.ts';
import { imageAttacks } from './images.ts';
import { jsonAttacks } from './json-bodies.ts';
import { largeProjectAttacks } from './large-projects.ts';
import { mcpAttacks } from './mcp.ts';
import { multipartAttacks } from './multipart.ts';
import { oauthAttacks } from './oauth.ts';
import { operationAttacks } from './operations.ts';
import { queryAttacks } from './queries.ts';
import { stdioNames } from './stdio.ts';
import { zipAttacks } from './zips.ts';

export const allAttacks: readonly Attack[] = [
  ...jsonAttacks,
  ...annotationAttacks,
  ...queryAttacks,
  ...largeProjectAttacks,
  ...multipartAttacks,
  ...credentialAttacks,
  ...eventStoreAttacks,
  ...connectionAttacks,
  ...oauthAttacks,
  ...mcpAttacks,
  ...stdioNames.map((name) => ({ name, target: 'stdio', prepare: noService }) as const),
  ...operationAttacks(),
  ...imageAttacks,
  ...zipAttacks,
];

/** Those over stdio have processes of their own. */
async function noService(): Promise<never> {
  throw new Error('stdio has no service');
}
