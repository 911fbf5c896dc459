// The licence texts of the packages that a bundle contains.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Notices {
  /** Folders of the packages, sorted. */
  readonly packages: readonly string[];
  readonly text: string;
}

/** One notice for each package among the bundled files. Throws where a package has no licence. */
export function licenceNotices(bundledFiles: readonly string[]): Notices {
  const folders = new Set(bundledFiles.flatMap((file) => packageFolder(file) ?? []));
  const packages = [...folders].sort();
  return { packages, text: packages.map(notice).join(`\n${'-'.repeat(80)}\n\n`) };
}

function packageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

function notice(folder: string): string {
  const { name, version, license }: Record<string, string> = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const path = file === undefined ? undefined : join(folder, file);
  const text = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (!text && !license) throw new Error(`${folder} has no licence.`);
  return `${name} ${version} (${license})\n\n${text.trim()}\n`;
}
