// `npm run profile`: what it leaves for the work `start`, and how files of threads are added up.

import { execFile } from 'node:child_process';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, test } from 'vitest';
import { textOf } from '../scripts/profile/call-tree.ts';
import { measures } from '../scripts/profile/measures.ts';
import { readThreads } from '../scripts/profile/threads.ts';
import { temporaryFolder } from './fixtures/temporary-folder.ts';

const run = promisify(execFile);

test('a profile of the start prints sources, and leaves flame graphs and files of V8', async () => {
  const out = await temporaryFolder();
  const words = ['scripts/profile.ts', 'start', '--seconds', '0.01', '--out', out];
  const { stdout } = await run(process.execPath, words);
  expect(stdout).toContain('Time, main thread: ');
  expect(stdout).toContain('Allocated by JavaScript, main thread: ');
  expect((await readdir(out)).sort()).toEqual([
    'allocations',
    'allocations.html',
    'cpu',
    'cpu.html',
  ]);
  for (const name of ['allocations', 'cpu']) {
    const page = await readFile(join(out, `${name}.html`), 'utf8');
    // Of the sources, not of the bundle.
    expect(page).toMatch(/ {2}src\/[\w/-]+\.ts:\d+"/);
    expect(page).not.toMatch(/<(script|link|img)[^>]+(src|href)=/);
  }
  expect(await readdir(join(out, 'cpu'))).toEqual([expect.stringMatching(/\.0\.\d+\.cpuprofile$/)]);
  expect(await readdir(join(out, 'allocations'))).toEqual([
    expect.stringMatching(/\.0\.heapprofile$/),
  ]);
});

test('work that is not known is refused, with what is', async () => {
  await expect(run(process.execPath, ['scripts/profile.ts', 'sleep'])).rejects.toMatchObject({
    code: 2,
    stderr: 'npm run profile -- start|import|version|event [--seconds N] [--out FOLDER]\n',
  });
});

test('threads of one kind are added up, from all processes, and idle time is left out', async () => {
  const folder = await temporaryFolder();
  await writeFile(join(folder, 'CPU.1.7.0.001.cpuprofile'), profileOf('main', 'fovea.js', 100));
  await writeFile(join(folder, 'CPU.1.8.0.001.cpuprofile'), profileOf('main', 'fovea.js', 30));
  const worker = profileOf('read', 'parts/image-worker.js', 50);
  await writeFile(join(folder, 'CPU.1.7.1.002.cpuprofile'), worker);
  const [cpu] = measures;
  if (cpu === undefined) throw new Error('Nothing is measured.');
  const threads = readThreads(cpu, folder, ({ functionName, url, lineNumber }) => ({
    name: functionName,
    file: url.replace('file:///dist/', ''),
    line: lineNumber + 1,
  }));
  const found = threads.map(({ place, total, callees }) => ({
    thread: place.name,
    total,
    calls: callees.map((callee) => [textOf(callee.place), callee.self]),
  }));
  expect(found).toEqual([
    { thread: 'main thread', total: 130, calls: [['main  fovea.js:3', 130]] },
    { thread: 'image-worker', total: 50, calls: [['read  parts/image-worker.js:3', 50]] },
  ]);
});

/** Of a thread that was twice in this function, and idle in between. */
function profileOf(functionName: string, path: string, microseconds: number): string {
  const frame = { scriptId: '1', lineNumber: 2, columnNumber: 0 };
  const engine = { ...frame, url: '' };
  return JSON.stringify({
    nodes: [
      { id: 1, callFrame: { ...engine, functionName: '(root)' }, children: [2, 3] },
      { id: 2, callFrame: { ...engine, functionName: '(idle)' } },
      { id: 3, callFrame: { ...frame, functionName, url: `file:///dist/${path}` } },
    ],
    startTime: 0,
    endTime: 2_000,
    samples: [3, 2, 3],
    timeDeltas: [microseconds / 2, 1_000, microseconds / 2],
  });
}
