// A client that calls no operation beyond the scopes of its caller, whatever credential it uses.

import type { Operation } from '../../contract/operation.ts';
import { FoveaError } from '../../errors.ts';
import type { Client } from '../../http-client/client.ts';

/**
 * The client, for a caller with these scopes. A tool may make more calls than the one that names
 * it, and the credential behind may be a key that allows everything.
 */
export function withinScopes(client: Client, scopes: ReadonlySet<string>): Client {
  return {
    call: async (operation, input, options) => {
      requireScope(operation, scopes);
      return client.call(operation, input, options);
    },
    // No scope covers a link, and the file would be one of the server.
    download: async () => {
      throw new FoveaError('not_implemented', 'Nothing is saved on the machine of the server.', {
        hint: 'Fetch the link from your own machine.',
      });
    },
    // Whoever has read an image may have its preview, which leaves no file here.
    fetchImage: client.fetchImage,
    upload: async () => {
      throw new FoveaError('not_implemented', 'Nothing is sent from the machine of the server.', {
        hint: 'Send the file from your own machine.',
      });
    },
    close: async () => {},
  };
}

function requireScope({ id, scope }: Operation, scopes: ReadonlySet<string>): void {
  if (scopes.has(scope)) return;
  throw new FoveaError('forbidden', `${id} needs the scope "${scope}", which was not granted.`, {
    hint: 'Sign in again, and allow it.',
  });
}
