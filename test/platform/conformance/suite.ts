// The conformance suite of the platform. It puts its projects into the trash at the end of a
// profile.

import { runChecks } from '../../conformance/check.ts';
import { readStatements } from '../../conformance/statements.ts';
import type { ConformanceSuite } from '../../conformance/suite.ts';
import type { Context, SignIn } from './check.ts';
import { checks } from './checks/index.ts';
import { createClient } from './client.ts';
import { type ProfileName, profileNames, profiles } from './profiles.ts';

export interface Target {
  readonly url: string;
  readonly key: string;
  readonly otherKey?: string | undefined;
  readonly token?: string | undefined;
  readonly signIn?: SignIn | undefined;
  readonly expiredToken?: string | undefined;
  readonly data?: string | undefined;
}

export const platformSuite: ConformanceSuite<ProfileName, Target, Context> = {
  statements: readStatements('API'),
  profileNames,
  checks,
  describeProfile: (name) => {
    const { means, start } = profiles[name];
    return [means, start].filter(Boolean).join(' ');
  },
  runProfile: async (name, target, onOutcome) => {
    const suite = await openScriptedService(target);
    const outcomes = await runChecks(checks[name], {
      openScriptedService: () => suite,
      onOutcome,
      // Most of the time of a check is waiting; a rate limit counts the calls of all.
      // Passwords that are being checked count as wrong ones until they are known.
      atOnceMax: name === 'limited' || name === 'sign-in' ? 1 : 6,
    });
    for (const slug of suite.projects) {
      await suite.client.send({ method: 'DELETE', path: `/${suite.workspace}/${slug}` });
    }
    return outcomes;
  },
};

async function openScriptedService({ url, key, otherKey, ...target }: Target): Promise<Context> {
  const { token, signIn, expiredToken, data } = target;
  const client = createClient(url, key);
  return {
    client,
    key,
    token,
    signIn,
    expiredToken,
    data,
    stranger: createClient(url),
    workspace: await workspaceOf(client),
    clientWith: (credential) => createClient(url, credential),
    other: otherKey === undefined ? undefined : createClient(url, otherKey),
    projects: new Set(),
  };
}

/** What a service that is no platform answers fails the checks, not the suite. */
async function workspaceOf(client: Context['client']): Promise<string> {
  const { json } = await client.send({ path: '/' });
  const isNamed = typeof json === 'object' && json !== null && 'workspace' in json;
  return isNamed && typeof json.workspace === 'string' ? json.workspace : 'unknown';
}
