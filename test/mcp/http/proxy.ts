// A proxy between two parties of a test: passes everything on, and notes what came.

import { createServer, type IncomingHttpHeaders, request } from 'node:http';
import { onTestFinished } from 'vitest';

export interface Passed {
  readonly path: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

export interface Proxy {
  readonly url: string;
  readonly requests: readonly Passed[];
  /** Where everything goes; nowhere before the first time. */
  lead(target: string): void;
}

/** Names its target in the Host header, unless it `keepsHost`, as proxies for TLS do. */
export async function startProxy(
  target: string | undefined,
  { keepsHost = false }: { readonly keepsHost?: boolean } = {},
): Promise<Proxy> {
  const requests: Passed[] = [];
  let to = target;
  const proxy = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk) => chunks.push(chunk));
    incoming.on('end', () => {
      const { url = '', method = '', headers } = incoming;
      const body = Buffer.concat(chunks);
      requests.push({ path: url, headers, body: body.toString() });
      const goal = new URL(url, to);
      const host = keepsHost ? headers.host : goal.host;
      const sent = request(goal, { method, headers: { ...headers, host } });
      sent.on('error', () => outgoing.destroy());
      sent.on('response', (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      });
      sent.end(body);
    });
  });
  const listening = Promise.withResolvers<void>();
  proxy.listen(0, '127.0.0.1', listening.resolve);
  await listening.promise;
  onTestFinished(() => {
    proxy.closeAllConnections();
    proxy.close();
  });
  const address = proxy.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    lead: (target) => {
      to = target;
    },
  };
}
