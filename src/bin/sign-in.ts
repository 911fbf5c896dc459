// `fovea sign-in`: signs a person in, with the browser.

import { createInterface } from 'node:readline';
import type { SignInCommand } from '../commands.ts';
import { asFoveaError, FoveaError, invalidArgument } from '../errors.ts';
import { recognised } from '../http-client/recognise-platform.ts';
import { limits } from '../limits.ts';
import { createLog } from '../log.ts';
import type { SignInFlow } from '../sign-in/sign-in-flow.ts';
import { openSignIn } from './open-sign-in.ts';
import { settingsOf } from './profile-settings.ts';

/**
 * Waits until the person has signed in. Throws the failure, and `conflict` where no sign-in is
 * needed.
 */
export async function runSignIn({ profile, paste }: SignInCommand): Promise<void> {
  const settings = await recognised(settingsOf(profile));
  if (settings.credentials === 'memory' && settings.baseUrl !== undefined) {
    throw invalidArgument(
      'FOVEA_CREDENTIALS',
      'is memory, so a sign-in would end with this command',
      'Let the assistant sign in (auth_sign_in), or set FOVEA_CREDENTIALS to auto.',
    );
  }
  const { flow, close } = openSignIn(settings, createLog(settings.logLevel), {
    listens: !paste,
  });
  try {
    const started = await flow.start();
    if (started.status === 'pending') {
      await (paste ? pasteAddress : useBrowser)(flow, started.authorizationUrl);
    } else if (started.why !== 'tokens') {
      throw noNeed[started.why];
    }
    const { workspaceUrl, store } = await flow.status();
    const already = started.status === 'pending' ? '' : ' already; fovea sign-out ends that';
    say(`Signed in${workspaceUrl ? ` to ${workspaceUrl}` : ''}${already}. Kept in: ${store}.`);
  } finally {
    await close();
  }
}

const noNeed = {
  api_key: new FoveaError('conflict', 'FOVEA_API_KEY is set, and is used in place of a sign-in.', {
    hint: 'Unset it to sign in.',
  }),
  embedded: new FoveaError('conflict', 'The embedded platform needs no sign-in.', {
    hint: 'Set FOVEA_BASE_URL to the service that you want to sign in to.',
  }),
};

async function useBrowser(flow: SignInFlow, address: string): Promise<void> {
  const lead = flow.openBrowser(address)
    ? 'The browser opens. If it does not, open this address on this machine:'
    : 'Open this address on this machine; elsewhere, use fovea sign-in --paste:';
  say(`${lead}\n\n  ${address}\n\nWaiting for you to sign in.`);
  await flow.finished(AbortSignal.timeout(limits.signInMsMax * 2));
}

async function pasteAddress(flow: SignInFlow, address: string): Promise<void> {
  say(
    `Open this address in a browser, on any machine, and sign in:\n\n  ${address}\n\n` +
      'The browser then fails to open a page of 127.0.0.1: that is as it should be.\n' +
      'Paste the whole address of that page here:',
  );
  const lines = createInterface({ input: process.stdin });
  try {
    await Promise.race([
      finishWithLine(flow, lines),
      flow.finished(AbortSignal.timeout(limits.signInMsMax * 2)),
    ]);
  } finally {
    lines.close();
  }
}

/** Asks again as long as an address is not that of this sign-in. */
async function finishWithLine(flow: SignInFlow, lines: AsyncIterable<string>): Promise<void> {
  for await (const line of lines) {
    if (line.trim() === '') continue;
    try {
      return await flow.finishWith(line);
    } catch (thrown) {
      const { code, message, hint = '' } = asFoveaError(thrown);
      if (code !== 'invalid_input') throw thrown;
      say(`${message}\n${hint}`);
    }
  }
  throw invalidArgument('address', 'is missing: stdin ended before it was pasted');
}

function say(text: string): void {
  process.stdout.write(`${text}\n`);
}
