// Jobs in plain language, done by any agent that speaks MCP; the end state is checked by code:
// npm run evals -- --agent 'claude -p {prompt} --mcp-config {config}' [--tool-profile NAME]
// Or by an agent that has a shell alone: --prepare JOB, then --judge FOLDER.

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { toolProfiles } from '../src/config.ts';
import { hasExampleTrainer, needsExampleTrainer } from '../test/fixtures/example-trainer.ts';
import { jobs } from './evals/jobs.ts';
import { judgeJob, prepareJob } from './evals/prepared-job.ts';
import { agentNamed, type JobOutcome, runJob } from './evals/run-job.ts';

const { values } = parseArgs({
  options: {
    agent: { type: 'string', default: 'reference' },
    'tool-profile': { type: 'string', default: 'default' },
    jobs: { type: 'string' },
    json: { type: 'string' },
    prepare: { type: 'string' },
    judge: { type: 'string' },
    keep: { type: 'boolean' },
    'timeout-s': { type: 'string', default: '300' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) printHelp();
else if (values.list) for (const { name, prompt } of jobs) say(`${name}\n  ${prompt}`);
else if (values.prepare !== undefined) await prepare(values.prepare);
else if (values.judge !== undefined) await judge(values.judge);
else await runAll();

async function runAll(): Promise<void> {
  const chosen = chosenJobs();
  const toolProfile = chosenProfile();
  if (toolProfile === undefined) return;
  if (chosen.length === 0) return refuse('--jobs names no job; --list has all names');
  const agent = agentNamed(values.agent);
  const timeoutMs = Number(values['timeout-s']) * 1000;
  const outcomes: JobOutcome[] = [];
  for (const job of chosen) {
    const outcome = await runJob(job, { agent, toolProfile, timeoutMs });
    outcomes.push(outcome);
    say(lineOf(outcome));
  }
  const right = outcomes.filter(({ failure }) => failure === undefined);
  const calls = sum(outcomes.map((outcome) => outcome.calls));
  const tokens = sum(outcomes.map((outcome) => outcome.tokens));
  say(`\n${right.length} of ${outcomes.length} jobs, ${calls} calls, ${tokens} tokens.`);
  if (values.json) writeFileSync(values.json, `${JSON.stringify(outcomes, null, 1)}\n`);
  process.exitCode = right.length === outcomes.length ? 0 : 1;
}

async function prepare(name: string): Promise<void> {
  const toolProfile = chosenProfile();
  if (toolProfile === undefined) return;
  const job = jobs.find((one) => one.name === name);
  if (job === undefined) return refuse('--prepare names no job; --list has all names');
  say(JSON.stringify(await prepareJob(job, toolProfile), null, 1));
}

async function judge(folder: string): Promise<void> {
  const outcome = await judgeJob(folder, jobs, !values.keep);
  say(JSON.stringify(outcome, null, 1));
  process.exitCode = outcome.failure === undefined ? 0 : 1;
}

/** Undefined: refused. */
function chosenProfile() {
  const profile = toolProfiles.find((known) => known === values['tool-profile']);
  if (profile === undefined) refuse(`--tool-profile: one of ${toolProfiles.join(', ')}`);
  return profile;
}

/** Those of `--jobs`, or all; without those that cannot be done on this machine. */
function chosenJobs() {
  const names = values.jobs?.split(',');
  return jobs.filter(({ name, trains = false }) => {
    const isChosen = names === undefined || names.includes(name);
    if (isChosen && trains && !hasExampleTrainer) say(`DID NOT RUN: ${name}${needsExampleTrainer}`);
    return isChosen && (!trains || hasExampleTrainer);
  });
}

function lineOf({ name, failure, calls, errors, tokens, seconds }: JobOutcome): string {
  const mark = failure === undefined ? 'right' : 'WRONG';
  const wrong = errors > 0 ? `, ${errors} refused` : '';
  const cost = `${calls} calls${wrong}, ${tokens} tokens, ${seconds.toFixed(1)} s`;
  return `${mark}  ${name.padEnd(24)} ${cost}${failure === undefined ? '' : `\n       ${failure}`}`;
}

function sum(figures: readonly number[]): number {
  return figures.reduce((total, figure) => total + figure, 0);
}

function printHelp(): void {
  say(
    "npm run evals -- --agent 'COMMAND' [--tool-profile full|compact] [--jobs a,b] [--json FILE]",
  );
  say(
    '\nCOMMAND is run by the shell for each job. {prompt} and {config} in it stand for the job in',
  );
  say('plain language (also on stdin, and in FOVEA_EVAL_PROMPT) and for the path of an mcpServers');
  say('file (also in FOVEA_EVAL_CONFIG). Agents that come along: reference (knows the way),');
  say('twice (does all of it two times), nothing. --list prints the jobs.');
  say(
    '\n--prepare JOB makes the scene of one job for an agent that has a shell alone, and prints its',
  );
  say(
    'folder, the job, the folder to work in, and the folder of a command `fovea` (tools, call) for',
  );
  say('its PATH. --judge FOLDER says whether the end state is right, counts calls, errors and');
  say('characters, and removes the scene (--keep leaves it).');
}

function refuse(why: string): void {
  say(why);
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
