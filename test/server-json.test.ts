// server.json, the entry of the MCP registry: its rules, and that it says what the package says.
// https://modelcontextprotocol.io/registry/package-types (schema of 2025-12-11)

import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import * as z from 'zod';
import { limits } from '../src/limits.ts';
import { entryUnderTest, nodeUnderTest } from './fixtures/under-test.ts';

/** Versions are exact: the registry refuses ranges and `latest`. */
const version = z.string().regex(/^\d+\.\d+\.\d+(-[\w.]+)?$/);

const variable = z.strictObject({
  name: z.string().regex(/^[A-Z][A-Z0-9_]*$/),
  description: z.string().min(1),
  format: z.enum(['string', 'number', 'boolean', 'filepath']).optional(),
  isRequired: z.boolean().optional(),
  isSecret: z.boolean().optional(),
});

const entry = z.strictObject({
  $schema: z.literal(
    'https://static.modelcontextprotocol.io/schemas/2025-12-11/server.schema.json',
  ),
  // One slash: a reversed host name, and a name.
  name: z
    .string()
    .max(200)
    .regex(/^[a-zA-Z0-9.-]+\/[a-zA-Z0-9._-]+$/),
  title: z.string().min(1).max(100),
  description: z.string().min(1).max(100),
  version,
  repository: z.strictObject({ url: z.url(), source: z.literal('github') }),
  packages: z
    .array(
      z.strictObject({
        registryType: z.literal('npm'),
        identifier: z.string().min(1),
        version,
        runtimeHint: z.literal('npx'),
        transport: z.strictObject({ type: z.literal('stdio') }),
        environmentVariables: z.array(variable),
      }),
    )
    .length(1),
});

it('keeps the rules of the registry and names this package', async () => {
  const said = entry.parse(JSON.parse(await readFile('server.json', 'utf8')));
  const own = JSON.parse(await readFile('package.json', 'utf8'));
  expect(said.name).toBe(own.mcpName);
  expect(said.version).toBe(own.version);
  expect(said.packages).toMatchObject([{ identifier: own.name, version: own.version }]);
  // A GitHub account may only publish names of its own.
  const owner = /^io\.github\.([^/]+)\//.exec(said.name)?.[1];
  expect(said.repository.url.split('/').at(-2)).toBe(owner);
});

it('names variables that there are, and says which is secret', async () => {
  const { packages } = entry.parse(JSON.parse(await readFile('server.json', 'utf8')));
  const variables = packages.flatMap(({ environmentVariables }) => environmentVariables);
  const settings = await readFile('docs/settings.md', 'utf8');
  for (const { name } of variables) expect(settings).toContain(`\`${name}\``);
  const secret = variables.filter(({ isSecret }) => isSecret).map(({ name }) => name);
  expect(secret).toEqual(['FOVEA_API_KEY']);
});

it('is published for the Node that the program asks for, and can be published', async () => {
  const own = JSON.parse(await readFile('package.json', 'utf8'));
  expect(limits.nodeMin).toEqual({ major: 22, minor: 16 });
  expect(own.engines.node).toBe('^22.16 || >=24');
  expect(own.private).toBe(undefined);
  expect(own.scripts.prepack).toBe('node scripts/build.ts');
});

it.each(['22.15.1', '23.11.0'])('tells Node %s so, before anything else is read', async (node) => {
  const older = `Object.defineProperty(process, 'versions', { value: { node: '${node}' } })`;
  const words = ['--import', `data:text/javascript,${older}`, entryUnderTest(), '--version'];
  await expect(promisify(execFile)(nodeUnderTest, words)).rejects.toMatchObject({
    code: 2,
    stdout: '',
    stderr: expect.stringContaining(
      `fovea: Node 22.16 or newer is needed, not 23; this is ${node}`,
    ),
  });
});

it('is offered, once published, by links that hosts understand', async () => {
  const page = await readFile('docs/publishing.md', 'utf8');
  const links = [...page.matchAll(/\((https:\S+mcp\S*[?]name=fovea\S+)\)/g)].map(
    ([, link]) => link,
  );
  const configs = links.map((link = '') => {
    const config = new URL(link).searchParams.get('config') ?? '';
    return JSON.parse(config.startsWith('{') ? config : Buffer.from(config, 'base64').toString());
  });
  expect(configs).toEqual([
    { type: 'stdio', command: 'npx', args: ['-y', 'fovea'] },
    { command: 'npx', args: ['-y', 'fovea'] },
  ]);
});
