// Power cuts: the disk is an image, and what of it was synced is all that a copy of it has.

import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type FileSystem, Machine, run } from './linux-disks.ts';
import { type Loaded, mixed } from './loads.ts';
import { releaseAll, startLoad } from './send-load.ts';
import { type Result, Trial } from './trial.ts';

/** XFS takes no smaller ones. */
const imageMegabytes = 512;

export interface PowerCuts {
  readonly fileSystem: FileSystem;
  readonly cuts: number;
  readonly load?: Loaded;
  /** A library before all others: one that makes syncs do nothing is the control. */
  readonly preload?: string;
}

/** Cuts the power again and again; the store goes on from what its disk had. */
export async function tryPowerCuts(
  folder: string,
  { fileSystem, cuts, preload, load = mixed }: PowerCuts,
): Promise<Result> {
  const machine = new Machine(folder);
  const what = preload === undefined ? '' : ', control: syncs do nothing';
  const name = `power cut in ${load.name} on ${fileSystem}, ${cuts} times${what}`;
  try {
    let image = await machine.makeImage(fileSystem, imageMegabytes);
    let path = await machine.mountImage(fileSystem, image);
    const preloaded = preload === undefined ? {} : { LD_PRELOAD: preload };
    const environment = { ...load.environment, ...preloaded };
    const trial = new Trial({ name, data: join(path, 'data'), environment });
    await trial.start();
    await run('sync', '-f', path);
    machine.delayWriteBack();
    for (let cut = 1; cut <= cuts; cut += 1) {
      const running = startLoad(trial.history, trial.url, load.options);
      await trial.acknowledgements(50 + Math.floor(Math.random() * 2 * load.acknowledgedMax));
      const copy = await cutPower(machine, trial, { image, path, fileSystem });
      await running.stop();
      ({ image, path } = copy);
      trial.moveTo(join(path, 'data'));
      await trial.start();
      await trial.judge();
      await releaseAll(trial.history, trial.url);
    }
    await trial.kill();
    return trial.result(`ready again after ${Math.round(Math.max(...trial.readyMs))} ms at most`);
  } finally {
    await machine.restore();
  }
}

interface Disk {
  readonly image: string;
  readonly path: string;
}

/** Stops the store where it is, copies what the disk has by now, and mounts the copy. */
async function cutPower(
  machine: Machine,
  trial: Trial,
  { image, path, fileSystem }: Disk & { readonly fileSystem: FileSystem },
): Promise<Disk> {
  const copy = `${image.replace(/(-\d+)?\.img$/, '')}-${Date.now()}.img`;
  process.kill(Number(trial.process.pid), 'SIGSTOP');
  await run('cp', '--sparse=always', image, copy);
  await trial.kill();
  await machine.unmount(path);
  await rm(image);
  return { image: copy, path: await machine.mountImage(fileSystem, copy) };
}
