// The example trainer as a program. Its argument is the job file (docs/trainer.md).

import { trainExample } from '../trainers/example/example-trainer.ts';

const [jobFile = ''] = process.argv.slice(2);
let isStopped = false;
const stop = () => {
  isStopped = true;
};
process.on('SIGTERM', stop);
// It ends when Fovea wants it to, or is not there any more.
process.stdin.once('end', stop).resume();
try {
  await trainExample(jobFile, {
    say: (line) => process.stdout.write(`${line}\n`),
    isStopped: () => isStopped,
  });
  process.exitCode = 0;
} catch (thrown) {
  process.stderr.write(`${thrown instanceof Error ? thrown.message : 'failed'}\n`);
  process.exitCode = 1;
} finally {
  process.stdin.destroy();
}
