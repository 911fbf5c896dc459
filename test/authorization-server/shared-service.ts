// One service for all tests of a file, where no test changes what another sees.

import { afterAll } from 'vitest';
import {
  startTestAuthorizationServer,
  type TestAuthorizationServer,
  type TestAuthorizationServerOptions,
} from '../fixtures/authorization-server.ts';

/** Starts it with the first call; it ends with the file. Call this at the top of a test file. */
export function shareService(
  options: TestAuthorizationServerOptions = {},
): () => Promise<TestAuthorizationServer> {
  let started: Promise<TestAuthorizationServer> | undefined;
  afterAll(async () => {
    await (await started)?.close();
  });
  return () => {
    started ??= startTestAuthorizationServer(options);
    return started;
  };
}
