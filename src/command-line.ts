// Parses the command line: commands and their options.

import { parseArgs } from 'node:util';
import {
  type AccountAction,
  type AccountCommand,
  type Action,
  type ApplicationCommand,
  type ApplicationValues,
  type CallCommand,
  type Command,
  type HostName,
  hostNames,
  type MigrateCommand,
  type ServiceCommand,
  type SetupCommand,
  type StoredFiles,
  type TrainerSetupCommand,
} from './commands.ts';
import { toolProfiles } from './config.ts';
import { invalidArgument } from './errors.ts';
import { suggestSpelling } from './spelling-suggestion.ts';
import { pythonTrainers } from './trainer-names.ts';

/**
 * Reads the arguments after the script's name. Throws `invalid_input` with the nearest known name
 * for an unknown command or option.
 */
export function readCommand(argv: readonly string[]): Command {
  const { values, positionals } = parse(argv);
  const [command, ...words] = positionals;
  if (values.help || command === 'help') return { kind: 'help' };
  if (values.version) return { kind: 'version' };
  if (command === undefined) return withoutOptions(values);
  if (!isCommandName(command)) {
    throw invalidArgument(
      'command',
      `there is no "${command}"${hint(command, Object.keys(optionsOf))}`,
      'fovea --help lists the commands.',
    );
  }
  checkOptions(command, values);
  return commandOf(command, words, values);
}

const options = {
  help: { type: 'boolean', short: 'h' },
  version: { type: 'boolean', short: 'v' },
  host: { type: 'string' },
  port: { type: 'string' },
  data: { type: 'string' },
  profile: { type: 'string' },
  paste: { type: 'boolean' },
  email: { type: 'string' },
  workspace: { type: 'string', multiple: true },
  'sign-out': { type: 'boolean' },
  name: { type: 'string' },
  homepage: { type: 'string' },
  'redirect-uri': { type: 'string', multiple: true },
  auth: { type: 'string' },
  scope: { type: 'string', multiple: true },
  visibility: { type: 'string' },
  desktop: { type: 'boolean' },
  mcp: { type: 'boolean' },
  resource: { type: 'string' },
  all: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  undo: { type: 'boolean' },
  'tool-profile': { type: 'string' },
  files: { type: 'string', multiple: true },
  json: { type: 'boolean' },
  from: { type: 'string' },
  to: { type: 'string' },
  objects: { type: 'string' },
  'without-lost': { type: 'boolean' },
  python: { type: 'string' },
  'system-site-packages': { type: 'boolean' },
  lane: { type: 'string', multiple: true },
  stored: { type: 'string' },
  after: { type: 'string' },
} as const;

const serviceOptions = ['host', 'port', 'data'];

/** What each command takes; an option that would do nothing is refused. */
const optionsOf = {
  platform: serviceOptions,
  'event-store': serviceOptions,
  http: serviceOptions,
  worker: ['lane', 'data'],
  'sign-in': ['profile', 'paste'],
  'sign-out': ['profile'],
  status: ['profile'],
  setup: ['all', 'dry-run', 'undo', 'tool-profile', 'files'],
  doctor: ['json', 'stored', 'after', 'data'],
  call: ['json'],
  tools: ['json'],
  open: [],
  migrate: ['from', 'to', 'objects', 'without-lost'],
  trainer: ['python', 'system-site-packages'],
  account: ['email', 'workspace', 'sign-out', 'data'],
  application: [
    'name',
    'homepage',
    'redirect-uri',
    'auth',
    'scope',
    'visibility',
    'desktop',
    'mcp',
    'resource',
    'data',
  ],
} as const satisfies Record<string, readonly string[]>;

type CommandName = keyof typeof optionsOf;

type Values = ReturnType<typeof parse>['values'];

function isCommandName(name: string): name is CommandName {
  return Object.hasOwn(optionsOf, name);
}

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

function checkOptions(command: CommandName, values: Values): void {
  const taken: readonly string[] = optionsOf[command];
  for (const [option, value] of Object.entries(values)) {
    if (!taken.includes(option)) {
      const list = taken.map((name) => `--${name}`).join(', ');
      throw invalidArgument(
        `--${option}`,
        `is not an option of "fovea ${command}"`,
        taken.length === 0 ? 'It takes none.' : `It takes ${list}.`,
      );
    }
    if (value === '' || (Array.isArray(value) && value.includes(''))) {
      throw invalidArgument(`--${option}`, emptyWords[option] ?? 'must not be empty');
    }
  }
}

const emptyWords: Readonly<Record<string, string>> = {
  host: 'must be an address, for example 127.0.0.1',
  data: 'must be a folder',
  files: 'must be a folder',
  python: 'must be a program',
  profile: 'must be a name, for example default',
};

function commandOf(command: CommandName, words: readonly string[], values: Values): Command {
  switch (command) {
    case 'platform':
    case 'event-store':
    case 'http':
      takeWords(command, words, 0);
      return serviceCommand(command, values);
    case 'sign-in': {
      takeWords(command, words, 0);
      return { kind: command, profile: values.profile, paste: values.paste ?? false };
    }
    case 'sign-out':
    case 'status':
      takeWords(command, words, 0);
      return { kind: command, profile: values.profile };
    case 'setup':
      return setupCommand(words, values);
    case 'doctor':
      takeWords(command, words, 0);
      return { kind: command, json: values.json ?? false, stored: storedFiles(values) };
    case 'call':
      return callCommand(words, values);
    case 'tools':
      takeWords(command, words, 1);
      return { kind: command, name: words[0], json: values.json ?? false };
    case 'open':
      takeWords(command, words, 1);
      return { kind: command, what: words[0] };
    case 'worker':
      takeWords(command, words, 0);
      return { kind: command, lanes: values.lane ?? [], data: values.data };
    case 'migrate':
      return migrateCommand(words, values);
    case 'trainer':
      return trainerCommand(words, values);
    case 'account':
      return accountCommand(words, values);
    case 'application':
      return applicationCommand(words, values);
  }
}

/** Which stored files the doctor reads. */
function storedFiles({ stored, after, data }: Values): StoredFiles | undefined {
  if (stored === undefined) {
    const option = after === undefined ? '--data' : '--after';
    if (after === undefined && data === undefined) return undefined;
    throw invalidArgument(option, 'goes with --stored', 'For example: fovea doctor --stored all');
  }
  const count = Number(stored);
  if (stored !== 'all' && !(Number.isSafeInteger(count) && count > 0)) {
    const message = 'must be a whole number from 1, or all';
    throw invalidArgument('--stored', message, 'For example: fovea doctor --stored 1000');
  }
  if (after === undefined) return { count: stored === 'all' ? undefined : count, after, data };
  if (stored !== 'all') throw invalidArgument('--after', 'goes with --stored all');
  if (!/^[0-9a-f]{1,64}$/.test(after)) {
    throw invalidArgument(
      '--after',
      'must be the beginning of a hash, as the check before says it',
    );
  }
  return { count: undefined, after, data };
}

/** Refuses arguments that no command takes. */
function takeWords(command: string, words: readonly string[], count: number): void {
  const extra = words[count];
  if (extra === undefined) return;
  const message =
    count === 0 ? `takes one command; "${extra}" is one too many` : `"${extra}" is one too many`;
  throw invalidArgument(count === 0 ? 'command' : command, message);
}

function migrateCommand(words: readonly string[], values: Values): MigrateCommand {
  takeWords('migrate', words, 0);
  const { from, to, objects } = values;
  const missing = from === undefined ? '--from' : '--to';
  if (from === undefined || to === undefined) {
    const fix = 'For example: fovea migrate --from FOLDER --to postgres://user@host/database';
    throw invalidArgument(missing, 'must be given', fix);
  }
  return { kind: 'migrate', from, to, objects, withoutLost: values['without-lost'] ?? false };
}

const usualPorts = { platform: '8000', 'event-store': '8001', http: '8002' } as const;

function serviceCommand(kind: ServiceCommand['kind'], values: Values): ServiceCommand {
  const { host = '127.0.0.1', port = usualPorts[kind], data } = values;
  if (!/^\d{1,5}$/.test(port) || Number(port) > 65_535) {
    throw invalidArgument('--port', 'must be a whole number from 0 to 65535');
  }
  return { kind, host, port: Number(port), data };
}

function callCommand(words: readonly string[], values: Values): CallCommand {
  takeWords('call', words, 2);
  const [tool, input] = words;
  if (tool === undefined) {
    const fix = `For example: fovea call workspace_get, or fovea call projects_get '{"project": "cells"}'`;
    throw invalidArgument('call', 'needs the name of a tool', fix);
  }
  return { kind: 'call', tool, input, json: values.json ?? false };
}

function setupCommand(words: readonly string[], values: Values): SetupCommand {
  const { all = false, undo = false, 'tool-profile': profile, files = [] } = values;
  const hosts = words.map(readHost);
  if (all && hosts.length > 0)
    throw invalidArgument('--all', 'and names of hosts exclude each other');
  if (undo && profile !== undefined) {
    throw invalidArgument('--tool-profile', 'has no use with --undo');
  }
  if (undo && files.length > 0) throw invalidArgument('--files', 'has no use with --undo');
  const toolProfile = toolProfiles.find((known) => known === profile);
  if (toolProfile !== profile) {
    throw invalidArgument('--tool-profile', `must be one of ${toolProfiles.join(', ')}`);
  }
  return {
    kind: 'setup',
    hosts: [...new Set(hosts)],
    all,
    undo,
    toolProfile,
    files,
    dryRun: values['dry-run'] ?? false,
  };
}

function readHost(word: string): HostName {
  const name = hostNames.find((each) => each === word.toLowerCase());
  if (name !== undefined) return name;
  const near = hint(word, hostNames);
  throw invalidArgument(
    'setup',
    `knows no host "${word}"${near}`,
    `It knows ${hostNames.join(', ')}.`,
  );
}

function trainerCommand(words: readonly string[], values: Values): TrainerSetupCommand {
  const action = readAction('trainer', words, ['install', 'list'] as const);
  const word = readTarget(`trainer ${action}`, words, action === 'install', 'NAME');
  if (action === 'list') {
    refuseValues('trainer list', values, []);
    return { kind: 'trainer', action };
  }
  const name = pythonTrainers.find((known) => known === word);
  if (name === undefined) {
    const known = pythonTrainers.join(', ');
    throw invalidArgument('trainer install', `knows no "${word}"`, `It knows ${known}.`);
  }
  const systemSitePackages = values['system-site-packages'] ?? false;
  return { kind: 'trainer', action, name, python: values.python, systemSitePackages };
}

function accountCommand(words: readonly string[], values: Values): AccountCommand {
  const action = readAction('account', words, accountActions);
  const name = readTarget(`account ${action}`, words, action !== 'list', 'NAME');
  refuseValues(`account ${action}`, values, accountOptions[action]);
  const { email, workspace = [], data } = values;
  const signOut = values['sign-out'] ?? false;
  return { kind: 'account', action, name, email, workspaces: workspace, signOut, data };
}

function applicationCommand(words: readonly string[], values: Values): ApplicationCommand {
  const action = readAction('application', words, actions);
  const id = readTarget(`application ${action}`, words, action === 'remove', 'ID');
  if (action !== 'add') refuseValues(`application ${action}`, values, []);
  return { kind: 'application', action, id, values: applicationValues(values), data: values.data };
}

function applicationValues(values: Values): ApplicationValues {
  const { name, homepage, auth, visibility, resource } = values;
  return {
    ...(name !== undefined && { name }),
    ...(homepage !== undefined && { homepage }),
    redirectUris: values['redirect-uri'] ?? [],
    ...(auth !== undefined && { auth }),
    scopes: values.scope ?? [],
    ...(visibility !== undefined && { visibility }),
    desktop: values.desktop ?? false,
    mcp: values.mcp ?? false,
    ...(resource !== undefined && { resource }),
  };
}

const actions: readonly Action[] = ['add', 'list', 'remove'];
const accountActions: readonly AccountAction[] = [...actions, 'password'];

/** What each action takes beside the data folder. */
const accountOptions: Readonly<Record<AccountAction, readonly string[]>> = {
  add: ['email', 'workspace'],
  list: [],
  remove: [],
  password: ['sign-out'],
};

function readAction<Name extends string>(
  command: string,
  [word]: readonly string[],
  actions: readonly Name[],
): Name {
  const action = actions.find((name) => name === word);
  if (action !== undefined) return action;
  const found = word === undefined ? 'needs' : `"${word}" is none of`;
  throw invalidArgument(command, `${found} ${actions.join(', ')}${hint(word ?? '', actions)}`);
}

/** The word after the action, where it takes one. */
function readTarget(
  command: string,
  words: readonly string[],
  isTaken: boolean,
  what: string,
): string | undefined {
  takeWords(command, words, isTaken ? 2 : 1);
  if (!isTaken) return undefined;
  const target = words[1];
  if (!target) throw invalidArgument(command, `needs ${what}: fovea ${command} ${what}`);
  return target;
}

/** Only some actions have values of their own. */
function refuseValues(
  command: string,
  { data: _data, ...values }: Values,
  taken: readonly string[],
): void {
  const option = Object.keys(values).find((each) => !taken.includes(each));
  if (option !== undefined)
    throw invalidArgument(`--${option}`, `is not an option of "fovea ${command}"`);
}

function hint(name: string, known: readonly string[], prefix = ''): string {
  const near = suggestSpelling(name, known);
  return near === undefined ? '' : `; did you mean "${prefix}${near}"?`;
}
