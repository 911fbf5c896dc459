// Reads the command line and starts one process.

import { type Command, helpText, readCommand } from '../command-line.ts';
import { asFoveaError } from '../errors.ts';

/** Replaced by the real version when the release is built. */
const version = '0.1.0';

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
    case 'mcp':
      return (await import('./stdio.ts')).runStdio(version);
  }
}
