// The jobs for agents: that their checks let a right end state through, and nothing else.

import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { jobs } from '../../scripts/evals/jobs.ts';
import { judgeJob, prepareJob } from '../../scripts/evals/prepared-job.ts';
import { agentNamed, runJob } from '../../scripts/evals/run-job.ts';
import type { ToolProfile } from '../../src/config.ts';

const sampled = ['import-folder', 'version-renamed', 'delete-folder', 'evidence-with-file'];
const some = jobs.filter(({ name }) => sampled.includes(name));

test('there are at least thirty, each with a name of its own', () => {
  const names = jobs.map(({ name }) => name);
  expect(names.length).toBeGreaterThanOrEqual(30);
  expect(new Set(names).size).toBe(names.length);
});

test.each(['full', 'compact'] as const)(
  'an agent that knows the way passes: %s',
  async (toolProfile) => {
    for (const job of some) {
      const outcome = await runJob(job, options('reference', toolProfile));
      expect(outcome).toMatchObject({ name: job.name, failure: undefined });
      expect(outcome.failureBefore, job.name).toEqual(expect.any(String));
      expect(outcome.calls).toBeGreaterThan(0);
      expect(outcome.tokens).toBeGreaterThan(1_000);
    }
  },
  120_000,
);

test('an agent that does nothing passes none of them', async () => {
  // Of the others the state before an agent came was found wrong above.
  const [job] = some;
  if (job === undefined) throw new Error('the job is missing');
  const { failure, calls } = await runJob(job, options('nothing', 'full'));
  expect(failure).toEqual(expect.any(String));
  expect(calls).toBe(0);
});

test('an agent that is killed half-way is counted, and its job judged by its state', async () => {
  const [job] = jobs.filter(({ name }) => name === 'create-project');
  if (job === undefined) throw new Error('the job is missing');
  const { failure } = await runJob(job, { ...options('sleep 60', 'full'), timeoutMs: 500 });
  expect(failure).toContain('the agent was ended after 0.5 s');
});

test('a prepared job is done with a shell alone, judged by its state, and its calls counted', async () => {
  const [job] = jobs.filter(({ name }) => name === 'create-project');
  if (job === undefined) throw new Error('the job is missing');
  const { folder, files, commands, prompt } = await prepareJob(job, 'full');
  expect(prompt).toContain('"Parking Lot"');
  const before = await judgeJob(folder, jobs, false);
  expect(before).toMatchObject({ name: 'create-project', calls: 0, characters: 0 });
  expect(before.failure).toEqual(expect.any(String));

  const fovea = (...args: string[]) =>
    execFileSync(join(commands, 'fovea'), args, { cwd: files, encoding: 'utf8', stdio: 'pipe' });
  const read = fovea('tools', 'projects_create');
  expect(() => fovea('call', 'projects_create', '{"type": "boxes"}')).toThrow('Command failed');
  const made = { name: 'Parking Lot', type: 'object-detection', annotation: 'cars' };
  const printed = fovea('call', 'projects_create', JSON.stringify(made));

  const after = await judgeJob(folder, jobs, true);
  expect(after).toMatchObject({ failure: undefined, calls: 2, errors: 1 });
  expect(after.characters).toBeGreaterThan(read.length + printed.length);
  expect(existsSync(folder)).toBe(false);
}, 60_000);

function options(agent: string, toolProfile: ToolProfile) {
  return { agent: agentNamed(agent), toolProfile, timeoutMs: 60_000 };
}
