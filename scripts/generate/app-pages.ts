// The pages for hosts with MCP Apps: each one file, with its styles and its program inside, since a
// page there has no address from which it could load anything.

import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { buildSync } from 'esbuild';
import { appPages as pages } from '../../src/mcp/app/resource.ts';

const folder = 'src/mcp/app/page';

/** Path of each page to its HTML. */
export function appPages(): Readonly<Record<string, string>> {
  return Object.fromEntries(
    pages.map(({ name, title }) => [`src/mcp/app/pages/${name}.html`, pageOf(name, title)]),
  );
}

function pageOf(name: string, title: string): string {
  const style = readFileSync(`${folder}/style.css`, 'utf8');
  const script = bundled(`${folder}/${name}.js`);
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main id="view"><p class="status" role="status">Waiting for the answer.</p></main>
<script>${script}</script>
</body>
</html>
`;
}

/** Of a page, only these very styles and this very program may be used. */
function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

function bundled(entry: string): string {
  const { outputFiles } = buildSync({
    entryPoints: [entry],
    bundle: true,
    write: false,
    format: 'iife',
    target: 'es2022',
    legalComments: 'none',
    logLevel: 'warning',
    // A tag in a text would end the script of the page.
    supported: { 'inline-script': false },
  });
  return outputFiles.map(({ text }) => text).join('');
}
