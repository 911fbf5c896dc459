// Reads the command line and starts one process.

import packageJson from '../../package.json' with { type: 'json' };
import { type Command, helpText, readCommand } from '../command-line.ts';
import { asFoveaError } from '../errors.ts';

const { version } = packageJson;

try {
  await run(readCommand(process.argv.slice(2)));
} catch (thrown) {
  const { message, hint } = asFoveaError(thrown);
  process.stderr.write(`fovea: ${message}\n${hint === undefined ? '' : `${hint}\n`}`);
  process.exitCode = 2;
}

async function run(command: Command): Promise<void> {
  switch (command.kind) {
    case 'help':
      process.stdout.write(helpText);
      return;
    case 'version':
      process.stdout.write(`${version}\n`);
      return;
    case 'platform':
      return (await import('./platform.ts')).runPlatform(command);
    case 'event-store':
      return (await import('./event-store.ts')).runEventStore(command);
    case 'mcp':
      return (await import('./stdio.ts')).runStdio(version);
  }
}
