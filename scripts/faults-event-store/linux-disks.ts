// What trials need of the machine: packages, loop images, memory disks, and write-back put off.

import { execFile } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { mkdir, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';

const execute = promisify(execFile);

/** Runs a command to its end; throws with what it said when it fails. */
export async function run(command: string, ...words: readonly string[]): Promise<void> {
  await execute(command, words);
}

export const isRoot = process.getuid?.() === 0;

/** Each command that is needed, and Debian's package of it. */
const needed = {
  'fiu-ctrl': 'fiu-utils',
  'mkfs.xfs': 'xfsprogs',
  'mkfs.btrfs': 'btrfs-progs',
  'mkfs.ext4': 'e2fsprogs',
  eatmydata: 'eatmydata',
} as const;

export type Tool = keyof typeof needed;

/** Installs missing programs. Gives those that cannot be installed. */
export async function installTools(say: (line: string) => void): Promise<ReadonlySet<Tool>> {
  const packages = missingTools().map((tool) => needed[tool]);
  if (packages.length > 0) {
    say(`Installing ${packages.join(', ')} from Debian's packages.`);
    for (const name of packages) {
      await run('apt-get', 'install', '-y', '-q', name).catch(() => {
        say(`  ${name} could not be installed.`);
      });
    }
  }
  return new Set(missingTools());
}

function missingTools(): Tool[] {
  return Object.keys(needed)
    .filter(isTool)
    .filter((tool) => !isInstalled(tool));
}

function isTool(name: string): name is Tool {
  return Object.hasOwn(needed, name);
}

function isInstalled(tool: Tool): boolean {
  return ['/usr/sbin', '/sbin', '/usr/bin', '/bin'].some((folder) =>
    existsSync(join(folder, tool)),
  );
}

/** Mounts and other changes that are to be undone, in order. */
export class Machine {
  readonly #folder: string;
  readonly #undoing: (() => Promise<void>)[] = [];
  #count = 0;

  constructor(folder: string) {
    this.#folder = folder;
    machines.add(this);
  }

  /** A memory disk of that size; gives its path. */
  async mountMemory(megabytes: number): Promise<string> {
    return this.#mount('-t', 'tmpfs', '-o', `size=${megabytes}m,mode=700`, 'tmpfs');
  }

  /** Until what this gives is called. Throws where somebody has the file open to write. */
  async makeReadOnly(path: string): Promise<() => Promise<void>> {
    const end = () => run('umount', '-l', path);
    await run('mount', '--bind', path, path);
    this.#undoing.push(end);
    await run('mount', '-o', 'remount,bind,ro', path);
    return end;
  }

  /** A new file system in a file; gives the file. */
  async makeImage(fileSystem: FileSystem, megabytes: number): Promise<string> {
    const image = join(this.#folder, `${this.#next()}.img`);
    await run('truncate', '-s', `${megabytes}M`, image);
    const quietly = fileSystem === 'ext4' ? ['-q', '-F'] : ['-q'];
    await run(`mkfs.${fileSystem}`, ...quietly, image);
    return image;
  }

  /** Mounts a file system that lies in a file; gives its path. */
  async mountImage(fileSystem: FileSystem, image: string): Promise<string> {
    // Nothing reaches the disk by itself within a trial.
    const lazily = fileSystem === 'xfs' ? [] : ['commit=3600'];
    return this.#mount('-t', fileSystem, '-o', ['loop', ...lazily].join(','), image);
  }

  async unmount(path: string): Promise<void> {
    await run('umount', path);
    await rm(path, { recursive: true });
  }

  /** Keeps the kernel from writing dirty pages by itself. */
  delayWriteBack(): void {
    for (const [name, value] of Object.entries(delayed)) {
      const path = `/proc/sys/${name}`;
      const before = readFileSync(path, 'utf8');
      writeFileSync(path, value);
      this.#undoing.push(async () => writeFileSync(path, before));
    }
  }

  /** Ends all of it. */
  async restore(): Promise<void> {
    machines.delete(this);
    for (const undo of this.#undoing.splice(0).reverse()) await undo().catch(() => {});
  }

  async #mount(...words: readonly string[]): Promise<string> {
    const path = join(this.#folder, `mount-${this.#next()}`);
    await mkdir(path);
    await run('mount', ...words, path);
    this.#undoing.push(async () => {
      if (existsSync(path)) await run('umount', '-l', path);
    });
    return path;
  }

  #next(): number {
    this.#count += 1;
    return this.#count;
  }
}

const machines = new Set<Machine>();

/** Ends what all trials changed, also where one was stopped in the middle. */
export async function restoreMachines(): Promise<void> {
  for (const machine of machines) await machine.restore();
}

export type FileSystem = 'ext4' | 'xfs' | 'btrfs';

const delayed = {
  'vm/dirty_writeback_centisecs': '0',
  'vm/dirty_expire_centisecs': '360000',
  'vm/dirty_background_ratio': '80',
  'vm/dirty_ratio': '90',
};
