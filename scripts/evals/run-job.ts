// Runs one job with an agent: the scene, the agent's process, the record of its calls, the check.

import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { rm, writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { encode } from 'gpt-tokenizer/encoding/cl100k_base';
import type { ToolProfile } from '../../src/config.ts';
import { launchOf } from './connect.ts';
import { filesIn, makeSceneFolder, openScene, settingsOf } from './environment.ts';
import { at, type Job, promptOf, whyWrong } from './job.ts';

export interface AgentOptions {
  /** A command line of the shell; `{prompt}` and `{config}` in it are filled. */
  readonly agent: string;
  readonly toolProfile: ToolProfile;
  readonly timeoutMs: number;
}

export interface JobOutcome {
  readonly name: string;
  /** Why the state is wrong before the agent begins; undefined: the job has nothing to do. */
  readonly failureBefore: string | undefined;
  /** Why the end state is wrong; undefined: it is right. */
  readonly failure: string | undefined;
  readonly calls: number;
  /** Calls whose result was an error. */
  readonly errors: number;
  /** Tokens (cl100k) of the list, once, and of all arguments and results. */
  readonly tokens: number;
  readonly seconds: number;
}

const reference = `"${process.execPath}" "${resolve('scripts/evals/reference-agent.ts')}"`;

/** Agents that come along. */
const agents = new Map([
  ['reference', reference],
  ['twice', `${reference} 2`],
  ['nothing', 'true'],
]);

/** The command line of an agent that comes along; any other name is a command line itself. */
export function agentNamed(name: string): string {
  return agents.get(name) ?? name;
}

export async function runJob(job: Job, options: AgentOptions): Promise<JobOutcome> {
  const folder = await makeSceneFolder();
  const scene = await openScene(folder);
  try {
    await job.seed(scene);
    const failureBefore = await whyWrong(job, scene);
    const began = performance.now();
    const record = join(folder, 'record.jsonl');
    const ending = await runAgent(
      job,
      { folder, record, eventStoreUrl: scene.eventStoreUrl },
      options,
    );
    const seconds = (performance.now() - began) / 1000;
    const failure = await whyWrong(job, scene);
    const said = failure && ending ? `${failure} (${ending})` : failure;
    return { name: job.name, failureBefore, failure: said, seconds, ...countRecord(record) };
  } finally {
    await scene.close();
    await rm(folder, { recursive: true, force: true });
  }
}

interface Place {
  readonly folder: string;
  readonly record: string;
  readonly eventStoreUrl: string;
}

/** How the agent ended where it did not end well. */
async function runAgent(
  job: Job,
  { folder, record, eventStoreUrl }: Place,
  { agent, toolProfile, timeoutMs }: AgentOptions,
): Promise<string | undefined> {
  const config = join(folder, 'mcp.json');
  const files = filesIn(folder);
  const { command, args, env } = launchOf({
    ...settingsOf(folder, toolProfile),
    FOVEA_DEVICE_URL: eventStoreUrl,
  });
  const recorder = resolve('scripts/evals/mcp-recorder.ts');
  const fovea = { command, args: [recorder, record, command, ...args], env };
  await writeFile(config, JSON.stringify({ mcpServers: { fovea } }));
  const prompt = promptOf(job, files);
  const line = agent
    .replaceAll('{prompt}', '"$FOVEA_EVAL_PROMPT"')
    .replaceAll('{config}', '"$FOVEA_EVAL_CONFIG"');
  const child = spawn('/bin/sh', ['-c', line], {
    cwd: files,
    detached: true,
    stdio: ['pipe', 'inherit', 'inherit'],
    env: {
      ...process.env,
      FOVEA_EVAL_JOB: job.name,
      FOVEA_EVAL_PROMPT: prompt,
      FOVEA_EVAL_CONFIG: config,
      FOVEA_EVAL_FILES: files,
    },
  });
  child.stdin.on('error', () => undefined);
  child.stdin.end(prompt);
  return ended(child, timeoutMs);
}

function ended(child: ReturnType<typeof spawn>, timeoutMs: number): Promise<string | undefined> {
  return new Promise((done) => {
    const timer = setTimeout(() => {
      // The whole process group: an agent may start processes.
      if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
      done(`the agent was ended after ${timeoutMs / 1000} s`);
    }, timeoutMs);
    child.on('close', (code) => {
      clearTimeout(timer);
      done(code === 0 ? undefined : `the agent ended with code ${code}`);
    });
  });
}

function countRecord(path: string): Pick<JobOutcome, 'calls' | 'errors' | 'tokens'> {
  if (!existsSync(path)) return { calls: 0, errors: 0, tokens: 0 };
  const messages = readFileSync(path, 'utf8').trim().split('\n').map(parsed);
  const calls = messages.filter((line) => at(line, 'message.method') === 'tools/call');
  const results = messages.filter(
    (line) => at(line, 'from') === 'server' && at(line, 'message.result.content') !== undefined,
  );
  const list = messages.find((line) => at(line, 'message.result.tools') !== undefined);
  const read = [
    at(list, 'message.result.tools'),
    ...calls.map((line) => at(line, 'message.params.arguments')),
    ...results.map((line) => textOf(at(line, 'message.result.content'))),
  ];
  return {
    calls: calls.length,
    errors: results.filter((line) => at(line, 'message.result.isError') === true).length,
    tokens: read.reduce<number>((sum, part) => sum + tokensOf(part), 0),
  };
}

/** Pictures cost a model by their size, which is no text: they are left out. */
function textOf(content: unknown): string {
  const blocks = Array.isArray(content) ? content : [];
  return blocks.map((block) => String(at(block, 'text') ?? '')).join('\n');
}

function tokensOf(part: unknown): number {
  if (part === undefined) return 0;
  return encode(typeof part === 'string' ? part : JSON.stringify(part)).length;
}

function parsed(line: string): unknown {
  return JSON.parse(line);
}
