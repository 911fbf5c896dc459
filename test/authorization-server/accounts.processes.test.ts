// Services in processes of their own over one folder: killed at any moment, what was said holds.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import {
  refresh,
  signedIn,
  signIn,
  startTestAuthorizationServer,
  validate,
} from '../fixtures/authorization-server.ts';
import { killProcess } from '../fixtures/kill-process.ts';

interface Started {
  readonly url: string;
  kill(): Promise<void>;
}

async function startProcess(data: string): Promise<Started> {
  const child = spawn(process.execPath, ['test/fixtures/authorization-server-process.ts', data], {
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const kill = () => killProcess(child);
  onTestFinished(kill);
  const [line] = await once(child.stdout, 'data');
  return { url: String(line).trim(), kill };
}

test('two processes that refresh one token at once agree on one successor', async () => {
  const service = await startTestAuthorizationServer();
  onTestFinished(service.close);
  const processes = await Promise.all([startProcess(service.data), startProcess(service.data)]);
  const application = service.applications.public;
  let { refreshToken } = await signIn(service, application);
  for (let round = 0; round < 10; round += 1) {
    const answers = await Promise.all(
      [...processes, service, ...processes, service].map((one) =>
        refresh(one, application, refreshToken),
      ),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200, 200]);
    const all = answers.map(signedIn);
    expect(new Set(all.map((each) => each.refreshToken)).size).toBe(1);
    for (const { accessToken } of all) {
      expect((await validate(service, accessToken)).body.active).toBe(true);
    }
    refreshToken = all[0]?.refreshToken ?? '';
  }
});

test('a service that is killed while it refreshes loses no sign-in', async () => {
  const service = await startTestAuthorizationServer();
  onTestFinished(service.close);
  const application = service.applications.mcp;
  let { refreshToken } = await signIn(service, application);
  for (let round = 0; round < 4; round += 1) {
    const doomed = await startProcess(service.data);
    const asked = Array.from({ length: 4 }, () =>
      refresh(doomed, application, refreshToken).catch(() => undefined),
    );
    // The first answer tells that the others are on their way.
    if (round % 2) await Promise.race(asked);
    await doomed.kill();
    const answers = (await Promise.all(asked)).filter((answer) => answer !== undefined);
    const next = signedIn(await refresh(service, application, refreshToken));
    for (const answer of answers.filter(({ status }) => status === 200)) {
      const { accessToken, refreshToken: told } = signedIn(answer);
      expect(told).toBe(next.refreshToken);
      expect((await validate(service, accessToken)).body.active).toBe(true);
    }
    refreshToken = next.refreshToken;
  }
});
