// Restricts one API key that serves callers with fewer rights than the key.

import type { Operation } from '../contract/operation.ts';
import { FoveaError } from '../errors.ts';
import type { Client } from '../http-client/client.ts';

/**
 * The client without operations that make or strengthen API keys: a new key would have the rights
 * of the shared key, and not those of the caller.
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

function makesKeys({ toolset, effect }: Operation): boolean {
  return toolset === 'api_keys' && (effect === 'adds' || effect === 'changes');
}

function refused({ id }: Operation): FoveaError {
  const message = `${id} is not offered where one API key serves all callers.`;
  return new FoveaError('forbidden', message, { hint: 'Manage API keys at the platform itself.' });
}
