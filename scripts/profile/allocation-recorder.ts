// Loaded into each thread of Fovea before its own code: samples all that is allocated there, also
// what is collected again, which `--heap-prof` leaves out.

import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { join } from 'node:path';
import { threadId } from 'node:worker_threads';

/** A thread may be terminated, where nothing tells it. */
const writeMs = 500;

const folder = process.env.PROFILE_FOLDER;
if (folder === undefined) throw new Error('PROFILE_FOLDER names no folder.');
const path = join(folder, `Heap.${process.pid}.${threadId}.heapprofile`);
const session = new Session();
session.connect();
const all = { includeObjectsCollectedByMajorGC: true, includeObjectsCollectedByMinorGC: true };
session.post('HeapProfiler.startSampling', all);
setInterval(write, writeMs).unref();
process.once('exit', write);

function write(): void {
  session.post('HeapProfiler.getSamplingProfile', (failure, given) => {
    if (failure === null) writeFileSync(path, JSON.stringify(given.profile));
  });
}
