// A connection to Fovea over stdio that calls tools with every tool profile.

import { Client } from '@modelcontextprotocol/client';
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio';
import { entryUnderTest, nodeUnderTest } from '../../test/fixtures/under-test.ts';
import list from '../../tools/list.json' with { type: 'json' };
import type { CallTool } from './job.ts';

export interface Connection {
  readonly call: CallTool;
  close(): Promise<void>;
}

export interface Launch {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
}

/** Fovea with settings of ours. */
export function launchOf(settings: Readonly<Record<string, string>>): Launch {
  const { PATH = '', HOME = '' } = process.env;
  return {
    command: nodeUnderTest,
    args: [entryUnderTest()],
    env: { PATH, HOME, ...settings },
  };
}

export async function connect(settings: Readonly<Record<string, string>>): Promise<Connection> {
  return connectTo(launchOf(settings));
}

/** A tool that is not listed is called through the one of its effect. */
export async function connectTo({ command, args, env }: Launch): Promise<Connection> {
  const client = new Client({ name: 'fovea-evals', version: '1.0.0' });
  await client.connect(
    new StdioClientTransport({ command, args: [...args], env: { ...env }, stderr: 'inherit' }),
  );
  const listed = new Set((await client.listTools()).tools.map(({ name }) => name));
  return {
    call: async (name, facts = {}) => {
      const call = listed.has(name)
        ? { name, arguments: facts }
        : { name: gateOf(name), arguments: { operation: name, arguments: facts } };
      const { isError, content, structuredContent } = await client.callTool(call);
      if (isError) throw new Error(`${name}: ${JSON.stringify(content)}`);
      return Object.fromEntries(Object.entries(structuredContent ?? {}));
    },
    close: () => client.close(),
  };
}

const gates = new Map([
  ['reads', 'operations_read'],
  ['adds', 'operations_write'],
  ['changes', 'operations_write'],
  ['removes', 'operations_delete'],
]);

function gateOf(name: string): string {
  const effect = list.find((tool) => tool.name === name)?.effect ?? '';
  return gates.get(effect) ?? name;
}
