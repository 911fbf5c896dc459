// A flame graph as one HTML file, which needs no network.

import { join } from 'node:path';
import { build } from 'esbuild';
import { type CallTree, textOf } from './call-tree.ts';
import type { Measure } from './measures.ts';

interface Frame {
  readonly name: string;
  readonly value: number;
  readonly children: readonly Frame[];
}

/** Of the whole: less cannot be seen, and makes a file of many megabytes. */
const shareMin = 0.0003;

/** `title`: a line of plain words. */
export async function flameGraphPage(
  title: string,
  threads: readonly CallTree[],
  { unit }: Measure,
): Promise<string> {
  const sum = threads.reduce((all, { total }) => all + total, 0);
  const toFrame = (tree: CallTree): Frame => ({
    name: textOf(tree.place),
    value: tree.total / unit.size,
    children: tree.callees.filter(({ total }) => total > sum * shareMin).map(toFrame),
  });
  const frame: Frame = { name: title, value: sum / unit.size, children: threads.map(toFrame) };
  // In a script, `<` could end it.
  const data = JSON.stringify({ unit: unit.name, frame }).replaceAll('<', '\\u003c');
  const { script, style } = await pageAssets();
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>${title}</title>
<style>${style}body { font: 14px sans-serif } #details { min-height: 1.4em }</style>
<h1>${title}</h1>
<p>A click enlarges a part. <input type="search" placeholder="Function or file"></p>
<p id="details"></p>
<div id="graph"></div>
<script type="application/json" id="data">${data}</script>
<script>${script}</script>
</html>
`;
}

async function pageAssets() {
  const { outputFiles } = await build({
    entryPoints: [join(import.meta.dirname, 'flame-graph-page.mjs')],
    outdir: '.',
    bundle: true,
    minify: true,
    write: false,
    legalComments: 'none',
  });
  const textOfKind = (extension: string) =>
    outputFiles.find(({ path }) => path.endsWith(extension))?.text ?? '';
  return { script: textOfKind('.js'), style: textOfKind('.css') };
}
