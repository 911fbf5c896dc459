// `/health`: whether the service lives, and whether events may be sent to it.

import type { IncomingMessage } from 'node:http';
import { invalidArgument } from '../errors.ts';
import type { Route } from '../http-server/handlers.ts';
import { sendAnswer } from '../http-server/responses.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';

/**
 * Needs no key, so it reveals nothing about events. Liveness: 200 while the service answers, since
 * whoever restarts it for a full disk takes away reading as well. Readiness, asked for by
 * `?ready=1`: 503 while it takes no events in.
 */
export function healthRoute({ problems, refusals }: EventStoreDependencies): Route<Caller> {
  return {
    method: 'GET',
    path: '/health',
    open: true,
    handle: async (request, response) => {
      const asksReadiness = readinessAsked(request);
      const refused = refusals();
      const found = problems();
      const isReady = refused.length === 0;
      sendAnswer(response, asksReadiness && !isReady ? 503 : 200, {
        status: found.length === 0 && isReady ? 'ok' : 'degraded',
        ready: isReady,
        service: 'event-store',
        api_version: 'v2',
        problems: [...new Set([...refused, ...found])],
      });
    },
  };
}

function readinessAsked({ url = '' }: IncomingMessage): boolean {
  const values = new URL(url, 'http://localhost').searchParams.getAll('ready');
  const [value = '0', ...more] = values;
  const asked = answers.get(value);
  if (asked === undefined || more.length > 0)
    throw invalidArgument('ready', 'must be 1, or be left out');
  return asked;
}

const answers: ReadonlyMap<string, boolean> = new Map([
  ['1', true],
  ['true', true],
  ['0', false],
  ['false', false],
]);
