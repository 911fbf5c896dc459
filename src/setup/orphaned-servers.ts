// Finds servers whose host has ended.

import { execFile } from 'node:child_process';
import { readdir, readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

export interface SystemProcess {
  readonly pid: number;
  readonly parent: number;
  readonly words: readonly string[];
}

/** Undefined: this system does not say. */
export async function listProcesses(
  platform: NodeJS.Platform,
): Promise<readonly SystemProcess[] | undefined> {
  if (platform === 'linux') return fromProc();
  if (platform === 'darwin') return fromPs();
  return undefined;
}

/**
 * Stdio servers whose parent is process 1 or the subreaper of a session: their own parent ended.
 * Other commands are started by hand, and may stand alone.
 */
export function orphansAmong(processes: readonly SystemProcess[], self: number): readonly number[] {
  const first = processes.filter(isFirst).map(({ pid }) => pid);
  return processes
    .filter(({ pid, parent, words }) => pid !== self && first.includes(parent) && isServer(words))
    .map(({ pid }) => pid);
}

/** Process 1 of a container may be a host: only init systems count. */
function isFirst({ pid, parent, words }: SystemProcess): boolean {
  const adopts = /(^|\/)(systemd|init|launchd|tini|dumb-init|docker-init|catatonit)$/;
  return (pid === 1 || parent === 1) && adopts.test(words[0] ?? '');
}

/** Without a command after its name it serves a host. */
function isServer([program = '', ...args]: readonly string[]): boolean {
  if (program === 'npm exec fovea') return true;
  if (!/(^|[/\\])(node|nodejs|npm|npx)(\.exe)?$/.test(program)) return false;
  return /(^|[/\\])fovea(\.[jt]s)?$/.test(args.at(-1) ?? '');
}

async function fromProc(): Promise<readonly SystemProcess[] | undefined> {
  const names = await readdir('/proc').catch((): string[] => []);
  const found = await Promise.all(names.filter((name) => /^\d+$/.test(name)).map(fromProcFolder));
  const processes = found.filter((each) => each !== undefined);
  return processes.length > 0 ? processes : undefined;
}

/** Undefined: it ended meanwhile. */
async function fromProcFolder(name: string): Promise<SystemProcess | undefined> {
  try {
    const status = await readFile(`/proc/${name}/stat`, 'utf8');
    const line = await readFile(`/proc/${name}/cmdline`, 'utf8');
    // The name of the program stands in brackets and may hold anything.
    const parent = Number(status.slice(status.lastIndexOf(')') + 2).split(' ')[1]);
    return { pid: Number(name), parent, words: line.replace(/\0+$/, '').split('\0') };
  } catch {
    return undefined;
  }
}

async function fromPs(): Promise<readonly SystemProcess[] | undefined> {
  try {
    const { stdout } = await promisify(execFile)('ps', ['-axo', 'pid=,ppid=,args=']);
    return stdout.split('\n').flatMap((line) => {
      const [, pid, parent, words = ''] = /^\s*(\d+)\s+(\d+)\s+(.*)$/.exec(line) ?? [];
      return pid ? [{ pid: Number(pid), parent: Number(parent), words: words.split(' ') }] : [];
    });
  } catch {
    return undefined;
  }
}
