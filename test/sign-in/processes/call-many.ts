// A process that calls the service many times at once, whenever a line says so, by the same parts
// as `fovea`. `fresh`: as if it had just started.

import { flushCompileCache } from 'node:module';
import { createInterface } from 'node:readline';
import {
  connectUpstreamServices,
  type UpstreamServices,
} from '../../../src/bin/upstream-services.ts';
import { readSettings } from '../../../src/config.ts';
import { workspace } from '../../../src/contract/workspace.ts';
import { asFoveaError } from '../../../src/errors.ts';
import { createLog } from '../../../src/log.ts';

interface Round {
  readonly calls: number;
  readonly fresh: boolean;
}

const settings = readSettings();
const open = () => connectUpstreamServices(settings, createLog('error'));
let services: UpstreamServices = open();

async function call(): Promise<string> {
  try {
    const client = await services.client();
    await client.call(workspace.workspace_whoami, {});
    return 'ok';
  } catch (thrown) {
    const { code, message } = asFoveaError(thrown);
    return `${code}: ${message}`;
  }
}

// Written at once for the others: a process that is killed would leave nothing.
flushCompileCache();
process.stdout.write('ready\n');
for await (const line of createInterface({ input: process.stdin })) {
  const { calls, fresh }: Round = JSON.parse(line);
  if (fresh) {
    await services.close();
    services = open();
  }
  const outcomes = await Promise.all(Array.from({ length: calls }, call));
  const failures = outcomes.filter((outcome) => outcome !== 'ok');
  const kinds = [...new Set(failures)];
  process.stdout.write(`${JSON.stringify({ ok: calls - failures.length, kinds })}\n`);
  // What the first calls loaded.
  flushCompileCache();
}
await services.close();
