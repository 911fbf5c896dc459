// What imports the same labelled folder: Fovea over MCP, a Python script, and a plain copy.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readdirSync } from 'node:fs';
import { open, readFile, rename } from 'node:fs/promises';
import { delimiter, join } from 'node:path';
import { launchStdio } from '../../scripts/profile/processes.ts';
import { findPython } from '../../scripts/test-reference/find-python.ts';
import { usageOfTree } from '../measure/process-tree.ts';

export interface LabelledFolder {
  readonly images: string;
  readonly annotations: string;
}

export interface Imported {
  readonly ms: number;
  /** Of the process, start included. */
  readonly cpuMs: number;
  readonly images: number;
  readonly boxes: number;
  /** Undefined where it was not measured. */
  readonly peakBytes: number | undefined;
}

export interface Contender {
  readonly name: string;
  /** Imports into `folder`, which does not exist yet. */
  run(data: LabelledFolder, folder: string): Promise<Imported>;
}

const project = 'import';

/** From the call to its answer: each image is on the disk then, and found by searches. */
export function fovea(entry: string): Contender {
  return {
    name: 'fovea, images_upload over stdio',
    run: async ({ images, annotations }, folder) => {
      mkdirSync(folder);
      const environment = { FOVEA_FILE_ROOTS: [images, annotations].join(delimiter) };
      const server = launchStdio({ entry, nodeFlags: [], folder, environment });
      await server.ask('initialize', {
        protocolVersion: '2025-11-25',
        capabilities: {},
        clientInfo: { name: 'bench', version: '1' },
      });
      const made = { name: project, type: 'object-detection', annotation: 'things' };
      await server.call('projects_create', made);
      const before = usageOfTree(server.pid);
      const started = performance.now();
      const sent = await server.call('images_upload', { project, files: [images], annotations });
      const ms = performance.now() - started;
      const { cpuMs, peakBytes } = usageOfTree(server.pid);
      const found = await server.call('workspace_search', {
        query: `project:${project} annotated:true`,
      });
      await server.end();
      if (found.total !== sent.uploaded) throw new Error(`${found.total} images are found`);
      return {
        ms,
        cpuMs: cpuMs - before.cpuMs,
        images: Number(sent.uploaded),
        boxes: Number(sent.boxes),
        peakBytes,
      };
    },
  };
}

/**
 * What a careful script does; its pixels are not decoded either. Its start counts, some 0.1 s.
 * Throws where no Python has Pillow.
 */
export function pythonScript(): Contender {
  const python = findPython(['PIL']);
  if (python === undefined) throw new Error('Install Pillow: Debian has it as python3-pil.');
  const script = join(import.meta.dirname, 'peer.py');
  return {
    name: 'Python: Pillow, ElementTree, SQLite',
    run: async ({ images, annotations }, folder) => {
      const started = performance.now();
      const ran = spawnSync(python, [script, images, annotations, folder], { encoding: 'utf8' });
      const ms = performance.now() - started;
      if (ran.status !== 0) throw new Error(`the Python script failed: ${ran.stderr}`);
      const [count = 0, boxes = 0] = ran.stdout.split(' ').map(Number);
      return { ms, cpuMs: Number.NaN, images: count, boxes, peakBytes: undefined };
    },
  };
}

/** The limit: each file is copied, synced and renamed, and its folder synced; nothing is read. */
export const plainCopy: Contender = {
  name: 'plain copy, each file synced',
  run: async ({ images }, folder) => {
    mkdirSync(folder);
    const names = readdirSync(images);
    const before = process.cpuUsage();
    const started = performance.now();
    let next = 0;
    const lane = async () => {
      while (next < names.length) {
        const name = names[next++] ?? '';
        const draft = join(folder, `${name}.draft`);
        const file = await open(draft, 'wx');
        await file.writeFile(await readFile(join(images, name)));
        await file.sync();
        await file.close();
        await rename(draft, join(folder, name));
        const parent = await open(folder, 'r');
        await parent.sync();
        await parent.close();
      }
    };
    await Promise.all(Array.from({ length: 16 }, lane));
    const ms = performance.now() - started;
    const { user, system } = process.cpuUsage(before);
    const cpuMs = (user + system) / 1000;
    return { ms, cpuMs, images: names.length, boxes: 0, peakBytes: undefined };
  },
};
