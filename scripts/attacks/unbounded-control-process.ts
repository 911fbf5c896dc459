// The control: a service without bounds, as one is written in an hour. Every measure must see it
// fail.

import { mkdtempSync, openSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingMessage } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';

const port = Number(process.argv.at(-1));

const answers: Readonly<Record<string, (body: string) => object>> = {
  '/json': collectProblems,
  '/xml': numberLines,
  '/left': leaveFiles,
  '/fails': (body) => Object(JSON.parse(body)).missing.member,
};

createServer(async (request: IncomingMessage, response) => {
  const answer = answers[request.url ?? ''];
  try {
    const body = answer === undefined ? { status: 'ok' } : answer(await text(request));
    response.end(JSON.stringify(body).slice(0, 10_000));
  } catch {
    response.writeHead(500).end();
  }
}).listen(port, '127.0.0.1', () => {
  process.stdout.write(`http://127.0.0.1:${port}\n`);
});

/** All problems are collected, each with its path, and cut afterwards. */
function collectProblems(body: string): object {
  const { images = [] } = Object(JSON.parse(body));
  const problems: object[] = [];
  for (const [index, image] of images.entries()) {
    const path = ['images', String(index)];
    const [expected, found] = [`an object at ${path}`, `${typeof image} at ${path.join('.')}`];
    problems.push({ path, expected, found, seen: { image, path: [...path] } });
  }
  return { total: problems.length, problems: problems.slice(0, 50) };
}

/** The line of each object is counted from the beginning. */
function numberLines(body: string): object {
  const lines: number[] = [];
  for (let at = body.indexOf('<object>'); at >= 0; at = body.indexOf('<object>', at + 1)) {
    lines.push(body.slice(0, at).split('\n').length);
  }
  return { objects: lines.length, last: lines.at(-1) };
}

/** Files in the temporary folder that are never closed or removed. */
function leaveFiles(): object {
  const folder = mkdtempSync(join(tmpdir(), 'upload-'));
  for (let count = 0; count < 10; count += 1) {
    const path = join(folder, `${count}.part`);
    writeFileSync(path, 'left');
    openSync(path, 'r');
  }
  return {};
}
