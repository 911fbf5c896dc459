// sharp in WebAssembly, as the release carries it: JavaScript in a part of its own, the glue of
// the WebAssembly as one script, and the WebAssembly itself as a compressed file, which may be
// replaced (LGPL).

import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join, resolve } from 'node:path';
import { build, type Plugin } from 'esbuild';
import { type Compression, compressFile } from './compress-file.ts';

const require = createRequire(import.meta.url);
const packageFolder = 'node_modules/@img/sharp-wasm32';

/** What the other half of sharp is asked for, beside the part that asks. */
export const sharpScript = 'sharp-wasm32.cjs';

/** Replaces src/imaging/wasm-sharp.ts: contains what that module finds at run time. */
export const sharpInside: Plugin = {
  name: 'sharp-inside',
  setup: ({ onLoad, onResolve }) => {
    onLoad({ filter: /[/\\]imaging[/\\]wasm-sharp\.ts$/ }, () => {
      // By its path: the name alone is that of the native one, which stays outside.
      const entry = JSON.stringify(require.resolve('sharp'));
      return { contents: `export const openWasmSharp = () => require(${entry});`, loader: 'js' };
    });
    onResolve({ filter: /^\.\/sharp\.cjs$/ }, ({ importer }) => {
      return dirname(importer) === dirname(require.resolve('sharp'))
        ? { path: `./${sharpScript}`, external: true }
        : undefined;
    });
  },
};

/** Writes the script and the compressed WebAssembly into a folder. Gives the files it read. */
export async function writeSharpWasm(
  folder: string,
  compression: Compression,
): Promise<readonly string[]> {
  const glue = gluePath();
  const { metafile } = await build({
    entryPoints: [glue],
    outfile: join(folder, sharpScript),
    bundle: true,
    // As it came: threads start at this very file, and the WebAssembly lies beside it.
    format: 'cjs',
    platform: 'node',
    target: 'node22.16',
    minifySyntax: true,
    minifyWhitespace: true,
    minifyIdentifiers: true,
    banner: { js: '// The script of @img/sharp-wasm32, changed in the places that Fovea names.' },
    legalComments: 'none',
    metafile: true,
    logLevel: 'warning',
    plugins: [{ name: 'glue', setup: ({ onLoad }) => onLoad({ filter: gluePattern }, changed) }],
  });
  const wasm = glue.replace(/\.js$/, '.wasm');
  writeFileSync(join(folder, `${basename(wasm)}.br`), compressFile(wasm, compression));
  return Object.keys(metafile.inputs);
}

const gluePattern = /[/\\]sharp-wasm32-[\d.]+\.node\.js$/;

function gluePath(): string {
  const index = readFileSync(join(packageFolder, 'index.cjs'), 'utf8');
  const file = /require\('(.+?)'\)/.exec(index)?.[1];
  if (file === undefined) throw new Error('@img/sharp-wasm32 names no script.');
  return resolve(packageFolder, `${file}.js`);
}

function changed({ path }: { readonly path: string }) {
  const contents = changes.reduce(
    (text, [from, to]) => {
      const parts = text.split(from);
      if (parts.length !== 2)
        throw new Error(`${path}: "${from}" is there ${parts.length - 1} times.`);
      return parts.join(to);
    },
    readFileSync(path, 'utf8'),
  );
  return { contents, loader: 'js' } as const;
}

/** Each text stands there once; a version without it stops the build. */
const changes: readonly (readonly [string, string])[] = [
  // The file is compressed.
  [
    'filename=isFileURI(filename)?new URL(filename):filename;var ret=fs.readFileSync(filename);return ret',
    'return require("node:zlib").brotliDecompressSync(fs.readFileSync(filename+".br"))',
  ],
  // What sharp gives out is copied at once, and its memory is free again. It would wait for a
  // garbage collection otherwise, which does not see that memory: of the largest images the
  // fourth fails. Nor could another thread keep what lies in the memory of this one.
  [
    'return _emnapi_create_memory_view(env,-2,data,length,finalize_cb,finalize_hint,result)',
    [
      'var copy=Buffer.allocUnsafeSlow(length);copy.set(new Uint8Array(wasmMemory.buffer,data,length));',
      // Whoever makes a buffer asks for its place in the memory, and would get another copy there.
      'emnapiExternalMemory.table.set(copy.buffer,{address:data,ownership:0,runtimeAllocated:0});',
      'queueMicrotask(()=>emnapiExternalMemory.table.delete(copy.buffer));',
      '(growMemViews(),HEAPU32)[result>>2]=emnapiCtx.addToCurrentScope(copy).id;',
      'emnapiCtx.envStore.get(env).callFinalizer(finalize_cb,data,finalize_hint);return 0',
    ].join(''),
  ],
  // Standard output belongs to the protocol.
  ['defaultPrint=(...args)=>fs.writeSync(1,', 'defaultPrint=(...args)=>fs.writeSync(2,'],
];
