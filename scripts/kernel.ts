// Compiles what is in AssemblyScript, the pixel kernel and the dot products of vectors, into the
// compiled-wasm.ts of each. A command of its own, because the compiler is large: it is installed
// beside it on the first run. `--check` writes nothing and fails where a file is not what the
// sources give.

import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { holdOperands } from './kernel/hold-operands.ts';

const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
const folder = resolve('scripts/kernel');
const compiler = join(folder, 'node_modules/assemblyscript/bin/asc.js');

const kernels = [
  {
    what: 'The compiled pixel kernel',
    entry: 'src/dataset-versions/kernel/assembly/kernel.ts',
    target: 'src/dataset-versions/kernel/compiled-wasm.ts',
  },
  {
    what: 'The compiled dot products',
    entry: 'src/vector-search/assembly/dots.ts',
    target: 'src/vector-search/compiled-wasm.ts',
  },
] as const;

if (!existsSync(compiler)) {
  const words = ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'];
  execFileSync('npm', words, { cwd: folder, stdio: 'inherit' });
}
const binaryen = join(folder, 'node_modules/binaryen/index.js');
for (const { what, entry, target } of kernels) {
  const wasm = Buffer.from(await holdOperands(compile(entry), binaryen));
  const content = [
    `// ${what}: WebAssembly in base64. Written by "npm run kernel".`,
    '',
    'export const compiledKernel =',
    `  '${wasm.toString('base64')}';`,
    '',
  ].join('\n');
  if (existsSync(target) && readFileSync(target, 'utf8') === content) continue;
  if (values.check) {
    process.stderr.write(`${target} is not up to date: run "npm run kernel".\n`);
    process.exitCode = 1;
  } else {
    writeFileSync(target, content);
    process.stderr.write(`${target} written.\n`);
  }
}

function compile(entry: string): Buffer {
  const output = mkdtempSync(join(tmpdir(), 'fovea-kernel-'));
  try {
    const file = join(output, 'kernel.wasm');
    execFileSync(
      process.execPath,
      [
        compiler,
        entry,
        '--outFile',
        file,
        // Without a garbage collector: the caller hands out memory.
        '--runtime',
        'stub',
        '--use',
        'abort=',
        '--maximumMemory',
        '65536',
        '-O3',
        '--noAssert',
        // About functions between its files; the module exports none with vectors.
        '--disableWarning',
        '112',
        '--enable',
        'simd',
        '--enable',
        'relaxed-simd',
      ],
      { stdio: 'inherit' },
    );
    return readFileSync(file);
  } finally {
    rmSync(output, { recursive: true, force: true });
  }
}
