// One command of the conformance suite of the Model Context Protocol, and what its words mean.

import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir, readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import * as z from 'zod';
import { installed } from './install-packages.ts';

const folder = resolve('test/mcp-conformance');
const suite = installed(folder, '@modelcontextprotocol/conformance/dist/index.js');

/** Of the suite's own words, where something failed. */
const outputCharactersMax = 20_000;

export interface SuiteRun {
  /** For the line that says how it went. */
  readonly name: string;
  readonly words: readonly string[];
  /** Scenarios of extensions that must pass; the suite itself requires none. */
  readonly extensions?: readonly string[];
  /** Whether the failures that are known, each with its reason, are let through. */
  readonly hasKnownFailures?: boolean;
  /** Whether what the suite could not try counts as failed. */
  readonly triesAll?: boolean;
  /** Told of all that the suite has written so far. */
  readonly onOutput?: (text: string) => void;
}

/** Runs one command, says how it went, and gives whether it went well. */
export async function runSuite(asked: SuiteRun, results: string): Promise<boolean> {
  const { name, words, extensions = [], onOutput = () => undefined } = asked;
  const output = join(results, name.replaceAll(/\W+/g, '-'));
  const known = ['--expected-failures', join(folder, 'expected-failures.yml')];
  const all = [...words, ...(asked.hasKnownFailures ? known : []), '-o', output];
  const { code, text } = await run(all, onOutput);
  const untried = asked.triesAll ? await skippedChecks(output) : [];
  const missed = extensions.filter((scenario) => !hasPassed(scenario, text));
  // Each command ends with what it counted: one that does not, or counted nothing, tried nothing.
  const [total = 'no result', passed = '0'] = /^Total: (\d+) passed.*$/m.exec(text) ?? [];
  const ok = code === 0 && passed !== '0' && untried.length === 0 && missed.length === 0;
  say(`${ok ? 'ok' : 'FAILED'}: ${name}: ${total}`);
  for (const [line] of text.matchAll(/^ {2}~ .*$/gm)) say(`${line} (expected, with a reason)`);
  for (const scenario of missed) say(`  did not pass: ${scenario}`);
  for (const check of untried) say(`  not tried: ${check}`);
  if (!ok) say(text.slice(-outputCharactersMax));
  return ok;
}

/** By the line that sums a scenario up; one that was never tried has none, or counts nothing. */
function hasPassed(scenario: string, text: string): boolean {
  return new RegExp(`^✓ ${scenario}: [1-9]\\d* passed, 0 failed`, 'm').test(text);
}

export function say(line: string): void {
  process.stdout.write(`${line}\n`);
}

interface Ended {
  readonly code: number | null;
  readonly text: string;
}

function run(words: readonly string[], onOutput: (text: string) => void): Promise<Ended> {
  const { promise, resolve: done, reject } = Promise.withResolvers<Ended>();
  const child = spawn(process.execPath, [suite, ...words], { stdio: ['ignore', 'pipe', 'pipe'] });
  let text = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk) => {
      text += chunk;
      onOutput(text);
    });
  }
  child.once('error', reject);
  child.once('close', (code) => done({ code, text }));
  return promise;
}

const checks = z.array(z.object({ id: z.string(), status: z.string() }));

async function skippedChecks(output: string): Promise<readonly string[]> {
  if (!existsSync(output)) return [];
  const names = await readdir(output, { recursive: true });
  const files = names.filter((name) => name.endsWith('checks.json'));
  const lists = await Promise.all(
    files.map(async (name) => checks.parse(JSON.parse(await readFile(join(output, name), 'utf8')))),
  );
  return lists.flat().flatMap(({ id, status }) => (status === 'SKIPPED' ? [id] : []));
}
