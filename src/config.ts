// Settings from environment variables, validated. The only reader of the environment.

import { parseDatabaseUrl } from './database-url.ts';
import { invalidInput, type Problem } from './errors.ts';
import { limits } from './limits.ts';
import { isLogLevel, type LogLevel } from './log.ts';
import { defaultRoots, type Machine, pathOf, thisMachine } from './machine.ts';
import { loopbackProxies, parseProxies, type TrustedProxies } from './network/client-address.ts';
import { isLoopbackHost } from './network/loopback.ts';
import type { Proxies } from './network/proxies.ts';
import { readProxies } from './network/read-proxies.ts';
import {
  type ObjectImports,
  type ObjectStorageSettings,
  readObjectImports,
  readObjectStorageSettings,
} from './object-storage-settings.ts';
import type { Parser } from './parsed-setting.ts';
import { Secret } from './secret.ts';
import { pythonTrainers } from './trainer-names.ts';

/** The slug of the workspace of a platform on this machine, where no setting names one. */
export const localWorkspace = 'local';

/** What the variables say, checked. docs/settings.md has the table. */
export interface Settings {
  readonly baseUrl: string | undefined;
  /** Whether the platform at `baseUrl` said that it is one of ours: see `recognised`. */
  readonly isOurs?: boolean | undefined;
  /** The authorization server; undefined: at the base URL. */
  readonly authUrl: string | undefined;
  readonly clientId: string | undefined;
  readonly clientSecret: Secret | undefined;
  readonly clientAuth: ClientAuthentication;
  /** The port of the callback on 127.0.0.1. */
  readonly redirectPort: number;
  /** What a sign-in asks for; undefined: what the offered tools need. */
  readonly scopes: readonly string[] | undefined;
  /** Whether no browser is to be opened here. */
  readonly noBrowser: boolean;
  /** Where tokens are kept. */
  readonly credentials: CredentialsPlace;
  /** One sign-in of several: an issuer, a client, a workspace. */
  readonly profile: string;
  /** The origin by which others reach a service of ours, behind a proxy. */
  readonly publicUrl: string | undefined;
  /** Proxies whose word on the address of a client is taken. */
  readonly trustedProxies: TrustedProxies;
  readonly deviceUrl: string | undefined;
  readonly deviceApiKey: Secret | undefined;
  readonly apiKey: Secret | undefined;
  /** The PostgreSQL database of datasets and sign-in data; undefined: the data folder has them. */
  readonly databaseUrl: Secret | undefined;
  /** Who brings it may read `/metrics` of a platform. */
  readonly metricsToken: Secret | undefined;
  /** The object store that keeps the files of datasets; undefined: the data folder does. */
  readonly objects: ObjectStorageSettings | undefined;
  /** Days that a platform keeps vision events; undefined: for good. */
  readonly visionEventDays: number | undefined;
  /** What imports of a platform may read of an object store. */
  readonly objectImports: ObjectImports;
  /** Whether a platform takes background tasks itself; else workers do. */
  readonly takesTasks: boolean;
  readonly workspace: string | undefined;
  readonly project: string | undefined;
  /** Data folder, absolute. */
  readonly home: string;
  /** Folders that tools may read and write, absolute; empty: none. */
  readonly fileRoots: readonly string[];
  /** Toolsets whose tools are offered; undefined: all. */
  readonly toolsets: readonly string[] | undefined;
  /** Whether only tools that read are offered. */
  readonly readOnly: boolean;
  /** `compact`: the dozen that most work needs, and four that reach all others. */
  readonly toolProfile: ToolProfile;
  /** For so long an equal call gets the first result in place of a second run; 0: never. */
  readonly repeatWindowSeconds: number;
  readonly timeoutMs: number;
  /** The plan cap of the embedded platform for `augmentation.image.versions`. */
  readonly versionMultiplierMax: number;
  /** An ONNX detection model that labels, absolute path; the embedded platform runs it. */
  readonly model: string | undefined;
  /** A folder with an image and a text encoder, absolute path; the embedded platform runs them. */
  readonly embedder: string | undefined;
  /** Absolute path of the training program, or `example` for the built-in one. */
  readonly trainer: string | undefined;
  /** Calls per minute and credential of the embedded platform; 0: as many as come. */
  readonly rateLimit: number | undefined;
  /** Where models run that are deployed on a hosted platform. */
  readonly serverlessUrl: string | undefined;
  /** Through which others are reached; undefined: everything is reached directly. */
  readonly proxies: Proxies | undefined;
  readonly logLevel: LogLevel;
}

/** RFC 6749 section 2.3.1, and public clients. */
export type ClientAuthentication = 'client_secret_post' | 'client_secret_basic' | 'none';

export const toolProfiles = ['default', 'full', 'compact'] as const;

export type ToolProfile = (typeof toolProfiles)[number];

export type CredentialsPlace = 'auto' | 'keychain' | 'file' | 'memory';

export type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads all variables. A variable that is empty, or an unfilled `${field}` of a bundle, is unset.
 * Throws `invalid_input` with every bad variable at once, each named with what would be right.
 */
export function readSettings(
  environment: Environment = process.env,
  machine: Machine = thisMachine(),
): Settings {
  const { settings, problems } = surveySettings(environment, machine);
  if (problems.length > 0) throw badVariables(problems);
  return settings;
}

/** The place that a command names in place of FOVEA_OBJECTS_URL. Throws as `readSettings`. */
export function objectStorageAt(url: string): ObjectStorageSettings | undefined {
  const reader = createReader({ ...process.env, FOVEA_OBJECTS_URL: url });
  const place = readObjectStorageSettings(reader);
  reader.finish();
  return place;
}

/** On the embedded platform the workspace is known, so no call has to name it. */
export function withWorkspace(settings: Settings): Settings {
  const isEmbedded = settings.baseUrl === undefined;
  return isEmbedded ? { ...settings, workspace: settings.workspace ?? localWorkspace } : settings;
}

/** Whether the platform has the operations that only ours have: it is embedded, or known as one. */
export function hasOwnOperations({ baseUrl, isOurs }: Partial<Settings>): boolean {
  return baseUrl === undefined || isOurs === true;
}

/** The settings, with the default in place of each bad one, and what is to be said of them. */
export interface SettingsSurvey {
  readonly settings: Settings;
  /** By variable, what would be right. */
  readonly problems: readonly Problem[];
  /** The variables that say something. */
  readonly given: readonly string[];
  /** Variables with the prefix FOVEA_ that are read, and those that are set but unknown. */
  readonly known: readonly string[];
  readonly unread: readonly string[];
}

/** Throws nothing. */
export function surveySettings(
  environment: Environment = process.env,
  machine: Machine = thisMachine(),
): SettingsSurvey {
  const reader = createReader(environment);
  const settings = readAll(reader, environment, machine);
  const known = [...reader.known].filter((variable) => /^FOVEA_/.test(variable));
  const set = known.filter((variable) => given(environment, variable) !== undefined);
  // Windows does not tell small letters of a variable from capital ones.
  const isAnyCase = machine.platform === 'win32';
  const unread = Object.keys(environment)
    .filter((variable) => /^FOVEA_/i.test(variable))
    .filter((variable) => !known.includes(isAnyCase ? variable.toUpperCase() : variable));
  return { settings, problems: reader.problems, given: set, known, unread };
}

function readAll(
  reader: ReturnType<typeof createReader>,
  environment: Environment,
  machine: Machine,
): Settings {
  const objects = readObjectStorageSettings(reader);
  return {
    baseUrl: reader.read('FOVEA_BASE_URL', url, undefined),
    ...readSignIn(reader, environment, machine),
    deviceUrl: reader.read('FOVEA_DEVICE_URL', url, undefined),
    deviceApiKey: reader.read('FOVEA_DEVICE_API_KEY', secret, undefined),
    apiKey: reader.read('FOVEA_API_KEY', secret, undefined),
    databaseUrl: reader.read('FOVEA_DATABASE_URL', parseDatabaseUrl, undefined),
    objects,
    objectImports: readObjectImports(reader, objects),
    metricsToken: reader.read('FOVEA_METRICS_TOKEN', secret, undefined),
    visionEventDays: reader.read('FOVEA_VISION_EVENT_DAYS', days, undefined),
    takesTasks: reader.read('FOVEA_TASKS', yesOrNo, true),
    workspace: reader.read('FOVEA_WORKSPACE', name, undefined),
    project: reader.read('FOVEA_PROJECT', name, undefined),
    home: reader.read('FOVEA_HOME', folder(machine), defaultHome(environment, machine)),
    fileRoots: reader.read('FOVEA_FILE_ROOTS', folders(machine), defaultRoots(machine)),
    toolsets: reader.read('FOVEA_TOOLSETS', words, undefined),
    readOnly: reader.read('FOVEA_READ_ONLY', yesOrNo, false),
    toolProfile: reader.read('FOVEA_TOOL_PROFILE', toolProfile, 'default'),
    repeatWindowSeconds: reader.read(
      'FOVEA_REPEAT_WINDOW_SECONDS',
      repeatSeconds,
      limits.repeatWindowSeconds,
    ),
    timeoutMs: reader.read('FOVEA_TIMEOUT_MS', milliseconds, limits.callTimeoutMs),
    versionMultiplierMax: reader.read(
      'FOVEA_VERSION_MULTIPLIER_MAX',
      multiplier,
      limits.versionMultiplierMax,
    ),
    model: reader.read('FOVEA_MODEL', folder(machine), undefined),
    embedder: reader.read('FOVEA_EMBEDDER', folder(machine), undefined),
    trainer: reader.read('FOVEA_TRAINER', trainer(machine), undefined),
    rateLimit: reader.read('FOVEA_RATE_LIMIT', callsPerMinute, undefined),
    serverlessUrl: reader.read('FOVEA_SERVERLESS_URL', url, undefined),
    proxies: readProxies(reader),
    logLevel: reader.read('FOVEA_LOG', logLevel, 'warn'),
  };
}

type SignInSettings = Pick<
  Settings,
  | ('authUrl' | 'clientId' | 'clientSecret' | 'clientAuth' | 'redirectPort' | 'scopes')
  | ('noBrowser' | 'credentials' | 'profile' | 'publicUrl' | 'trustedProxies')
>;

function readSignIn(
  reader: ReturnType<typeof createReader>,
  environment: Environment,
  machine: Machine,
): SignInSettings {
  const clientSecret = reader.read('FOVEA_CLIENT_SECRET', secret, undefined);
  const clientAuth = reader.read(
    'FOVEA_CLIENT_AUTH',
    clientAuthentication,
    clientSecret === undefined ? 'none' : 'client_secret_post',
  );
  if (clientSecret === undefined && clientAuth !== 'none') {
    reader.refuse('FOVEA_CLIENT_SECRET', `is missing, and ${clientAuth} needs one`);
  }
  if (clientSecret !== undefined && clientAuth === 'none') {
    reader.refuse('FOVEA_CLIENT_AUTH', 'must not be none where FOVEA_CLIENT_SECRET is set');
  }
  const publicUrl = reader.read('FOVEA_PUBLIC_URL', origin, undefined);
  const proxies = publicUrl?.startsWith('https:') ? loopbackProxies : [];
  return {
    clientSecret,
    clientAuth,
    publicUrl,
    authUrl: reader.read('FOVEA_AUTH_URL', url, undefined),
    clientId: reader.read('FOVEA_CLIENT_ID', clientId, undefined),
    redirectPort: reader.read('FOVEA_REDIRECT_PORT', port, 8976),
    scopes: reader.read('FOVEA_SCOPES', scopeList, undefined),
    noBrowser: reader.read('FOVEA_NO_BROWSER', yesOrNo, hasNoScreen(environment, machine)),
    credentials: reader.read('FOVEA_CREDENTIALS', credentialsPlace, 'auto'),
    profile: reader.read('FOVEA_PROFILE', profileName, 'default'),
    trustedProxies: reader.read('FOVEA_TRUSTED_PROXIES', parseProxies, proxies),
  };
}

/** Over SSH a browser would open on the wrong machine; without a display, none would. */
function hasNoScreen(environment: Environment, { platform }: Machine): boolean {
  const isSet = (variable: string) => given(environment, variable) !== undefined;
  if (isSet('SSH_CONNECTION') || isSet('SSH_TTY')) return true;
  return platform === 'linux' && !isSet('DISPLAY') && !isSet('WAYLAND_DISPLAY');
}

/** Reads variables one by one; `finish` throws `invalid_input` with all bad ones at once. */
export function createReader(environment: Environment = process.env) {
  const problems: Problem[] = [];
  const known = new Set<string>();
  return {
    environment,
    problems,
    /** All variables that were read, whether they are set or not. */
    known,
    read<Value, Default>(variable: string, parse: Parser<Value>, otherwise: Default) {
      known.add(variable);
      const text = given(environment, variable);
      if (text === undefined) return otherwise;
      const parsed = parse(text);
      if ('value' in parsed) return parsed.value;
      problems.push({ path: variable, message: parsed.wrong });
      return otherwise;
    },
    refuse(variable: string, wrong: string) {
      problems.push({ path: variable, message: wrong });
    },
    /** For a variable that is set and says nothing; an empty one is not set. */
    refuseBlank(variable: string, wrong: string) {
      const isBlank = given(environment, variable) === undefined;
      if (environment[variable] && isBlank) problems.push({ path: variable, message: wrong });
    },
    finish() {
      if (problems.length > 0) throw badVariables(problems);
    },
  };
}

function badVariables(problems: readonly Problem[]) {
  return invalidInput(problems, 'Correct the environment variables.');
}

/** Hosts pass the literal `${user_config.x}` when a field of a bundle was left blank. */
function given(environment: Environment, variable: string): string | undefined {
  const text = environment[variable]?.trim();
  return !text || /^\$\{[^}]*\}$/.test(text) ? undefined : text;
}

export const url: Parser<string> = (text) => {
  const parsed = URL.parse(text);
  if (!parsed || !/^https?:$/.test(parsed.protocol)) {
    return { wrong: 'must be an http or https URL, for example https://api.example.com' };
  }
  if (parsed.username || parsed.password) {
    return { wrong: 'must not carry a user name or password; FOVEA_API_KEY is for the key' };
  }
  if (parsed.search || parsed.hash) return { wrong: 'must end with the path: no "?" and no "#"' };
  if (parsed.protocol === 'http:' && !isLoopbackHost(parsed.hostname)) {
    return { wrong: 'must be https; plain http is accepted for 127.0.0.1 and localhost only' };
  }
  return { value: parsed.href.replace(/\/+$/, '') };
};

/** Others find what we offer at paths below its root (RFC 8414 section 3, RFC 9728 section 3.1). */
const origin: Parser<string> = (text) => {
  const parsed = url(text);
  if ('wrong' in parsed || new URL(parsed.value).pathname === '/') return parsed;
  return { wrong: 'must have no path, for example https://fovea.example.org' };
};

/** A key goes into a header, where blanks and control characters do not belong. */
export const secret: Parser<Secret> = (text) =>
  /^[\x21-\x7e]+$/.test(text)
    ? { value: new Secret(text) }
    : { wrong: 'must be a key of printable ASCII characters without blanks' };

const name: Parser<string> = (text) =>
  /^[^\s?#%\\]{1,200}$/.test(text)
    ? { value: text }
    : { wrong: 'must be a slug, for example "my-project"' };

const words: Parser<readonly string[]> = (text) => {
  const list = text.split(',').map((word) => word.trim());
  return list.every((word) => /^[a-z_]+$/.test(word))
    ? { value: list }
    : { wrong: 'must be toolset names separated by commas, for example "projects,images"' };
};

const clientId: Parser<string> = (text) =>
  /^[\x21-\x7e]{1,500}$/.test(text)
    ? { value: text }
    : { wrong: 'must be a client identifier of printable ASCII characters without blanks' };

const clientAuthentication: Parser<ClientAuthentication> = (text) =>
  text === 'client_secret_post' || text === 'client_secret_basic' || text === 'none'
    ? { value: text }
    : { wrong: 'must be client_secret_post, client_secret_basic or none' };

const credentialsPlace: Parser<CredentialsPlace> = (text) =>
  text === 'auto' || text === 'keychain' || text === 'file' || text === 'memory'
    ? { value: text }
    : { wrong: 'must be auto, keychain, file or memory' };

/** RFC 6749 section 3.3: separated by blanks; commas are forgiven. */
const scopeList: Parser<readonly string[]> = (text) => {
  const list = text.split(/[\s,]+/);
  return list.every((scope) => /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope))
    ? { value: [...new Set(list)] }
    : { wrong: 'must be scopes separated by blanks, for example "openid project:read"' };
};

const port: Parser<number> = (text) =>
  /^[1-9]\d{0,4}$/.test(text) && Number(text) <= 65_535
    ? { value: Number(text) }
    : { wrong: 'must be a whole number from 1 to 65535' };

/** Also the name of a file and of an entry in the keychain. */
export const profileName: Parser<string> = (text) =>
  /^[a-z0-9][a-z0-9-]{0,39}$/.test(text)
    ? { value: text }
    : { wrong: 'must be up to 40 small letters, digits and hyphens' };

export const yesOrNo: Parser<boolean> = (text) => {
  if (/^(1|true|yes|on)$/i.test(text)) return { value: true };
  if (/^(0|false|no|off)$/i.test(text)) return { value: false };
  return { wrong: 'must be 1 or 0' };
};

const multiplier: Parser<number> = (text) =>
  /^[1-9]\d{0,3}$/.test(text)
    ? { value: Number(text) }
    : { wrong: 'must be a whole number from 1 to 9999' };

const callsPerMinute: Parser<number> = (text) =>
  /^\d{1,7}$/.test(text)
    ? { value: Number(text) }
    : { wrong: 'must be a whole number of calls per minute; 0 for no limit' };

const days: Parser<number> = (text) =>
  /^[1-9]\d{0,3}$/.test(text)
    ? { value: Number(text) }
    : { wrong: 'must be a whole number of days from 1 to 9999' };

function trainer(machine: Machine): Parser<string> {
  return (text) => {
    const names: readonly string[] = pythonTrainers;
    if (names.includes(text)) return { value: text };
    const path = folder(machine)(text);
    const words = names.map((name) => `"${name}"`).join(', ');
    return 'value' in path ? path : { wrong: `must be ${words}, or a program: ${absolutePath}` };
  };
}

const milliseconds: Parser<number> = (text) => {
  const value = /^\d{1,8}$/.test(text) ? Number(text) : 0;
  return value >= 100 && value <= limits.callTimeoutMsMax
    ? { value }
    : { wrong: `must be a whole number from 100 to ${limits.callTimeoutMsMax}` };
};

const toolProfile: Parser<ToolProfile> = (text) => {
  const value = toolProfiles.find((profile) => profile === text);
  return value === undefined ? { wrong: 'must be default, full or compact' } : { value };
};

const repeatSeconds: Parser<number> = (text) =>
  /^\d{1,5}$/.test(text) && Number(text) <= limits.repeatWindowSecondsMax
    ? { value: Number(text) }
    : { wrong: `must be a whole number of seconds from 0 to ${limits.repeatWindowSecondsMax}` };

const logLevel: Parser<LogLevel> = (text) =>
  isLogLevel(text) ? { value: text } : { wrong: 'must be error, warn, info or debug' };

const absolutePath = 'an absolute path ("~" is not expanded)';
const absolute = `must be ${absolutePath}`;

/** An absolute path in the spelling of the machine. */
export function folder(machine: Machine): Parser<string> {
  const path = pathOf(machine);
  return (text) => (path.isAbsolute(text) ? { value: path.resolve(text) } : { wrong: absolute });
}

/** Absolute paths, separated as in PATH. */
export function folders(machine: Machine): Parser<readonly string[]> {
  const path = pathOf(machine);
  return (text) => {
    const list = text.split(path.delimiter).filter((part) => part !== '');
    return list.every((part) => path.isAbsolute(part))
      ? { value: list.map((part) => path.resolve(part)) }
      : { wrong: `${absolute}, several separated by "${path.delimiter}"` };
  };
}

function defaultHome(environment: Environment, machine: Machine): string {
  const path = pathOf(machine);
  const at = machine.homeFolder;
  if (machine.platform === 'darwin') return path.join(at, 'Library/Application Support/Fovea');
  if (machine.platform === 'win32') {
    return path.join(given(environment, 'LOCALAPPDATA') ?? path.join(at, 'AppData/Local'), 'Fovea');
  }
  const data = given(environment, 'XDG_DATA_HOME');
  // The XDG specification: a relative path is to be ignored.
  return path.join(data && path.isAbsolute(data) ? data : path.join(at, '.local/share'), 'fovea');
}
