// The process between the platform and a trainer: it ends the trainer where the platform died.
// A trainer may ignore the end of its input, and nobody else would be left to end it.

import { spawn } from 'node:child_process';

/** How long a trainer has after SIGTERM when the platform died: its result is lost anyhow. */
const orphanMsMax = 1_000;

const isWindows = process.platform === 'win32';

// A SIGTERM is for all of the group. This process stays until the trainer has answered it.
process.on('SIGTERM', () => undefined);
process.once('message', (command) => {
  if (Array.isArray(command)) supervise(command.map(String));
});
// Without a trainer there is nothing to keep.
process.once('disconnect', () => process.exit(1));

/** Runs a program with its words; it has this process's input and outputs. */
function supervise([path = '', ...words]: readonly string[]): void {
  const trainer = spawn(path, words, { stdio: 'inherit', shell: false, windowsHide: true });
  trainer.once('error', () => {
    if (trainer.pid === undefined) process.send?.('not started', () => process.exit(1));
  });
  trainer.once('exit', (code) => {
    if (code !== null) process.exit(code);
    // A signal ended it, so a signal ends this process too.
    process.kill(process.pid, 'SIGKILL');
  });
  process.removeAllListeners('disconnect').once('disconnect', () => {
    if (isWindows) return endTree(trainer.pid);
    // Its own group, which the platform made for it: 0 is the group of the caller.
    process.kill(0, 'SIGTERM');
    setTimeout(() => process.kill(0, 'SIGKILL'), orphanMsMax);
  });
}

/** Windows has no groups: the tree below the trainer is ended. */
function endTree(pid: number | undefined): void {
  const words = ['/pid', String(pid), '/T', '/F'];
  spawn('taskkill', words, { stdio: 'ignore', shell: false }).on('error', () => process.exit(1));
}
