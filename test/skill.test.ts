// The skills for agents keep the rules of its form, and name only tools and commands that exist.
// https://agentskills.io/specification

import { execFile } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import * as z from 'zod';
import list from '../tools/list.json' with { type: 'json' };
import { entryUnderTest, nodeUnderTest } from './fixtures/under-test.ts';
import defaults from './tool-lists/default.json' with { type: 'json' };

const skills = readdirSync('skills');

const head = z.strictObject({
  name: z.string().regex(/^[a-z]+(-[a-z]+)*$/),
  description: z.string().min(1).max(1024),
  license: z.literal('MIT'),
  compatibility: z.string().max(500).optional(),
});

async function textOf(skill: string): Promise<string> {
  return readFile(`skills/${skill}/SKILL.md`, 'utf8');
}

it('there is one that comes first, and one for each topic', async () => {
  expect(skills).toContain('fovea');
  const first = await textOf('fovea');
  for (const skill of skills) expect(first).toContain(skill);
});

describe.each(skills)('%s', (skill) => {
  it('has the head that hosts read', async () => {
    const [, matter = ''] = (await textOf(skill)).split('---\n');
    const { name, description } = head.parse(parse(matter));
    expect(name).toBe(skill);
    expect(description).toContain('Use when');
  });

  it('names only tools and commands that there are, and is short', async () => {
    const text = await textOf(skill);
    const named = [...text.matchAll(/`([a-z]+(?:_[a-z]+)+)`/g)].map(([, name]) => name);
    const reached = ['find', 'read', 'write', 'delete'].map((kind) => `operations_${kind}`);
    const known = new Set([...list.map(({ name }) => name), ...reached, ...words]);
    expect(named.filter((name) => name !== undefined && !known.has(name))).toEqual([]);
    expect(new Set(named).size).toBeGreaterThan(skill === 'self-host' ? 1 : 4);
    // What is loaded into a model should be read by it.
    expect(text.split('\n').length).toBeLessThan(100);
    expect(text).not.toMatch(/\bnpx\b/);
    for (const [, command = ''] of text.matchAll(/`fovea ([a-z][a-z-]*)/g)) {
      expect(await help()).toContain(`  ${command}`);
    }
  });
});

it('all tools that most work needs are named', async () => {
  const texts = (await Promise.all(skills.map(textOf))).join('\n');
  const unnamed = list.map(({ name }) => name).filter((name) => !texts.includes(`\`${name}\``));
  expect(unnamed.filter((name) => isDefault(name))).toEqual([]);
});

/** Arguments. */
const words = ['save_to', 'dry_run', 'metadata_filter', 'event_data_filter', 'detection_filter'];

function isDefault(name: string): boolean {
  return defaults.tools.some((tool) => (typeof tool === 'string' ? tool : tool.name) === name);
}

async function help(): Promise<string> {
  const { stdout } = await promisify(execFile)(nodeUnderTest, [entryUnderTest(), '--help']);
  return stdout;
}
