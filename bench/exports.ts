// `npm run bench:exports`: a version of many images written as a zip file, beside a plain copy of
// its files into one synced file and Python's zipfile. Ends with 1 where it takes too long.

import { execFileSync } from 'node:child_process';
import {
  closeSync,
  fsyncSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { systemClock } from '../src/clock.ts';
import type { ExportDataset } from '../src/export-formats/export-dataset.ts';
import { checkExportFormat } from '../src/export-formats/export-format.ts';
import { writeExport } from '../src/export-formats/write-zip.ts';
import { exportImage } from '../src/platform/background-tasks/to-export-dataset.ts';
import { createSqliteStore } from '../src/platform/database/create-store.ts';
import { platformMigrations } from '../src/platform/database/migrations.ts';
import { randomFrom } from '../src/seeded-random.ts';
import { openAsyncDatabase } from '../src/storage/async-database.ts';
import { sha256 } from '../src/storage/content-hash.ts';
import { openDatabase } from '../src/storage/database.ts';
import { blobFolder, openBlobs } from '../src/storage/open-blobs.ts';
import { createTaskQueue } from '../src/storage/task-queue.ts';
import { Said } from './measure/said.ts';
import { formatRange, formatTable, median } from './measure/text-table.ts';

const { values } = parseArgs({
  options: {
    images: { type: 'string', default: '100000' },
    kilobytes: { type: 'string', default: '20' },
    rounds: { type: 'string', default: '3' },
    formats: { type: 'string', default: 'yolov11,coco' },
    write: { type: 'boolean', default: false },
  },
});
const [images = 0, kilobytes = 0, rounds = 0] = [
  values.images,
  values.kilobytes,
  values.rounds,
].map(Number);
if (!images || !kilobytes || !rounds) {
  throw new Error('--images, --kilobytes and --rounds are numbers');
}

/** Times the plain copy. */
const timesMax = 2;
const versionId = 'version';
const classes = ['class-0', 'class-1', 'class-2'];

const data = mkdtempSync(join(tmpdir(), 'fovea-exports-'));
const outputPath = join(data, 'export.zip');
const said = new Said();
try {
  await main();
} finally {
  rmSync(data, { recursive: true, force: true });
}

interface Run {
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

async function main(): Promise<void> {
  const paths = fill(images, kilobytes * 1024);
  said.say(
    `${images} images of ${kilobytes} KB, 10 boxes each; median (range) of ${rounds} rounds`,
  );
  const kinds: Readonly<Record<string, () => Promise<Run>>> = {
    ...Object.fromEntries(
      values.formats
        .split(',')
        .map((format) => [`fovea, ${format}`, () => measured(() => exportOnce(format))]),
    ),
    'Python zipfile, stored': () => Promise.resolve(pythonZip(paths)),
    'plain copy into one synced file': () => measured(() => plainCopy(paths)),
  };
  const runs = new Map<string, Run[]>(Object.keys(kinds).map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [name, run] of Object.entries(kinds)) {
      runs.get(name)?.push(await run());
      rmSync(outputPath, { force: true });
    }
  }
  report(runs);
  if (values.write) said.write('npm run bench:exports');
}

function report(runs: ReadonlyMap<string, readonly Run[]>): void {
  const copied = runs.get('plain copy into one synced file') ?? [];
  const rows = [['', 'seconds', 'MB/s', 'CPU s', 'memory MB more', 'x the plain copy']];
  for (const [name, some] of runs) {
    const times = some.map(({ seconds }, index) => seconds / (copied[index]?.seconds ?? 1));
    rows.push([
      name,
      formatRange(
        some.map(({ seconds }) => seconds),
        1,
      ),
      formatRange(some.map(({ seconds }) => (images * kilobytes) / 1024 / seconds)),
      formatRange(
        some.map(({ cpuSeconds }) => cpuSeconds),
        1,
      ),
      formatRange(some.map(({ megabytes }) => megabytes)),
      formatRange(times, 2),
    ]);
    if (!name.startsWith('fovea') || median(times) <= timesMax) continue;
    process.exitCode = 1;
    said.say(
      `TOO SLOW: ${name}: ${median(times).toFixed(2)} x the plain copy, at most ${timesMax}`,
    );
  }
  said.say(formatTable(rows));
}

async function exportOnce(format: string): Promise<void> {
  const database = openAsyncDatabase(join(data, 'platform.db'), platformMigrations);
  const queue = createTaskQueue(database, { clock: systemClock, owner: 'bench' });
  const store = createSqliteStore(database, queue);
  const blobs = await openBlobs({ data, objects: undefined, owner: 'bench', clock: systemClock });
  const dataset: ExportDataset = {
    projectType: 'object-detection',
    classes,
    info: {
      project: 'Large',
      annotation: 'things',
      version: 1,
      versionName: 'First',
      license: undefined,
      created: 1,
    },
    images: async function* (split) {
      for await (const row of store.versions.images(versionId, split)) {
        yield exportImage(row, blobs);
      }
    },
  };
  await writeExport(checkExportFormat(format, 'object-detection'), dataset, outputPath);
  database.close();
}

/** Of this process; its memory is looked at ten times a second. */
async function measured(work: () => Promise<void> | void): Promise<Run> {
  const before = process.memoryUsage.rss();
  let peak = before;
  const look = () => {
    peak = Math.max(peak, process.memoryUsage.rss());
  };
  const looking = setInterval(look, 100);
  const cpu = process.cpuUsage();
  const start = performance.now();
  await work();
  const seconds = (performance.now() - start) / 1000;
  const { user, system } = process.cpuUsage(cpu);
  clearInterval(looking);
  look();
  return { seconds, cpuSeconds: (user + system) / 1e6, megabytes: (peak - before) / 1024 ** 2 };
}

function plainCopy(paths: readonly string[]): void {
  const output = openSync(outputPath, 'w');
  for (const path of paths) writeSync(output, readFileSync(path));
  fsyncSync(output);
  closeSync(output);
}

function pythonZip(paths: readonly string[]): Run {
  const script = `
import os, resource, sys, time, zipfile
start = time.perf_counter()
with open(sys.argv[1], "wb") as output:
    with zipfile.ZipFile(output, "w", zipfile.ZIP_STORED) as archive:
        for path in sys.stdin.read().split("\\n"):
            archive.write(path, os.path.basename(path) + ".jpg")
    output.flush()
    os.fsync(output.fileno())
seconds = time.perf_counter() - start
used = resource.getrusage(resource.RUSAGE_SELF)
print(seconds, used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)
`;
  const output = execFileSync('python3', ['-c', script, outputPath], {
    input: paths.join('\n'),
    encoding: 'utf8',
  });
  const [seconds = 0, cpuSeconds = 0, megabytes = 0] = output.trim().split(' ').map(Number);
  return { seconds, cpuSeconds, megabytes };
}

/** Writes a version with its images; gives their files. */
function fill(count: number, bytes: number): readonly string[] {
  const random = randomFrom('exports');
  const content = Buffer.from(Array.from({ length: bytes }, () => random() * 256));
  const database = openDatabase(join(data, 'platform.db'), platformMigrations);
  const hashes = Array.from({ length: count }, (_, index) => {
    content.writeUInt32LE(index, 0);
    const hash = sha256(content);
    const folder = join(blobFolder(data), hash.slice(0, 2));
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, hash), content);
    return hash;
  });
  const boxes = Array.from({ length: 10 }, (_, index) => ({
    label: classes[index % 3] ?? '',
    x: 32 + index * 7,
    y: 40 + index * 5,
    width: 20,
    height: 24,
  }));
  database.transaction(() => {
    database.run(
      `INSERT INTO workspaces (id, slug, name, created) VALUES ('acme', 'acme', 'acme', 1)`,
    );
    database.run(
      `INSERT INTO projects (id, workspace_id, slug, name, type, annotation, created, updated)
       VALUES ('project', 'acme', 'large', 'Large', 'object-detection', 'things', 1, 1)`,
    );
    database.run(
      `INSERT INTO versions (id, project_id, number, name, settings, task_id, ready, images, splits,
         classes, created)
       VALUES (?, 'project', 1, 'First', '{}', 'task', 1, ?, '{}', ?, 1)`,
      [versionId, count, JSON.stringify(classes)],
    );
    for (const [index, hash] of hashes.entries()) {
      database.run(`INSERT INTO version_images VALUES (?, ?, 0, ?, ?, 'train', 640, 640, ?)`, [
        versionId,
        index + 1,
        `image-${index}.jpg`,
        hash,
        JSON.stringify({ kind: 'detection', boxes }),
      ]);
    }
  });
  database.close();
  return hashes.map((hash) => join(blobFolder(data), hash.slice(0, 2), hash));
}
