// A thread that writes numbers, for the tests of group commit.

import { parentPort, workerData } from 'node:worker_threads';
import { FoveaError } from '../../../src/errors.ts';
import { limits } from '../../../src/limits.ts';
import { openDatabase } from '../../../src/storage/database.ts';
import { serveBatches } from '../../../src/storage/group-commit-worker.ts';
import type { NumberCommand, NumberOutcome } from '../number-table.ts';
import { numberTable } from '../number-table.ts';

const port = parentPort;
const path: unknown = workerData;
if (port === null || typeof path !== 'string') throw new Error('This is a thread of a test.');

const busyMsMax = limits.groupCommitCloseMsMax + 2_000;
let transactions = 0;

serveBatches<NumberCommand, NumberOutcome>(port, {
  // It waits for a lock for longer than closing waits for it.
  open: () => openDatabase(path, [numberTable], { busyMsMax, busyStepMs: 100 }),
  begin: (database, now) => {
    transactions += 1;
    const transaction = transactions;
    return {
      apply: ({ number, end }) => {
        if (end === 'refuse') throw new FoveaError('conflict', 'No.', { hint: 'Never.' });
        if (end === 'die') process.exit(1);
        database.run('INSERT INTO numbers VALUES (?, ?)', [number, now]);
        if (end === 'break') throw new Error('Unforeseen.');
        return { number, transaction };
      },
      finish: () => {},
    };
  },
});
