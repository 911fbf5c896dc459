// `fovea status`: says who is signed in.

import { isoTime } from '../clock.ts';
import type { ProfileCommand } from '../commands.ts';
import { createLog } from '../log.ts';
import type { SignInStatus } from '../sign-in/sign-in-flow.ts';
import { openSignIn } from './open-sign-in.ts';
import { settingsOf } from './profile-settings.ts';

/** Exit code 0: signed in; 1: not. Throws where the tokens cannot be read. */
export async function runStatus({ profile }: ProfileCommand): Promise<void> {
  const settings = settingsOf(profile);
  const { flow, tokens, close } = openSignIn(settings, createLog(settings.logLevel));
  try {
    const status = await flow.status();
    const rows = [...rowsOf(status), ['service', settings.baseUrl ?? 'this process']];
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

function rowsOf(status: SignInStatus): readonly (readonly string[])[] {
  const { expiresAt, workspaceUrl, scopes, error } = status;
  return [
    ['status', status.status],
    ...(error === undefined ? [] : [['error', error]]),
    ['profile', status.profile],
    ...(workspaceUrl === undefined ? [] : [['workspace', workspaceUrl]]),
    ...(expiresAt === undefined ? [] : [['token until', isoTime(expiresAt)]]),
    ...(scopes.length === 0 ? [] : [['scopes', scopes.join(' ')]]),
    ['store', status.store],
  ];
}
