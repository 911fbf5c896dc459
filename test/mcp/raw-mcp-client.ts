// A host of 2026-07-28 by raw messages: what its request declares is the test's to choose. The
// package's own client refuses results that are tasks.

import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { entryUnderTest } from '../fixtures/under-test.ts';
import type { Message } from './raw-server.ts';
import { startServer } from './raw-stdio.ts';

export const tasks = { extensions: { 'io.modelcontextprotocol/tasks': {} } };

export interface ModernHost {
  /** A folder below the file roots, with the data folder. */
  readonly folder: string;
  /** Sends a request, with what it declares, and gives the whole answer. */
  send(method: string, params: object, declared?: object): Promise<Message>;
  call(tool: string, args: object, declared?: object): Promise<Message>;
  /** Ends the process as a host does. */
  end(): Promise<void>;
  /** And removes its folder. */
  close(): Promise<void>;
}

/** For one test: starts Fovea, in the folder of an earlier one where that is given. */
export async function launchModernHost(
  settings: Record<string, string> = {},
  earlier?: string,
): Promise<ModernHost> {
  const host = await startModernHost(settings, earlier);
  onTestFinished(earlier === undefined ? host.close : host.end);
  return host;
}

/** For many tests: whoever starts it closes it. */
export async function startModernHost(
  settings: Record<string, string> = {},
  earlier?: string,
): Promise<ModernHost> {
  const folder = earlier ?? (await realpath(await mkdtemp(join(tmpdir(), 'fovea-modern-'))));
  const server = startServer(
    {
      HOME: folder,
      FOVEA_HOME: join(folder, 'home'),
      FOVEA_FILE_ROOTS: `${resolve('.')}:${folder}`,
      ...settings,
    },
    entryUnderTest(),
  );
  let id = 0;
  const send: ModernHost['send'] = (method, params, declared = {}) => {
    id += 1;
    const _meta = {
      'io.modelcontextprotocol/protocolVersion': '2026-07-28',
      'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
      'io.modelcontextprotocol/clientCapabilities': declared,
    };
    server.send({ id, method, params: { ...params, _meta } });
    return server.answer(id);
  };
  const end = async () => {
    server.endInput();
    await server.exited();
  };
  const close = async () => {
    await end();
    await rm(folder, { recursive: true, force: true });
  };
  return {
    folder,
    send,
    end,
    close,
    call: (name, args, declared) => send('tools/call', { name, arguments: args }, declared),
  };
}
