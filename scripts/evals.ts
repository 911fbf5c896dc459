// Jobs in plain language, done by any agent that speaks MCP; the end state is checked by code:
// npm run evals -- --agent 'claude -p {prompt} --mcp-config {config}' [--tool-profile NAME]

import { writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { toolProfiles } from '../src/config.ts';
import { jobs } from './evals/jobs.ts';
import { agentNamed, type JobOutcome, runJob } from './evals/run-job.ts';

const { values } = parseArgs({
  options: {
    agent: { type: 'string', default: 'reference' },
    'tool-profile': { type: 'string', default: 'default' },
    jobs: { type: 'string' },
    json: { type: 'string' },
    'timeout-s': { type: 'string', default: '300' },
    list: { type: 'boolean' },
    help: { type: 'boolean', short: 'h' },
  },
});

if (values.help) printHelp();
else if (values.list) for (const { name, prompt } of jobs) say(`${name}\n  ${prompt}`);
else await runAll();

async function runAll(): Promise<void> {
  const chosen = chosenJobs();
  const { 'tool-profile': toolProfile } = values;
  const known = toolProfiles.find((profile) => profile === toolProfile);
  if (known === undefined) return refuse(`--tool-profile: one of ${toolProfiles.join(', ')}`);
  if (chosen.length === 0) return refuse('--jobs names no job; --list has all names');
  const agent = agentNamed(values.agent);
  const timeoutMs = Number(values['timeout-s']) * 1000;
  const outcomes: JobOutcome[] = [];
  for (const job of chosen) {
    const outcome = await runJob(job, { agent, toolProfile: known, timeoutMs });
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

function chosenJobs() {
  const names = values.jobs?.split(',');
  return names === undefined ? jobs : jobs.filter(({ name }) => names.includes(name));
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
}

function refuse(why: string): void {
  say(why);
  process.exitCode = 2;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
