// The skill for agents keeps the rules of its form, and names only tools and commands that exist.
// https://agentskills.io/specification

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import list from '../tools/list.json' with { type: 'json' };
import { entryUnderTest, nodeUnderTest } from './fixtures/under-test.ts';

const path = 'skills/fovea/SKILL.md';

const head = z.strictObject({
  // That of its folder.
  name: z.literal('fovea'),
  description: z.string().min(1).max(1024),
  license: z.literal('MIT'),
  compatibility: z.string().max(500),
});

it('has the head that hosts read', async () => {
  const [, matter = ''] = (await readFile(path, 'utf8')).split('---\n');
  expect(head.parse(parse(matter)).description).toContain('Use when');
});

it('names only tools that there are, and is short', async () => {
  const text = await readFile(path, 'utf8');
  const named = [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name);
  const reached = ['find', 'read', 'write', 'delete'].map((kind) => `operations_${kind}`);
  const known = new Set([...list.map(({ name }) => name), ...reached, 'save_to']);
  expect(named.filter((name) => name !== undefined && !known.has(name))).toEqual([]);
  expect(new Set(named).size).toBeGreaterThan(30);
  // What is loaded into a model should be read by it.
  expect(text.split('\n').length).toBeLessThan(100);
});

it('names only commands that there are', async () => {
  const text = await readFile(path, 'utf8');
  expect(text).not.toMatch(/\bnpx\b/);
  const commands = [...text.matchAll(/`fovea ([a-z][a-z-]*)/g)].map(([, command]) => command);
  expect(new Set(commands)).toEqual(new Set(['setup', 'doctor']));
  const { stdout } = await promisify(execFile)(nodeUnderTest, [entryUnderTest(), '--help']);
  for (const command of commands) expect(stdout).toContain(`  ${command}`);
  expect(stdout).toContain('--dry-run');
  expect(stdout).toContain('--undo');
});
