// Reads the command line and starts one process.

import packageJson from '../../package.json' with { type: 'json' };
import type { Command } from '../commands.ts';
import { asFoveaError } from '../errors.ts';
import { eventStoreLimits } from '../limits/event-store.ts';
import type { StartSettings } from './memory-at-start.ts';

const { version } = packageJson;

/** They run for days; a stdio server starts for every window of an editor, as fast as it can. */
const services: readonly Command['kind'][] = ['platform', 'event-store', 'http', 'worker'];

/** Of the one that runs on small devices. */
const eventStoreMemory: StartSettings = {
  nodeFlags: [
    `--max-semi-space-size=${eventStoreLimits.mainSemiSpaceMegabytes}`,
    `--heap-growing-percent=${eventStoreLimits.heapGrowthPercent}`,
    '--expose-gc',
  ],
  environment: { MALLOC_ARENA_MAX: String(eventStoreLimits.allocatorArenasMax) },
};

try {
  await run(await commandOf(process.argv.slice(2)));
} catch (thrown) {
  const { message, hint, upstream } = asFoveaError(thrown);
  const said = upstream && `The service says: ${upstream.message.slice(0, 500)}`;
  for (const line of [`fovea: ${message}`, hint, said]) {
    // Text of others may contain control sequences of terminals.
    if (line !== undefined) process.stderr.write(`${line.replace(/\p{C}+/gu, ' ')}\n`);
  }
  process.exitCode = 2;
}

/** Hosts give no arguments, and what reads them is loaded for others alone. */
async function commandOf(argv: readonly string[]): Promise<Command> {
  if (argv.length === 0) return { kind: 'mcp' };
  return (await import('../command-line.ts')).readCommand(argv);
}

async function run(command: Command): Promise<void> {
  if (services.includes(command.kind)) {
    const { restartWithMemoryBounds } = await import('./memory-at-start.ts');
    restartWithMemoryBounds(command.kind === 'event-store' ? eventStoreMemory : undefined);
  }
  switch (command.kind) {
    case 'help':
      process.stdout.write((await import('../help-text.ts')).helpText);
      return;
    case 'version':
      process.stdout.write(`${version}\n`);
      return;
    case 'platform':
      return (await import('./platform.ts')).runPlatform(command);
    case 'event-store':
      return (await import('./event-store.ts')).runEventStore(command);
    case 'http':
      return (await import('./http.ts')).runHttp(command, version);
    case 'sign-in':
      return (await import('./sign-in.ts')).runSignIn(command);
    case 'sign-out':
      return (await import('./sign-out.ts')).runSignOut(command);
    case 'status':
      return (await import('./status.ts')).runStatus(command);
    case 'setup':
      return (await import('./setup.ts')).runSetup(command);
    case 'call':
      return (await import('./call.ts')).runCall(command, version);
    case 'tools':
      return (await import('./call.ts')).runTools(command);
    case 'open':
      return (await import('./open.ts')).runOpen(command);
    case 'doctor':
      return (await import('./doctor.ts')).runDoctor(command);
    case 'worker':
      return (await import('./worker.ts')).runWorker(command);
    case 'migrate':
      return (await import('./migrate.ts')).runMigrate(command);
    case 'trainer':
      return (await import('./trainer.ts')).runTrainer(command);
    case 'account':
      return (await import('./account.ts')).runAccount(command);
    case 'application':
      return (await import('./application.ts')).runApplication(command);
    case 'mcp':
      return (await import('./stdio.ts')).runStdio(version);
  }
}
