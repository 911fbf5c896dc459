// `fovea sign-out`: revokes and forgets a sign-in.

import type { ProfileCommand } from '../commands.ts';
import { createLog } from '../log.ts';
import { openSignIn } from './open-sign-in.ts';
import { settingsOf } from './profile-settings.ts';

/** Reports tokens that could not be revoked. Throws where the tokens cannot be read. */
export async function runSignOut({ profile }: ProfileCommand): Promise<void> {
  const settings = settingsOf(profile);
  const { flow, close } = openSignIn(settings, createLog(settings.logLevel));
  try {
    const { revoked, wasSignedIn } = await flow.signOut();
    process.stdout.write(`${wordsFor(wasSignedIn, revoked, settings.profile)}\n`);
    if (settings.apiKey !== undefined) {
      process.stdout.write('FOVEA_API_KEY is still set, and still in use.\n');
    }
  } finally {
    await close();
  }
}

function wordsFor(wasSignedIn: boolean, revoked: boolean, profile: string): string {
  if (!wasSignedIn) return `Nobody was signed in (profile ${profile}).`;
  return revoked
    ? 'Signed out. The service has revoked the tokens.'
    : 'Signed out on this machine. The service did not revoke the tokens: they end by themselves.';
}
