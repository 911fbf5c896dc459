// HTTP as any producer speaks it: fetch for whole requests, node:http for bodies sent in pieces.

import { type ClientRequest, request as httpRequest } from 'node:http';
import { type Call, parsed, type Reply, send } from '../../conformance/http.ts';

/** A request whose body is sent piece by piece. */
export interface OpenRequest {
  write(piece: Uint8Array | string): void;
  end(): void;
  readonly reply: Promise<Pick<Reply, 'status' | 'json' | 'text'>>;
  abort(): void;
}

export interface Client {
  readonly url: string;
  send(call: Call): Promise<Reply>;
  open(path: string, headers: Readonly<Record<string, string>>): OpenRequest;
}

/** With `key` every request carries it as X-API-Key. */
export function createClient(url: string, key?: string): Client {
  const base = url.replace(/\/+$/, '');
  const own = key === undefined ? {} : { 'x-api-key': key };
  return {
    url: base,
    send: (call) => send(base, own, call),
    open: (path, headers) => open(base + path, { ...own, ...headers }),
  };
}

function open(url: string, headers: Readonly<Record<string, string>>): OpenRequest {
  const request = httpRequest(url, { method: 'POST', headers, agent: false });
  const reply = answerOf(request);
  // Whoever does not ask for the answer does not want its failure either.
  reply.catch(() => undefined);
  request.flushHeaders();
  return {
    write: (piece) => void request.write(piece),
    end: () => void request.end(),
    reply,
    abort: () => void request.destroy(),
  };
}

function answerOf(request: ClientRequest): OpenRequest['reply'] {
  return new Promise((resolve, reject) => {
    request.on('error', reject);
    request.on('response', (response) => {
      const pieces: Buffer[] = [];
      response.on('data', (piece: Buffer) => pieces.push(piece));
      response.on('error', reject);
      response.on('end', () => {
        const text = Buffer.concat(pieces).toString('utf8');
        resolve({ status: response.statusCode ?? 0, text, json: parsed(text) });
      });
    });
  });
}
