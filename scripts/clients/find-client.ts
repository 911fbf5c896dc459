// The vendor's Python client as FOVEA_PYTHON_CLIENT names it, unpacked, and a Python that runs it.

import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, globSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';

export interface PythonClient {
  readonly python: string;
  /** PYTHONPATH. */
  readonly path: string;
  remove(): Promise<void>;
}

const names = ['python3', '/usr/bin/python3'];

/** Image formats that the client registers and the day does not use: they may be missing. */
const stubs = {
  pillow_avif: '',
  pi_heif: 'def register_heif_opener(**options):\n    pass\n',
};

/**
 * The client is a folder or an archive; beside it may lie those of typer. Names what is missing
 * where it cannot run.
 */
export async function findClient(): Promise<PythonClient | { readonly missing: string }> {
  const given = process.env.FOVEA_PYTHON_CLIENT;
  if (given === undefined || given === '') {
    return {
      missing:
        "FOVEA_PYTHON_CLIENT is not set: the archive or folder of the vendor's Python client",
    };
  }
  const client = resolve(given);
  if (!existsSync(client)) return { missing: `there is no ${client} (FOVEA_PYTHON_CLIENT)` };
  const folder = await mkdtemp(join(tmpdir(), 'fovea-python-client-'));
  const remove = () => rm(folder, { recursive: true, force: true });
  const beside = globSync('typer*', { cwd: dirname(client) }).map((name) =>
    join(dirname(client), name),
  );
  const path: string[] = [];
  for (const place of [...beside, client]) path.push(await packagesIn(place, folder));
  const inOrder = [...path, ...(await stubFolders(folder))].join(delimiter);
  const problems: string[] = [];
  for (const python of names) {
    const { status, stderr } = spawnSync(python, ['-c', 'import roboflow, roboflow.roboflowpy'], {
      env: { ...process.env, PYTHONPATH: inOrder, PYTHONDONTWRITEBYTECODE: '1' },
      encoding: 'utf8',
    });
    if (status === 0) return { python, path: inOrder, remove };
    problems.push(`${python}: ${stderr?.trim().split('\n').at(-1) ?? 'is not there'}`);
  }
  await remove();
  return { missing: `no Python can import the client (${problems.join('; ')})` };
}

/** The folder that holds the packages of an archive or of a folder. */
async function packagesIn(place: string, folder: string): Promise<string> {
  if (!place.endsWith('.gz')) return place;
  const into = await mkdtemp(join(folder, 'unpacked-'));
  execFileSync('tar', ['-xzf', place, '-C', into]);
  const [inner] = globSync('*/{roboflow,typer}/__init__.py', { cwd: into });
  return inner === undefined ? into : join(into, dirname(dirname(inner)));
}

async function stubFolders(folder: string): Promise<readonly string[]> {
  const stubsFolder = join(folder, 'stubs');
  for (const [name, source] of Object.entries(stubs)) {
    await mkdir(join(stubsFolder, name), { recursive: true });
    await writeFile(join(stubsFolder, name, '__init__.py'), source);
  }
  return [stubsFolder];
}
