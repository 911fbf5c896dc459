// What a bench says: on the terminal, and with `--write` in docs/benchmarks.md.

import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg } from 'node:os';
import { join } from 'node:path';

const page = join(import.meta.dirname, '../../docs/benchmarks.md');

/** Says the machine at once, and then what is said, line by line. */
export class Said {
  readonly #lines: string[] = [];

  constructor() {
    const date = new Date().toISOString().slice(0, 10);
    const machine = `${cpus().length} x ${cpus()[0]?.model.trim()}`;
    const load = loadavg()[0]?.toFixed(1);
    this.say(`${date}, Node ${process.version}, ${machine}, load before ${load}`);
  }

  say(text: string): void {
    this.#lines.push(text);
    process.stdout.write(`${text}\n`);
  }

  /**
   * Puts all that was said into the page, in place of what the same command said before. Throws
   * when the page has no block for it.
   */
  write(command: string): void {
    const [before, after] = [`<!-- ${command} -->\n`, '<!-- end -->'];
    const text = readFileSync(page, 'utf8');
    const start = text.indexOf(before);
    const end = text.indexOf(after, start);
    if (start === -1 || end === -1) throw new Error(`${page} has no block <!-- ${command} -->.`);
    const block = `\n\`\`\`text\n${this.#lines.join('\n').trim()}\n\`\`\`\n\n`;
    writeFileSync(page, text.slice(0, start + before.length) + block + text.slice(end));
  }
}
