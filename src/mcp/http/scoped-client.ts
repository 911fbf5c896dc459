// A client that refuses operations beyond the scopes of its caller, whatever its credential allows.

import { scopesOfMembers } from '../../contract/operation.ts';
import type { Scope } from '../../contract/scopes.ts';
import { FoveaError } from '../../errors.ts';
import type { Client } from '../../http-client/client.ts';

/**
 * The client for a caller with these scopes. A tool may call more operations than the one it is
 * named after, and the credential may be a key that allows everything.
 */
export function withinScopes(client: Client, scopes: ReadonlySet<string>): Client {
  return {
    call: async (operation, input, options) => {
      requireScope(operation.id, operation.scope, scopes);
      for (const [member, scope] of scopesOfMembers(operation, Object(input))) {
        requireScope(`${operation.id} with ${member}`, scope, scopes);
      }
      return client.call(operation, input, options);
    },
    // No scope covers a link, and the file would be saved on the server.
    download: async () => {
      throw new FoveaError('not_implemented', 'Nothing is saved on the machine of the server.', {
        hint: 'Fetch the link from your own machine.',
      });
    },
    // A caller who has read an image may have its preview, which leaves no file here.
    fetchImage: client.fetchImage,
    upload: async () => {
      throw new FoveaError('not_implemented', 'Nothing is sent from the machine of the server.', {
        hint: 'Send the file from your own machine.',
      });
    },
    close: async () => {},
  };
}

function requireScope(what: string, scope: Scope, scopes: ReadonlySet<string>): void {
  if (scopes.has(scope)) return;
  throw new FoveaError('forbidden', `${what} needs the scope "${scope}", which was not granted.`, {
    hint: 'Sign in again, and allow it.',
  });
}
