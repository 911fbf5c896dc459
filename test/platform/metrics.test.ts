// GET /metrics of the platform: by its own token alone, also beside `fovea http`.

import { expect, onTestFinished, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import { startTestPlatform } from '../fixtures/platform.ts';
import { createProject } from './labelled-projects.ts';

const token = 'a-token-of-prometheus';

const read = (url: string, bearer: string) =>
  fetch(`${url}/metrics`, { headers: { authorization: `Bearer ${bearer}` } });

test('says what was answered and how many tasks wait, to its own token alone', async () => {
  const platform = await startTestPlatform({ metricsToken: new Secret(token), takesTasks: false });
  onTestFinished(() => platform.close());
  await createProject(platform.client, 'cells');
  const answer = await read(platform.url, token);
  expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
  const text = await answer.text();
  expect(text).toMatch(/^fovea_database_reachable 1$/m);
  expect(text).toMatch(
    /^fovea_http_requests_total\{operation="projects_create",status="\d+"\} 1$/m,
  );
  expect(text).toMatch(/^fovea_tasks\{kind="\w+",status="waiting"\} [1-9]\d*$/m);
  expect(text).toMatch(/^fovea_oldest_waiting_task_age_seconds \d/m);
  for (const other of ['', platform.key]) {
    const refused = await read(platform.url, other);
    expect(refused.status).toBe(401);
    expect(await refused.text()).toContain('FOVEA_METRICS_TOKEN');
  }
});

test('is not there without a token', async () => {
  const platform = await startTestPlatform();
  onTestFinished(() => platform.close());
  expect((await read(platform.url, platform.key)).status).toBe(404);
});
