// What is handed to the person's browser: a clean address, and nothing else.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import { cleanAddress, createBrowser } from '../../src/sign-in/open-browser.ts';

test.each([
  ['https://auth.example/authorize?a=b&c=d%20e', 'https://auth.example/authorize?a=b&c=d%20e'],
  ['http://127.0.0.1:8000/oauth', 'http://127.0.0.1:8000/oauth'],
  ['http://[::1]:8000/oauth', 'http://[::1]:8000/oauth'],
  [
    'https://auth.example/$(id)`id`?a=$(id);b',
    'https://auth.example/%24%28id%29%60id%60?a=%24%28id%29%3Bb',
  ],
  ["https://auth.example/?a='x' y|z&b=\"<>", 'https://auth.example/?a=%27x%27%20y%7Cz&b=%22%3C%3E'],
  ['https://auth.example/a*b!c\\d{}^', 'https://auth.example/a%2Ab%21c/d%7B%7D%5E'],
  ['https://auth.example/a\nb\tc', 'https://auth.example/abc'],
  ['https://bücher.example/ü', 'https://xn--bcher-kva.example/%C3%BC'],
])('%j is opened as %j', (address, clean) => {
  expect(cleanAddress(address)).toBe(clean);
});

test.each([
  'javascript:alert(1)',
  'file:///etc/passwd',
  'data:text/html,x',
  'vscode://evil/run',
  'http://auth.example/authorize',
  'http://127.0.0.1.evil.example/',
  'https://user:password@auth.example/',
  '--version',
  '-a Calculator',
  '/etc/passwd',
  '',
  `https://auth.example/${'a'.repeat(100_000)}`,
])('%j is not opened', (address) => {
  expect(cleanAddress(address)).toBeUndefined();
});

/** A folder first in PATH whose xdg-open writes down how it was called. */
function recorder() {
  const folder = mkdtempSync(join(tmpdir(), 'fovea-browser-'));
  const log = join(folder, 'log');
  const script = `#!/bin/sh\n{ printf '%s\\n' "$#" "$@"; env; echo end; } >> '${log}'\n`;
  writeFileSync(join(folder, 'xdg-open'), script, { mode: 0o755 });
  vi.stubEnv('PATH', `${folder}:${process.env.PATH}`);
  onTestFinished(() => {
    vi.unstubAllEnvs();
    rmSync(folder, { recursive: true });
  });
  const read = () => {
    try {
      return readFileSync(log, 'utf8');
    } catch {
      return '';
    }
  };
  return { read, written: () => vi.waitUntil(() => read().endsWith('end\n') && read(), 10_000) };
}

test.runIf(process.platform === 'linux')(
  'one program, one word, none of our variables',
  async () => {
    const { written } = recorder();
    vi.stubEnv('FOVEA_API_KEY', 'canary-key');
    vi.stubEnv('FOVEA_CLIENT_SECRET', 'canary-secret');
    expect(createBrowser(false)('https://auth.example/$(touch /tmp/x)?a=b c')).toBe(true);
    const lines = (await written()).split('\n');
    expect(lines.slice(0, 2)).toEqual([
      '1',
      'https://auth.example/%24%28touch%20/tmp/x%29?a=b%20c',
    ]);
    expect(lines.join('\n')).not.toContain('canary');
    expect(lines.some((line) => line.startsWith('PATH='))).toBe(true);
  },
);

test.runIf(process.platform === 'linux')('nothing runs where none is wanted, or fits', async () => {
  const { read, written } = recorder();
  expect(createBrowser(true)('https://auth.example/')).toBe(false);
  expect(createBrowser(false)('file:///etc/passwd')).toBe(false);
  expect(createBrowser(false)('http://auth.example/')).toBe(false);
  expect(createBrowser(false)('https://last.example/')).toBe(true);
  await written();
  expect(
    read()
      .split('\n')
      .filter((line) => line.includes('://'))[0],
  ).toBe('https://last.example/');
});

test.runIf(process.platform === 'linux')('a machine without a browser says so', () => {
  vi.stubEnv('PATH', '/nowhere');
  onTestFinished(() => void vi.unstubAllEnvs());
  expect(createBrowser(false)('https://auth.example/')).toBe(false);
});
