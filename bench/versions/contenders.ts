// Who stands side by side in the bench, and how each is asked.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPython } from '../../scripts/test-reference/find-python.ts';
import type { Images } from './images.ts';
import { type Answer, answer, type Request, settings } from './request.ts';
import { storeVersion } from './stored-version.ts';

export interface Contender {
  readonly name: string;
  /** A peer that writes the same kind of file, or one that writes a smaller kind. */
  readonly role: 'ours' | 'peer' | 'half peer';
  ask(request: Omit<Request, 'chroma'>): Promise<Answer>;
  /** Makes the whole version on all cores, and leaves each image on the disk. */
  store(images: Images): Promise<Answer>;
}

/**
 * Without a Python that has OpenCV and Pillow, only Fovea, the one at `entry` where it stores. In
 * `folder` a project is prepared for it, and scripts write their files.
 */
export function findContenders(entry: string, folder: string): readonly Contender[] {
  const ours: Contender = {
    name: 'Fovea (4:4:4)',
    role: 'ours',
    ask: (request) => run(process.execPath, 'engine.ts', { ...request, chroma: '4:4:4' }),
    store: async (images) => {
      const versions = `Node ${process.version}`;
      return { ...(await storeVersion(entry, folder, images)), versions };
    },
  };
  const python = findPython(['cv2', 'numpy', 'PIL']);
  if (python === undefined) return [ours];
  return [
    ours,
    withOpenCv(python, folder, '4:4:4', {
      name: 'OpenCV, Pillow encodes (4:4:4)',
      role: 'peer',
    }),
    withOpenCv(python, folder, '4:2:0', { name: 'OpenCV alone (4:2:0)', role: 'half peer' }),
  ];
}

function withOpenCv(
  python: string,
  folder: string,
  chroma: Request['chroma'],
  { name, role }: Pick<Contender, 'name' | 'role'>,
): Contender {
  const ask = (request: Omit<Request, 'chroma'>) =>
    run(python, 'opencv.py', { ...request, chroma });
  return {
    name,
    role,
    ask,
    store: async ({ train, others }) => {
      const files = mkdtempSync(join(folder, 'opencv-'));
      const request = { ...settings, task: 'job', images: 0, train, others, files } as const;
      try {
        return await ask({ ...request, processes: availableParallelism() });
      } finally {
        rmSync(files, { recursive: true });
      }
    },
  };
}

/** Runs each request in a new process, so that no run profits from another. */
async function run(command: string, script: string, request: Request): Promise<Answer> {
  const child = spawn(command, [join(import.meta.dirname, script)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.end(JSON.stringify(request));
  const [said, [code]] = await Promise.all([text(child.stdout), once(child, 'exit')]);
  if (code !== 0) throw new Error(`${script} ended with ${code}.`);
  return answer.parse(JSON.parse(said));
}
