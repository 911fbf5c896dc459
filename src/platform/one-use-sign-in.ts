// Signs a person in to the web page by a link of one use: the page exchanges the code of the link
// for a key, once. Codes are in the memory of this process alone.

import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { Clock } from '../clock.ts';
import { FoveaError, invalidArgument } from '../errors.ts';
import { readBytes } from '../http-server/body-limits.ts';
import type { Route } from '../http-server/handlers.ts';
import { isJsonObject, parsedJson } from '../json-object.ts';
import { limits } from '../limits.ts';
import { Secret } from '../secret.ts';

export interface OneUseSignIn {
  /** A new code, which is good for a minute. */
  makeCode(): Secret;
  readonly route: Route;
}

/** `key`: what the page gets for a code. */
export function createOneUseSignIn(clock: Clock, key: Secret): OneUseSignIn {
  /** Hashes of codes that were not used yet, with their ends by the monotonic clock. */
  const codes = new Map<string, number>();
  return {
    makeCode: () => {
      const code = new Secret(randomBytes(32).toString('base64url'));
      codes.set(code.hash(), clock.monotonic() + limits.oneUseLinkMs);
      return code;
    },
    route: {
      method: 'POST',
      path: '/page/sign-in',
      open: true,
      handle: async (request, response) => {
        refuseOtherSites(request);
        const hash = new Secret(await readCode(request)).hash();
        const end = codes.get(hash);
        // Used up before anything is answered: two requests at once get one key.
        codes.delete(hash);
        if (end === undefined || end <= clock.monotonic()) throw notGood();
        response.writeHead(200, {
          'content-type': 'application/json',
          'cache-control': 'no-store',
        });
        response.end(JSON.stringify({ key: key.reveal() }));
      },
    },
  };
}

function notGood(): FoveaError {
  return new FoveaError('forbidden', 'This link was used already, or is older than a minute.', {
    hint: 'Run fovea open again.',
  });
}

/** Browsers say where a request comes from; ours alone comes from this page, and is JSON. */
function refuseOtherSites({ headers }: IncomingMessage): void {
  const site = headers['sec-fetch-site'];
  const isOwn =
    (site === undefined || site === 'same-origin') &&
    (headers.origin === undefined || URL.parse(headers.origin)?.host === headers.host);
  const isJson = headers['content-type']?.startsWith('application/json') ?? false;
  if (isOwn && isJson) return;
  throw new FoveaError('forbidden', 'Only the page of this platform signs in here.');
}

const bodyBytesMax = 1_024;

async function readCode(request: IncomingMessage): Promise<string> {
  const body = parsedJson((await readBytes(request, bodyBytesMax)).toString());
  if (!isJsonObject(body) || typeof body.code !== 'string') {
    throw invalidArgument('code', 'must be a text');
  }
  return body.code;
}
