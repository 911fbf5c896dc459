// `fovea http` as a process of its own, with people who sign in there.

import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { onTestFinished } from 'vitest';
import { openAdministration } from '../../../src/authorization-server/administration.ts';
import { systemClock } from '../../../src/clock.ts';
import { Secret } from '../../../src/secret.ts';
import {
  authorizationUrl,
  postForm,
  type SignedIn,
  signedIn,
  type TestApplication,
} from '../../fixtures/authorization-server.ts';
import { agree, openFormBrowser } from '../../fixtures/form-browser.ts';
import { killProcess } from '../../fixtures/kill-process.ts';
import { entryUnderTest, nodeUnderTest, startedOnce } from '../../fixtures/under-test.ts';

export interface Running {
  readonly child: ChildProcess;
  /** The origin that it printed. */
  readonly url: string;
  readonly mcp: string;
  readonly out: Promise<string>;
  readonly log: Promise<string>;
  readonly ended: Promise<unknown[]>;
}

/** An empty folder for one test. */
export async function makeHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fovea-http-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** Starts a service of Fovea on a free port, and waits for its line. */
export async function launch(
  command: 'http' | 'platform',
  home: string,
  environment: Record<string, string> = {},
): Promise<Running> {
  const { child, ...streams } = spawnFovea([command, '--port', '0'], home, environment);
  const line = await Promise.race([once(child.stdout, 'data'), streams.ended]);
  const url = String(line).trim();
  if (!url.startsWith('http://')) throw new Error(`It did not start: ${await streams.log}`);
  return { child, url, mcp: `${url}/mcp`, ...streams };
}

export function spawnFovea(
  argv: readonly string[],
  home: string,
  environment: Record<string, string> = {},
) {
  const child = spawn(nodeUnderTest, [entryUnderTest(), ...argv], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      PATH: process.env.PATH,
      HOME: home,
      FOVEA_HOME: home,
      FOVEA_TOOL_PROFILE: 'full',
      ...startedOnce,
      ...environment,
    },
  });
  onTestFinished(() => killProcess(child));
  return { child, out: text(child.stdout), log: text(child.stderr), ended: once(child, 'exit') };
}

const redirectUri = 'http://127.0.0.1:8976/callback';

/** Adds a person of one workspace, and gives what signing in takes. */
export async function addPerson(home: string, name: string, workspace: string) {
  const { accounts, close } = await openAdministration(join(home, 'platform'), systemClock);
  const password = `the password of ${name}`;
  try {
    const email = `${name}@example.com`;
    await accounts.add({ name, email, workspaces: [workspace], password: new Secret(password) });
    return { name, password };
  } finally {
    await close();
  }
}

/** Registers an application; with a resource, it is an MCP server, else an MCP client. */
export async function addApplication(home: string, resource?: string): Promise<TestApplication> {
  const { applications, close } = await openAdministration(join(home, 'platform'), systemClock);
  const auth = resource === undefined ? 'none' : 'client_secret_post';
  const scopes: string[] = [];
  const isServer = resource !== undefined;
  try {
    const visibility = 'Public';
    const values = { name: 'Application', redirectUris: [redirectUri], auth, scopes, visibility };
    const { application, secret } = await applications.add(
      { ...values, desktop: !isServer, mcp: !isServer, ...(isServer && { resource }) },
      'acme',
    );
    return { id: application.id, secret: secret?.reveal(), auth, redirectUri };
  } finally {
    await close();
  }
}

/** A whole code flow at the authorization server at `issuer`. */
export async function signInAt(
  issuer: string,
  application: TestApplication,
  person: Awaited<ReturnType<typeof addPerson>>,
  parameters: Readonly<Record<string, string>>,
): Promise<SignedIn> {
  const proof = authorizationUrl({ url: issuer }, application, parameters);
  const final = await agree(openFormBrowser(), proof.url, person);
  const code = final.searchParams.get('code');
  if (code === null) throw new Error(`No code: ${final.href}`);
  return signedIn(
    await postForm(`${issuer}/oauth/token`, application, {
      grant_type: 'authorization_code',
      code,
      redirect_uri: application.redirectUri,
      code_verifier: proof.verifier,
    }),
  );
}
