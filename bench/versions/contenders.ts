// Who stands side by side in the bench, and how each is asked.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { findPython } from '../../scripts/test-reference/find-python.ts';
import { type Answer, answer, type Request } from './request.ts';

export interface Contender {
  readonly name: string;
  /** A peer that writes the same kind of file, or one that writes a smaller kind. */
  readonly role: 'ours' | 'peer' | 'half peer';
  ask(request: Omit<Request, 'chroma'>): Promise<Answer>;
}

/** Without a Python that has OpenCV and Pillow, only Fovea. */
export function findContenders(): readonly Contender[] {
  const ours: Contender = {
    name: 'Fovea (4:4:4)',
    role: 'ours',
    ask: (request) => run(process.execPath, 'engine.ts', { ...request, chroma: '4:4:4' }),
  };
  const python = findPython(['cv2', 'numpy', 'PIL']);
  if (python === undefined) return [ours];
  return [
    ours,
    {
      name: 'OpenCV, Pillow encodes (4:4:4)',
      role: 'peer',
      ask: (request) => run(python, 'opencv.py', { ...request, chroma: '4:4:4' }),
    },
    {
      name: 'OpenCV alone (4:2:0)',
      role: 'half peer',
      ask: (request) => run(python, 'opencv.py', { ...request, chroma: '4:2:0' }),
    },
  ];
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
