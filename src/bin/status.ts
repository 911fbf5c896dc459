// `fovea status`: says who is signed in.

import { isoTime } from '../clock.ts';
import type { ProfileCommand } from '../commands.ts';
import { asFoveaError } from '../errors.ts';
import { limits } from '../limits.ts';
import { createLog } from '../log.ts';
import type { SignInFlow, SignInStatus } from '../sign-in/sign-in-flow.ts';
import { openSignIn } from './open-sign-in.ts';
import { settingsOf } from './profile-settings.ts';

/** Exit code 0: signed in; 1: not. Throws where the tokens cannot be read. */
export async function runStatus({ profile }: ProfileCommand): Promise<void> {
  const settings = settingsOf(profile);
  const { flow, tokens, close } = openSignIn(settings, createLog(settings.logLevel));
  try {
    const status = await flow.status();
    const rows = [
      ...rowsOf(status, await personOf(status, flow)),
      ['service', settings.baseUrl ?? 'this process'],
    ];
    const others = (await tokens.profiles()).filter((other) => other.profile !== settings.profile);
    const more = others.map((other) => [
      'other profile',
      [other.profile, other.workspaceUrl, other.issuer].join(' ').trim(),
    ]);
    for (const [name = '', value = ''] of [...rows, ...more]) {
      // Text from services and files may hold terminal escape sequences.
      process.stdout.write(`${name.padEnd(14)}${value.replaceAll(/\p{C}+/gu, ' ')}\n`);
    }
    if (status.status !== 'signed_in') process.exitCode = 1;
  } finally {
    await close();
  }
}

/** Undefined: nobody is signed in. The service tells the name: where it does not, that is said. */
async function personOf(
  { status, why }: SignInStatus,
  flow: SignInFlow,
): Promise<string | undefined> {
  if (status !== 'signed_in') return undefined;
  if (why === 'embedded') return 'whoever uses this machine';
  if (why === 'api_key') return 'nobody by name: FOVEA_API_KEY belongs to a workspace';
  try {
    const told = await flow.userinfo(AbortSignal.timeout(limits.doctorTimeoutMs));
    const words = [told.name, told.email].filter((claim) => typeof claim === 'string');
    return (
      words.join(', ') || (typeof told.sub === 'string' ? told.sub : 'the service tells no name')
    );
  } catch (thrown) {
    return `not known: ${asFoveaError(thrown).message}`;
  }
}

function rowsOf(status: SignInStatus, person?: string): readonly (readonly string[])[] {
  const { expiresAt, workspaceUrl, scopes, error } = status;
  return [
    ['status', status.status],
    ...(error === undefined ? [] : [['error', error]]),
    ...(person === undefined ? [] : [['person', person]]),
    ['profile', status.profile],
    ...(workspaceUrl === undefined ? [] : [['workspace', workspaceUrl]]),
    ...(expiresAt === undefined ? [] : [['token until', isoTime(expiresAt)]]),
    ...(scopes.length === 0 ? [] : [['scopes', scopes.join(' ')]]),
    ['store', status.store],
  ];
}
