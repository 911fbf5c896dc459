// Checks of the environment variables: valid, invalid and unknown ones, and the checks that wait
// for a correction.

import type { Settings } from '../../src/config.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { asGiven } from '../format.ts';
import type { Finding } from './check.ts';

export async function checkSettings({ machine, settings }: ToolContext): Promise<Finding> {
  const { problems, given, unread } = await (await machine()).variables();
  const bad = problems.map(({ path }) => path);
  const good = given.filter((variable) => !bad.includes(variable));
  const set =
    good.length > 0
      ? `Set: ${good.map((variable) => shown(variable, settings)).join(', ')}.`
      : 'The defaults are in force.';
  const nobody =
    unread.length > 0
      ? ` Read by nobody: ${unread.map(({ variable }) => asGiven(variable)).join(', ')}.`
      : '';
  const wrong = problems.map(({ path, message }) => ` ${path}: ${message}.`).join('');
  const fixes = [
    ...(problems.length > 0 ? ['Correct the environment variables.'] : []),
    // A name unlike ours may belong to another program; a similar one is a typing error.
    ...unread.flatMap(({ variable, near }) =>
      near === undefined ? [] : [`Write ${near} in place of ${asGiven(variable)}.`],
    ),
  ];
  const detail = `${set}${nobody}${wrong}`;
  return fixes.length > 0 ? { ok: false, detail, fix: fixes.join(' ') } : { ok: true, detail };
}

/** Of the rest only the name: a value may be a secret, or nothing for a transcript. */
const harmless: Readonly<Record<string, keyof Settings>> = {
  FOVEA_CLIENT_AUTH: 'clientAuth',
  FOVEA_CREDENTIALS: 'credentials',
  FOVEA_LOG: 'logLevel',
  FOVEA_NO_BROWSER: 'noBrowser',
  FOVEA_RATE_LIMIT: 'rateLimit',
  FOVEA_READ_ONLY: 'readOnly',
  FOVEA_REDIRECT_PORT: 'redirectPort',
  FOVEA_REPEAT_WINDOW_SECONDS: 'repeatWindowSeconds',
  FOVEA_TOOL_PROFILE: 'toolProfile',
  FOVEA_TIMEOUT_MS: 'timeoutMs',
  FOVEA_TOOLSETS: 'toolsets',
  FOVEA_VERSION_MULTIPLIER_MAX: 'versionMultiplierMax',
};

function shown(variable: string, settings: Settings): string {
  const member = harmless[variable];
  return member === undefined ? variable : `${variable}=${settings[member]}`;
}

const ofSignIn = ['keychain', 'sign-in', 'scopes', 'platform'];

/** The checks that depend on a variable: with its default their findings would mislead. */
const decided: Readonly<Record<string, readonly string[]>> = {
  FOVEA_API_KEY: ofSignIn,
  FOVEA_AUTH_URL: ofSignIn,
  FOVEA_BASE_URL: [...ofSignIn, 'clock', 'network', 'model', 'embedder', 'trainer'],
  FOVEA_CLIENT_AUTH: ofSignIn,
  FOVEA_CLIENT_ID: ofSignIn,
  FOVEA_CLIENT_SECRET: ofSignIn,
  FOVEA_CREDENTIALS: ofSignIn,
  FOVEA_DEVICE_API_KEY: ['event store'],
  FOVEA_DEVICE_URL: ['event store'],
  FOVEA_EMBEDDER: ['embedder', 'platform'],
  FOVEA_FILE_ROOTS: ['file roots'],
  FOVEA_HOME: ['data folder', 'keychain', 'sign-in', 'scopes', 'platform', 'event store', 'stores'],
  FOVEA_MODEL: ['model', 'platform'],
  FOVEA_OBJECTS_URL: ['platform'],
  FOVEA_PROFILE: ofSignIn,
  FOVEA_READ_ONLY: ['scopes', 'tool profile'],
  FOVEA_SCOPES: ofSignIn,
  FOVEA_TOOL_PROFILE: ['tool profile'],
  FOVEA_TOOLSETS: ['scopes', 'tool profile'],
  FOVEA_TRAINER: ['trainer', 'platform'],
  FOVEA_WORKSPACE: ['platform'],
};

/** The checks that wait for a correction, each with the variable that is wrong. */
export async function waiting({ machine }: ToolContext): Promise<ReadonlyMap<string, string>> {
  const { problems } = await (await machine()).variables();
  return new Map(
    problems.flatMap(({ path }) => (decided[path] ?? []).map((check) => [check, path] as const)),
  );
}
