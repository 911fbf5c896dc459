// The skills as they go into the server, which serves them as resources.

import { readdirSync, readFileSync } from 'node:fs';
import { parse } from 'yaml';
import * as z from 'zod';

const head = z.object({ name: z.string(), description: z.string() });

/** The content of src/mcp/skills/skills.json: name, description and text of each skill. */
export function skillResources(): string {
  const skills = readdirSync('skills')
    .toSorted()
    .map((folder) => {
      const text = readFileSync(`skills/${folder}/SKILL.md`, 'utf8');
      const [, matter = ''] = text.split('---\n');
      const { name, description } = head.parse(parse(matter));
      return { name, description, text };
    });
  return `${JSON.stringify(skills, null, 1)}\n`;
}
