// `/health`: whether the service lives, and whether requests may be sent to it.

import { asFoveaError } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { instance } from '../http-server/instance.ts';
import { readinessAsked } from '../http-server/readiness-asked.ts';
import { sendAnswer } from '../http-server/responses.ts';
import { limits } from '../limits.ts';
import type { BlobStore } from '../storage/blob-store.ts';
import type { Principal } from './access-control/authorization.ts';

/** Each throws where that database cannot be used now. */
export interface DatabaseChecks {
  readonly checkRows: () => Promise<void>;
  /** Undefined: there is no sign-in service beside. */
  readonly checkSignIn?: (() => Promise<void>) | undefined;
}

interface HealthDependencies extends DatabaseChecks {
  readonly blobs: Pick<BlobStore, 'has'>;
}

/**
 * Needs no key. Liveness: 200 while the service answers, since to start it again mends no database.
 * Readiness, asked for by `?ready=1`: 503 while rows, files or sign-ins cannot be reached, or have
 * tables of another Fovea.
 */
export function healthRoute(dependencies: HealthDependencies): Route<Principal> {
  const problems = lookedAtOnce(() => problemsOf(dependencies));
  return {
    method: 'GET',
    path: '/health',
    open: true,
    handle: async (request, response) => {
      // Tells clients that all operations are there, and which process this is.
      const own = { platform: 'fovea', instance };
      if (!readinessAsked(request)) return sendAnswer(response, 200, { status: 'ok', ...own });
      const found = await problems();
      const isReady = found.length === 0;
      sendAnswer(response, isReady ? 200 : 503, {
        status: isReady ? 'ok' : 'degraded',
        ready: isReady,
        problems: found,
      });
    },
  };
}

/** Anybody may ask: all who do within a short time get the answer of one look. */
function lookedAtOnce<T>(look: () => Promise<T>): () => Promise<T> {
  let last: Promise<T> | undefined;
  return () => {
    if (last !== undefined) return last;
    last = look();
    const forget = () => {
      setTimeout(() => {
        last = undefined;
      }, limits.readinessKeptMs).unref();
    };
    last.then(forget, forget);
    return last;
  };
}

async function problemsOf({
  blobs,
  checkRows,
  checkSignIn,
}: HealthDependencies): Promise<readonly string[]> {
  const looks = [
    within('The database', checkRows()),
    within('The place of the files', blobs.has(nothing)),
    ...(checkSignIn ? [within('The database', checkSignIn()).then(ofSignIn)] : []),
  ];
  const found = await Promise.all(looks);
  return found.filter((problem) => problem !== undefined);
}

function ofSignIn(problem: string | undefined): string | undefined {
  return problem && `Sign-in: ${problem}`;
}

const nothing = '0'.repeat(64);

/** What is wrong, in words. */
async function within(what: string, look: Promise<unknown>): Promise<string | undefined> {
  const late = Promise.withResolvers<string>();
  const silent = `${what} does not answer within ${limits.readinessMsMax / 1000} s.`;
  const timer = setTimeout(() => late.resolve(silent), limits.readinessMsMax);
  const asked = look.then(
    () => undefined,
    (thrown) => asFoveaError(thrown).message,
  );
  return Promise.race([asked, late.promise]).finally(() => clearTimeout(timer));
}
