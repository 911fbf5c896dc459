// Builds the release: dist/fovea.js and its parts, and the licences of what is bundled.

import { chmodSync, cpSync, rmSync, writeFileSync } from 'node:fs';
import { build } from 'esbuild';
import { licenceNotices } from './bundle/licences.ts';

rmSync('dist', { recursive: true, force: true });
const { metafile } = await build({
  entryPoints: {
    fovea: 'src/bin/fovea.ts',
    // The entries of threads lie beside the parts that start them.
    'parts/version-worker': 'src/platform/versions/version-worker.ts',
    'parts/example-trainer': 'src/bin/example-trainer.ts',
    'parts/reader-worker': 'src/platform/zips/reader-worker.ts',
    'parts/model-worker': 'src/platform/models/model-worker.ts',
    'parts/event-writer': 'src/event-store/store/event-writer.ts',
  },
  outdir: 'dist',
  bundle: true,
  // What the first tool call needs is in files of its own, which a start does not read.
  splitting: true,
  chunkNames: 'parts/[name]-[hash]',
  format: 'esm',
  platform: 'node',
  target: 'node22.13',
  minifySyntax: true,
  minifyWhitespace: true,
  // Native: they stay packages of their own, and are loaded when they are first needed.
  external: ['sharp', '@napi-rs/keyring', 'keytar', 'onnxruntime-node', 'onnxruntime-web'],
  // Packages in CommonJS ask for Node's built-in modules through `require`.
  banner: {
    js: `import{createRequire as makeRequire}from'node:module';const require=makeRequire(import.meta.url);`,
  },
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
chmodSync('dist/fovea.js', 0o755);
// Files that browsers load lie beside the part that serves them.
const pages = {
  'http-server/page-parts': 'page-parts',
  'event-store/page': 'page',
  'platform/platform-page': 'platform-page',
};
for (const [source, target] of Object.entries(pages)) {
  cpSync(`src/${source}`, `dist/parts/${target}`, {
    recursive: true,
    filter: (path) => !/\.(ts|json)$/.test(path),
  });
}
const viewer = 'node_modules/swagger-ui-dist';
for (const name of ['swagger-ui-bundle.js', 'swagger-ui-bundle.js.LICENSE.txt', 'swagger-ui.css']) {
  cpSync(`${viewer}/${name}`, `dist/parts/page-parts/swagger-ui/${name}`);
}
const bundled = [...Object.keys(metafile.inputs), `${viewer}/swagger-ui.css`];
writeFileSync('dist/THIRD-PARTY-LICENSES.txt', licenceNotices(bundled));
for (const [path, { bytes }] of Object.entries(metafile.outputs)) {
  process.stderr.write(`${String(bytes).padStart(9)}  ${path}\n`);
}
