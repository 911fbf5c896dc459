// Fetches the metadata document of a client id, but never from private networks.

import {
  closeAgents,
  discard,
  fetchLink,
  openAgents,
  parseLink,
  RefusedLink,
  requirePublicHost,
} from '../http-client/fetch-link.ts';
import { limits } from '../limits.ts';

let running = 0;

/** Exempts a `host:port` (always with its port) from the rule that addresses are public. */
export type IsAllowedHost = (host: string) => boolean;

/**
 * `fetch` for oidc-provider: https and public addresses only, no redirects
 * (draft-ietf-oauth-client-id-metadata-document). Throws connection errors.
 */
export async function fetchClientMetadata(
  input: string | URL | Request,
  isAllowedHost: IsAllowedHost | undefined,
): Promise<Response> {
  const link = parseLink(input instanceof Request ? input.url : String(input));
  if (running >= limits.metadataDocumentsAtOnceMax) throw new RefusedLink('too many are fetched');
  running += 1;
  const agents = openAgents();
  const choose = (to: URL, from: URL | undefined) => {
    if (from !== undefined) throw new RefusedLink('it redirects');
    if (to.protocol !== 'https:') throw new RefusedLink('it is not https');
    if (isAllowedHost?.(`${to.hostname}:${to.port || '443'}`)) return agents.plain;
    requirePublicHost(to);
    return agents.guarded;
  };
  try {
    const signal = AbortSignal.timeout(limits.metadataDocumentMsMax);
    const options = { signal, idleMs: limits.metadataDocumentMsMax };
    const response = await fetchLink(link, choose, options);
    const chunks: Buffer[] = [];
    let bytes = 0;
    for await (const chunk of response.body) {
      chunks.push(chunk);
      bytes += chunk.length;
      if (bytes > limits.metadataDocumentBytesMax) {
        discard(response);
        throw new RefusedLink(`it has more than ${limits.metadataDocumentBytesMax} bytes`);
      }
    }
    return new Response(Buffer.concat(chunks), { status: response.statusCode });
  } finally {
    running -= 1;
    await closeAgents(agents);
  }
}
