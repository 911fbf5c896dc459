// The release in a folder: fovea.js, its parts, and the licences of what is bundled.

import {
  chmodSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { build, transformSync } from 'esbuild';
import { type Compression, compressFile } from './compress-file.ts';
import { licenceNotices } from './licence-texts.ts';
import { sharpInside, sharpScript, writeSharpWasm } from './sharp-wasm.ts';

export interface Release {
  /** Bytes of each file that was written from modules. */
  readonly bytes: ReadonlyMap<string, number>;
  /** Folders of the packages that are inside, sorted. */
  readonly packages: readonly string[];
}

export interface ReleaseOptions {
  /** `quick`: half a megabyte larger, and half a minute sooner where it is a checkout's first. */
  readonly compression?: Compression;
  /** Beside each script, for profiles; false unless given. */
  readonly sourceMaps?: boolean;
}

/** Writes the release into a folder, which is emptied first. Throws what esbuild throws. */
export async function buildRelease(
  folder: string,
  { compression = 'best', sourceMaps = false }: ReleaseOptions = {},
): Promise<Release> {
  rmSync(folder, { recursive: true, force: true });
  const { metafile } = await bundle(folder, sourceMaps);
  const outputs = Object.entries(metafile.outputs);
  refuseLooseParts(outputs.map(([path]) => path).filter((path) => !path.endsWith('.map')));
  chmodSync(join(folder, 'fovea.js'), 0o755);
  copyPages(folder, compression);
  const ofSharp = await writeSharpWasm(join(folder, 'parts'), compression);
  const bundled = [...Object.keys(metafile.inputs), `${viewer}/swagger-ui.css`, ...ofSharp];
  const { packages, text } = licenceNotices(bundled);
  writeFileSync(join(folder, 'THIRD-PARTY-LICENSES.txt'), text);
  return { bytes: new Map(outputs.map(([path, { bytes }]) => [path, bytes])), packages };
}

function bundle(folder: string, sourceMaps: boolean) {
  return build({
    entryPoints: {
      fovea: 'src/bin/fovea.ts',
      // The entries of threads and of processes lie beside the parts that start them.
      'parts/render-worker': 'src/dataset-versions/render-worker.ts',
      'parts/trainer-supervisor': 'src/trainers/trainer-supervisor.ts',
      'parts/image-worker': 'src/imaging/image-worker.ts',
      'parts/annotation-worker': 'src/platform/annotation-threads/annotation-worker.ts',
      'parts/log-worker': 'src/storage/log-worker.ts',
      'parts/disk-image-worker': 'src/platform/disk-images/disk-image-worker.ts',
      'parts/evaluation-worker': 'src/platform/evaluations/evaluation-worker.ts',
      'parts/comparison-worker': 'src/platform/database/comparisons/comparison-worker.ts',
      'parts/long-read-worker': 'src/platform/database/long-reads/long-read-worker.ts',
      'parts/zip-worker': 'src/export-formats/zip-worker.ts',
      'parts/file-worker': 'tools/upload/file-worker.ts',
      'parts/model-worker': 'src/model-inference/model-worker.ts',
      'parts/encoder-worker': 'src/model-inference/encoder-worker.ts',
      'parts/background-thread': 'src/event-store/background/background-thread.ts',
      'parts/thread-process-host': 'src/thread-process/thread-process-host.ts',
      'parts/event-writer': 'src/event-store/store/event-writer.ts',
    },
    outdir: folder,
    bundle: true,
    // Modules of the first tool call are in separate files, which a start does not read.
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node22.16',
    minifySyntax: true,
    minifyWhitespace: true,
    // oidc-provider tells its kinds of tokens apart by the names of their classes.
    keepNames: true,
    // Native: they stay packages of their own, and are loaded when they are first needed. Where
    // there is no sharp, the one inside is used.
    external: ['sharp', '@napi-rs/keyring', 'keytar', 'onnxruntime-node', 'onnxruntime-web'],
    plugins: [sharpInside],
    alias: {
      // Its main file asks for the others through a parameter, which nothing follows.
      'jsonc-parser': 'jsonc-parser/lib/esm/main.js',
      bowser: './scripts/build/no-browser-names.ts',
      // Koa looks up these four short names; all others are written out by who sets them.
      'mime-db': './scripts/build/media-types.json',
      '@modelcontextprotocol/server/_shims': './scripts/build/mcp-package-shims.ts',
    },
    // Packages in CommonJS ask for Node's built-in modules through `require`, and for those that
    // stay outside. Most parts ask for nothing.
    banner: {
      js: `const require=name=>process.getBuiltinModule(name)??process.getBuiltinModule('module').createRequire(import.meta.url)(name);`,
    },
    legalComments: 'none',
    sourcemap: sourceMaps ? 'external' : false,
    sourcesContent: false,
    metafile: true,
    logLevel: 'warning',
  });
}

/** A file of a package that was not taken in would be missed at the first call that needs it. */
function refuseLooseParts(paths: readonly string[]): void {
  for (const path of paths) {
    const asked = readFileSync(path, 'utf8').matchAll(/\brequire\d*\("(\.[^"]*)"\)/g);
    const loose = [...asked].find(([, name]) => name !== `./${sharpScript}`);
    if (loose) throw new Error(`${path}: ${loose[0]} is not in the release.`);
  }
}

/** Files that browsers load lie beside the part that serves them. */
function copyPages(folder: string, compression: Compression): void {
  for (const [source, target] of Object.entries(pages)) {
    cpSync(`src/${source}`, join(folder, 'parts', target), {
      recursive: true,
      filter: (path) => !/\.(ts|json)$/.test(path),
    });
    dropComments(join(folder, 'parts', target));
  }
  const target = join(folder, 'parts/page-assets/swagger-ui');
  mkdirSync(target, { recursive: true });
  cpSync(`${viewer}/${viewerLicence}`, join(target, viewerLicence));
  for (const name of viewerFiles) {
    writeFileSync(join(target, `${name}.br`), compressFile(`${viewer}/${name}`, compression));
  }
}

/** A third of the scripts is for those who read their sources. */
function dropComments(folder: string): void {
  for (const name of readdirSync(folder, { recursive: true, encoding: 'utf8' })) {
    if (!name.endsWith('.js')) continue;
    const path = join(folder, name);
    const { code } = transformSync(readFileSync(path, 'utf8'), { charset: 'utf8' });
    writeFileSync(path, code);
  }
}

const pages = {
  'http-server/page-assets': 'page-assets',
  'event-store/page': 'page',
  'mcp/app/host-pages': 'host-pages',
  'platform/platform-page': 'platform/platform-page',
  'query-language/grammar': 'grammar',
};
const viewer = 'node_modules/swagger-ui-dist';
const viewerFiles = ['swagger-ui-bundle.js', 'swagger-ui.css'] as const;
const viewerLicence = 'swagger-ui-bundle.js.LICENSE.txt';
