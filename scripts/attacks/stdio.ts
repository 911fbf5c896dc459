// MCP over stdio: one host, so nobody else waits; but its pings are answered, and memory is
// bounded.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import type { Readable, Writable } from 'node:stream';
import { setTimeout as wait } from 'node:timers/promises';
import { manyMembers, nested, repeated } from './dense-bodies.ts';
import { type Measured, overBounds } from './measure-attack.ts';
import { readPeak, readRss, resetPeak } from './process-state.ts';
import { makeFolder, type Release, variablesIn } from './service.ts';

interface StdioAttack {
  readonly name: string;
  /** The lines that are sent; the last one is waited for, if it has an answer. */
  lines(folder: string): readonly string[];
  /** What must not stand in an answer. */
  readonly tells?: string;
  /** It has an answer in time. */
  readonly mustAnswer?: true;
}

const attackId = 1_000_000;
const answerMsMax = 20_000;

const rpc = (method: string, params: unknown, id: number = attackId) =>
  JSON.stringify({ jsonrpc: '2.0', id, method, params });

const call = (name: string, args: unknown) => rpc('tools/call', { name, arguments: args });

const upload = (files: string) => call('images_upload', { project: 'cells', files: [files] });

/** As the labelling page saves, in a host that shows pages. */
const save = (annotationFile: string) =>
  call('labelling_save', {
    operation: 'images_annotate',
    arguments: { project: 'cells', imageId: 'a', name: 'page.json', annotationFile },
  });

const attacks: readonly StdioAttack[] = [
  {
    name: 'a page that saves 100,000 boxes',
    lines: () => [
      save(
        JSON.stringify({
          images: [{ id: 1, file_name: 'a.png', width: 40, height: 20 }],
          categories: [{ id: 1, name: 'RBC' }],
          annotations: repeated(100_000, (id) => ({
            id,
            image_id: 1,
            category_id: 1,
            bbox: [1, 1, 2, 2],
          })),
        }),
      ),
    ],
    mustAnswer: true,
  },
  {
    name: 'a page that saves 3 million brackets',
    lines: () => [save(nested(1_500_000))],
    mustAnswer: true,
  },
  {
    name: 'a page that reads with 900,000 arguments',
    lines: () => [
      call('labelling_read', { operation: 'images_get', arguments: 'here' }).replace(
        '"here"',
        manyMembers(900_000),
      ),
    ],
    mustAnswer: true,
  },
  {
    name: 'a line of 15 MB',
    lines: () => [call('workspace_whoami', { a: 'a'.repeat(15_000_000) })],
  },
  {
    name: 'a line of 40 MB',
    lines: () => [call('workspace_whoami', { a: 'a'.repeat(40_000_000) })],
  },
  {
    name: '7 million brackets',
    lines: () => [call('projects_get', 'here').replace('"here"', nested(3_500_000))],
  },
  {
    name: '900,000 arguments',
    lines: () => [call('projects_get', 'here').replace('"here"', manyMembers(900_000))],
  },
  {
    name: '7 million elements of a list',
    lines: () => [call('images_delete', { project: 'a', images: repeated(7_000_000, () => 0) })],
  },
  {
    name: '500,000 lines that are no JSON',
    lines: () => [`${'x\n'.repeat(500_000)}${rpc('ping', {})}`],
  },
  {
    name: '20,000 calls in a row',
    lines: () => [
      ...repeated(20_000, (id) =>
        rpc('tools/call', { name: 'nothing', arguments: {} }, id + 2_000_000),
      ),
      rpc('ping', {}),
    ],
  },
  {
    name: 'a glob that leaves the file roots',
    lines: () => [upload('[.][.]/secret/*')],
    tells: 'known-only-inside',
  },
  {
    name: 'a glob of braces that leaves them',
    lines: () => [upload('{..,.}/secret/*')],
    tells: 'known-only-inside',
  },
  {
    name: 'a glob that walks the disk',
    lines: () => [upload('[.][.]/[.][.]/[.][.]/[.][.]/**/*.png')],
  },
  { name: 'a link that leaves them', lines: () => [upload('out/*')], tells: 'known-only-inside' },
  { name: 'a glob of 4,000 stars', lines: () => [upload('*/'.repeat(4_000))] },
  {
    name: 'a path of 60,000 folders',
    lines: () => [upload(`/${'a/'.repeat(60_000)}`)],
    mustAnswer: true,
  },
  {
    name: 'a path of 1 MB',
    lines: () => [upload(`/${'a/'.repeat(500_000)}`)],
    mustAnswer: true,
  },
  { name: 'a glob of 30 groups of braces', lines: () => [upload('{a,b}'.repeat(30))] },
];

export const stdioNames: readonly string[] = attacks.map(({ name }) => `stdio: ${name}`);

/** Each runs in a new process. */
export async function runStdio(
  release: Release,
  names: readonly string[],
  tell: (measured: Measured) => void,
): Promise<readonly Measured[]> {
  const results: Measured[] = [];
  for (const attack of attacks) {
    if (!names.includes(`stdio: ${attack.name}`)) continue;
    const measured = await measureStdio(release, attack);
    tell(measured);
    results.push(measured);
  }
  return results;
}

type Child = ChildProcessByStdio<Writable, Readable, null>;

async function measureStdio(release: Release, attack: StdioAttack): Promise<Measured> {
  const folder = await makeFolder();
  const child = startIn(folder, release);
  const answers = readAnswers(child);
  const problems: string[] = [];
  let pauseMs = 0;
  let peakBytes = 0;
  const statuses = new Map<string, number>();
  try {
    child.stdin.write(`${hello}\n${ready}\n`);
    await answers.of(1);
    // What the first call loads is loaded.
    const warm = answers.of(2);
    child.stdin.write(`${rpc('tools/call', { name: 'workspace_whoami', arguments: {} }, 2)}\n`);
    await warm;
    const { pid = 0 } = child;
    const beforeBytes = readRss(pid);
    const lines = attack.lines(folder);
    resetPeak(pid);
    const answered = answers.of(attackId);
    await sent(child, lines);
    // What the host wrote itself is before its ping: only from now on others would wait.
    let isOver = false;
    const text = answered.finally(() => {
      isOver = true;
    });
    for (let id = 10; !isOver && !answers.hasEnded() && id < 2_000; id += 1) {
      pauseMs = Math.max(pauseMs, await pingTime(child, answers, id));
      await wait(20);
    }
    const said = await text;
    statuses.set(
      said === undefined ? 'no answer' : /"isError":true|"error"/.test(said) ? 'error' : 'result',
      1,
    );
    if (attack.mustAnswer && said === undefined) problems.push('no answer');
    if (attack.tells !== undefined && said?.includes(attack.tells))
      problems.push(`tells ${attack.tells}`);
    peakBytes = Math.max(0, readPeak(pid) - beforeBytes);
    if ((await pingTime(child, answers, 9_999)) >= answerMsMax) problems.push('answers no more');
    if (answers.hasEnded()) problems.push('the process ended');
  } finally {
    child.kill('SIGKILL');
    rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  }
  const all = [...problems, ...overBounds(pauseMs, peakBytes, 0)];
  return {
    name: `stdio: ${attack.name}`,
    target: 'stdio',
    statuses,
    pauseMs,
    peakBytes,
    problems: all,
  };
}

const hello = rpc(
  'initialize',
  {
    protocolVersion: '2025-06-18',
    capabilities: {
      extensions: { 'io.modelcontextprotocol/ui': { mimeTypes: ['text/html;profile=mcp-app'] } },
    },
    clientInfo: { name: 'attacks', version: '1' },
  },
  1,
);
const ready = '{"jsonrpc":"2.0","method":"notifications/initialized"}';

/** Its file root is beside a folder that must stay unreadable. */
function startIn(folder: string, { entry, node }: Release): Child {
  const root = join(folder, 'root');
  for (const path of [root, join(folder, 'secret')]) mkdirSync(path);
  writeFileSync(join(folder, 'secret', 'known-only-inside.png'), 'secret');
  symlinkSync(join(folder, 'secret'), join(root, 'out'));
  return spawn(node, [resolve(entry)], {
    cwd: root,
    env: { ...variablesIn(folder), FOVEA_FILE_ROOTS: root, FOVEA_TOOL_PROFILE: 'full' },
    stdio: ['pipe', 'pipe', 'ignore'],
  });
}

function readAnswers(child: Child) {
  const waiting = new Map<number, (line: string | undefined) => void>();
  let hasEnded = false;
  createInterface({ input: child.stdout }).on('line', (line) => {
    const id = Number(/"id":(\d+)/.exec(line)?.[1]);
    waiting.get(id)?.(line);
    waiting.delete(id);
  });
  child.stdin.on('error', () => {});
  child.once('close', () => {
    hasEnded = true;
    for (const resolve of waiting.values()) resolve(undefined);
  });
  return {
    hasEnded: () => hasEnded,
    /** Undefined: it did not come in time, or the process ended. */
    of: (id: number): Promise<string | undefined> => {
      const answer = Promise.withResolvers<string | undefined>();
      if (hasEnded) answer.resolve(undefined);
      waiting.set(id, answer.resolve);
      setTimeout(() => answer.resolve(undefined), answerMsMax).unref();
      return answer.promise;
    },
  };
}

async function sent(child: Child, lines: readonly string[]): Promise<void> {
  for (const line of lines) {
    if (!child.stdin.write(`${line}\n`)) {
      await Promise.race([once(child.stdin, 'drain').catch(() => {}), wait(answerMsMax)]);
    }
  }
}

async function pingTime(
  child: Child,
  answers: ReturnType<typeof readAnswers>,
  id: number,
): Promise<number> {
  const startMs = performance.now();
  const answer = answers.of(id);
  child.stdin.write(`${rpc('ping', {}, id)}\n`);
  await answer;
  return performance.now() - startMs;
}
