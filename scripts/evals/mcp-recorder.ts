// Stands between an agent and Fovea, and writes down what passes: which tools are called, and what
// lists, arguments and results cost a model. Started by the configuration that an agent is given:
// node mcp-recorder.ts FILE COMMAND [ARGUMENT…]

import { spawn } from 'node:child_process';
import { appendFileSync } from 'node:fs';
import { createInterface } from 'node:readline';

const [file = '', command = '', ...args] = process.argv.slice(2);
const child = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'] });

record('agent', process.stdin);
record('server', child.stdout);
process.stdin.pipe(child.stdin);
child.stdout.pipe(process.stdout);
child.stdin.on('error', () => undefined);
process.stdout.on('error', () => child.kill());
child.on('exit', (code) => {
  process.exitCode = code ?? 1;
});
for (const signal of ['SIGTERM', 'SIGINT'] as const) process.on(signal, () => child.kill(signal));

/** One line of JSON for each message: who sent it, and the message. */
function record(from: 'agent' | 'server', stream: NodeJS.ReadableStream): void {
  createInterface({ input: stream }).on('line', (line) => {
    if (line !== '') appendFileSync(file, `{"from":"${from}","message":${line}}\n`);
  });
}
