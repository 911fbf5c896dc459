// Holds Fovea against a specification: npm run conformance -- mcp|platform|event-store. Without a
// name, against the Model Context Protocol. What follows the name goes to the file of that name.

const suites: Readonly<Record<string, () => Promise<unknown>>> = {
  mcp: () => import('./conformance/mcp.ts'),
  platform: () => import('./conformance/platform.ts'),
  'event-store': () => import('./conformance/event-store.ts'),
};

const [name = 'mcp'] = process.argv.slice(2);
const suite = Object.hasOwn(suites, name) ? suites[name] : undefined;
if (suite === undefined) {
  const known = Object.keys(suites).join(', ');
  process.stderr.write(`There is no conformance suite ${name}. The suites: ${known}.\n`);
  process.exitCode = 2;
}
await suite?.();
