// One key of ours, used for callers who may do less than it.

import type { Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import type { Client } from '../http-client/client.ts';

/**
 * The client without what makes or strengthens API keys: left to themselves such calls give the
 * rights of the key behind, and not those of whoever asks.
 */
export function withoutKeyMaking(client: Client): Client {
  return {
    ...client,
    call: async (operation, input, options) => {
      if (makesKeys(operation)) throw refused(operation);
      return client.call(operation, input, options);
    },
  };
}

function makesKeys({ family, effect }: Operation): boolean {
  return family === 'api_keys' && (effect === 'adds' || effect === 'changes');
}

function refused({ id }: Operation): FoveaError {
  const message = `${id} is not offered where one API key serves all callers.`;
  return new FoveaError('forbidden', message, { hint: 'Manage API keys at the platform itself.' });
}
