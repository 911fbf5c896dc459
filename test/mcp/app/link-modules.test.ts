// Modules of a page as one script.

import { runInNewContext } from 'node:vm';
import { expect, it } from 'vitest';
import { linkModules } from '../../../src/mcp/app/link-modules.ts';

const link = (files: Readonly<Record<string, string>>) =>
  linkModules('a/main.js', async (path) => {
    const text = files[path];
    if (text === undefined) throw new Error(`${path} was asked for`);
    return text;
  });

it('each module runs once, after what it imports, with names of its own', async () => {
  const script = await link({
    'a/main.js': `import { name as first } from './first.js';
import {
  name,
  Thing,
} from '../b/second.js';
import './loud.js';

const own = 1;
said.push(first, name(), new Thing().own, own);
`,
    'a/first.js': `import { Thing } from '../b/second.js';\n\nconst own = 2;
export const name = \`first \${new Thing().own + own}\`;\n`,
    'b/second.js': `said.push('second runs');\nconst own = 40;\nexport function name() {
  return '</script><!--';\n}\nexport class Thing {\n  own = own;\n}\n`,
    'a/loud.js': `said.push('loud runs');\n`,
  });
  const said: unknown[] = [];
  runInNewContext(script, { said });
  expect(said).toEqual(['second runs', 'loud runs', 'first 42', '</script><!--', 40, 1]);
  // In a page, these would end the script.
  expect(script).not.toMatch(/<\/script|<!--/);
});

it('what cannot be linked is refused', async () => {
  const circle = { 'a/main.js': `import { x } from './x.js';\n` };
  await expect(link({ ...circle, 'a/x.js': `import { y } from './main.js';\n` })).rejects.toThrow(
    'a/main.js is imported in a circle',
  );
  const all = `import * as all from './x.js';`;
  await expect(link({ 'a/main.js': `${all}\n` })).rejects.toThrow(`cannot be linked: ${all}`);
  const changing = 'export let changing = 1;';
  await expect(link({ 'a/main.js': changing })).rejects.toThrow('a/main.js: cannot be linked');
});
