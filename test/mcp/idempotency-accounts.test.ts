// Idempotency where people take turns at one machine: results and keys stay with their account.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { agree, openFormBrowser } from '../fixtures/form-browser.ts';
import { launchFovea } from '../fixtures/fovea.ts';
import { freePort, runFovea, startFovea } from '../fixtures/fovea-services.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { entryUnderTest, nodeUnderTest } from '../fixtures/under-test.ts';

const cells = { name: 'Cells', type: 'object-detection', annotation: 'cells' };
const password = 'correct horse battery staple';

async function temporaryHome(): Promise<string> {
  const home = await mkdtemp(join(tmpdir(), 'fovea-accounts-'));
  onTestFinished(() => rm(home, { recursive: true, force: true }));
  return home;
}

/** A platform with an account in a workspace of its own for each name. */
async function startService(workspaces: Readonly<Record<string, string>>) {
  const home = await temporaryHome();
  const environment = {
    HOME: home,
    FOVEA_HOME: home,
    FOVEA_WORKSPACE: 'acme',
    FOVEA_TOOL_PROFILE: 'full',
  };
  for (const [name, workspace] of Object.entries(workspaces)) {
    const email = `${name}@example.com`;
    const words = ['account', 'add', name, '--email', email, '--workspace', workspace];
    const added = await runFovea(words, environment, `${password}\n`);
    expect(added).toMatchObject({ code: 0 });
  }
  const service = await startFovea(['platform', '--port', '0'], environment);
  onTestFinished(service.stop);
  return service;
}

/** `fovea sign-in` in a terminal, and its person at a browser. */
async function signIn(name: string, environment: Record<string, string>): Promise<void> {
  const child = spawn(nodeUnderTest, [entryUnderTest(), 'sign-in'], {
    env: { PATH: '/usr/bin:/bin', ...environment },
  });
  onTestFinished(() => killProcess(child));
  const ended = once(child, 'close');
  const address = await new Promise<string>((found, reject) => {
    let said = '';
    const hear = (text: Buffer) => {
      said += text;
      const [url] = /http\S+authorize\S+(?=\s)/.exec(said) ?? [];
      if (url !== undefined) found(url);
    };
    child.stdout.on('data', hear);
    child.stderr.on('data', hear);
    void ended.then(() => reject(new Error(said)));
  });
  const final = await agree(openFormBrowser(), address, { name, password });
  await (await fetch(final)).text();
  expect(await ended).toEqual([0, null]);
}

test('another person signs in while a process runs: their call is a call of its own', async () => {
  const { url } = await startService({ ada: 'acme', bob: 'bolt' });
  const home = await temporaryHome();
  const environment = {
    HOME: home,
    FOVEA_HOME: home,
    FOVEA_TOOL_PROFILE: 'full',
    FOVEA_BASE_URL: url,
    FOVEA_CREDENTIALS: 'file',
    FOVEA_NO_BROWSER: '1',
    FOVEA_REDIRECT_PORT: String(await freePort()),
  };
  await signIn('ada', environment);
  const fovea = await launchFovea(environment);
  onTestFinished(() => fovea.close());
  const send = async () => {
    const _meta = { 'fovea/idempotencyKey': 'one' };
    const called = await fovea.client.callTool({
      name: 'folders_create',
      arguments: { name: 'A' },
      _meta,
    });
    return JSON.stringify(called.content);
  };
  expect(await fovea.ok('projects_create', cells)).toMatchObject({ id: 'acme/cells' });
  const kept = await send();
  expect((await runFovea(['sign-out'], environment)).code).toBe(0);
  await signIn('bob', environment);
  const bobs = await fovea.call('projects_create', cells);
  expect(bobs).toMatchObject({ isError: false, data: { id: 'bolt/cells' } });
  expect(bobs.text).not.toContain('nothing was done again');
  expect(await send()).not.toContain('nothing was done again');
  // The first person again: what they did is still known.
  expect((await runFovea(['sign-out'], environment)).code).toBe(0);
  await signIn('ada', environment);
  expect(await send()).toContain('nothing was done again');
  expect(kept).not.toContain('nothing was done again');
});
