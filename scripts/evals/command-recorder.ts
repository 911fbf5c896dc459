// Runs `fovea` for an agent that has a shell alone, and writes down what was called and how much it
// printed: node command-recorder.ts LAUNCH [ARGUMENT…]

import { spawn } from 'node:child_process';
import { appendFileSync, readFileSync } from 'node:fs';
import * as z from 'zod';

const launch = z.object({
  command: z.string(),
  args: z.array(z.string()),
  env: z.record(z.string(), z.string()),
  record: z.string(),
});

const [file = '', ...args] = process.argv.slice(2);
const fovea = launch.parse(JSON.parse(readFileSync(file, 'utf8')));
const child = spawn(fovea.command, [...fovea.args, ...args], {
  stdio: ['inherit', 'pipe', 'pipe'],
  env: fovea.env,
});
let characters = 0;
for (const [from, to] of [
  [child.stdout, process.stdout],
  [child.stderr, process.stderr],
] as const) {
  from.setEncoding('utf8').on('data', (text: string) => {
    characters += text.length;
  });
  from.pipe(to);
}
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));
child.on('close', (code) => {
  const exitCode = code ?? 1;
  appendFileSync(fovea.record, `${JSON.stringify({ args, exitCode, characters })}\n`);
  process.exitCode = exitCode;
});
