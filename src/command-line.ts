// What the process was told on its command line.

import { parseArgs } from 'node:util';
import { FoveaError, invalidArgument } from './errors.ts';
import { nearest } from './nearest.ts';

/** A service over HTTP. */
export interface ServiceCommand {
  readonly kind: 'platform' | 'event-store';
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Data folder; undefined: the one of the settings. */
  readonly data: string | undefined;
}

export type Command =
  | { readonly kind: 'mcp' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | ServiceCommand;

export const helpText = `Usage: fovea [command] [options]

Without a command: serves the Model Context Protocol over stdin and stdout. A host starts it so.

Commands:
  platform    serves the embedded platform over HTTP
                --host ADDRESS   address to listen on (127.0.0.1)
                --port PORT      port, 0 for any free one (8000)
                --data FOLDER    where the data is kept (FOVEA_HOME)
  event-store serves the device Event Store over HTTP, with the same options (8001)

Options:
  --help      prints this text
  --version   prints the version

Settings come from FOVEA_… environment variables; the README lists them.
`;

/**
 * Reads the arguments after the script's name. Throws `invalid_input` with the nearest known name
 * for an unknown command or option, `not_implemented` for a command of a later release.
 */
export function readCommand(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  if (values.help) return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  const [command, ...more] = positionals;
  const [extra] = more;
  if (extra !== undefined) {
    throw invalidArgument('command', `takes one command; "${extra}" is one too many`);
  }
  if (command === undefined) return withoutOptions(values);
  if (command === 'platform') return serviceCommand('platform', '8000', values);
  if (command === 'event-store') return serviceCommand('event-store', '8001', values);
  if (laterCommands.includes(command)) {
    throw new FoveaError('not_implemented', `"fovea ${command}" is not in this release yet.`);
  }
  throw invalidArgument(
    'command',
    `there is no "${command}"${hint(command, ['platform', 'event-store', ...laterCommands])}`,
    'fovea --help lists the commands.',
  );
}

const laterCommands = ['http', 'sign-in', 'sign-out', 'status', 'doctor', 'setup'];

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  host: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string' },
} as const;

type Values = ReturnType<typeof parse>['values'];

function parse(argv: readonly string[]) {
  for (const argument of argv) {
    if (argument === '--') break;
    const option = /^--([^=]+)/.exec(argument)?.[1];
    if (option !== undefined && !Object.hasOwn(options, option)) {
      const near = hint(option, Object.keys(options), '--');
      throw invalidArgument(`--${option}`, `is not an option${near}`, 'fovea --help lists them.');
    }
  }
  try {
    return parseArgs({ args: [...argv], options, allowPositionals: true, strict: true });
  } catch (error) {
    const message = error instanceof Error ? error.message : 'cannot be read';
    throw invalidArgument('arguments', message, 'fovea --help lists the options.');
  }
}

function withoutOptions(values: Values): Command {
  const [option] = Object.keys(values);
  if (option === undefined) return { kind: 'mcp' };
  throw invalidArgument(`--${option}`, 'needs a command, for example: fovea platform --port 8000');
}

function serviceCommand(
  kind: ServiceCommand['kind'],
  usualPort: string,
  { host = '127.0.0.1', port = usualPort, data }: Values,
): ServiceCommand {
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw invalidArgument('--port', 'must be a whole number from 0 to 65535');
  }
  if (host === '') throw invalidArgument('--host', 'must be an address, for example 127.0.0.1');
  if (data === '') throw invalidArgument('--data', 'must be a folder');
  return { kind, host, port: Number(port), data };
}

function hint(name: string, known: readonly string[], prefix = ''): string {
  const near = nearest(name, known);
  return near === undefined ? '' : `; did you mean "${prefix}${near}"?`;
}
