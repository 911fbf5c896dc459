// The skills as resources, for agents whose host has not installed them. The addresses are those of
// the MCP skills extension (SEP-2640).

import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';

const mimeType = 'text/markdown';

/** As resources/list has them. */
export async function skillResources(): Promise<readonly Resource[]> {
  return (await skills()).map(({ name, description }) => ({
    uri: addressOf(name),
    name: `skill-${name}`,
    title: `Skill: ${name}`,
    description,
    mimeType,
  }));
}

/** A skill by its URI; undefined: unknown URI. */
export async function readSkill(uri: string): Promise<ReadResourceResult | undefined> {
  const skill = (await skills()).find(({ name }) => addressOf(name) === uri);
  return skill && { contents: [{ uri, mimeType, text: skill.text }] };
}

async function skills() {
  return (await import('./skills.json', { with: { type: 'json' } })).default;
}

function addressOf(name: string): string {
  return `skill://fovea/${name}/SKILL.md`;
}
