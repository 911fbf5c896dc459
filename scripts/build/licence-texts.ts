// The licence texts of the packages that a bundle contains.

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Notices {
  /** Folders of the packages, sorted. */
  readonly packages: readonly string[];
  readonly text: string;
}

/**
 * A notice for each licence text of the packages among the bundled files, with their names above.
 * Throws where a package has no licence.
 */
export function licenceNotices(bundledFiles: readonly string[]): Notices {
  const folders = new Set(bundledFiles.flatMap((file) => packageFolder(file) ?? []));
  const packages = [...folders].sort();
  // Texts that are nearly the same stand together: the packed file is a fifth smaller.
  const alike = packages.map(notice).sort(byLicenceAndText);
  const byText = Map.groupBy(alike, ({ text }) => text);
  const notices = [...byText].map(
    ([text, ofPackages]) => `${ofPackages.map(({ name }) => name).join('\n')}\n\n${text}\n`,
  );
  return { packages, text: notices.join(`\n${'-'.repeat(80)}\n\n`) };
}

function packageFolder(file: string): string | undefined {
  return /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(file)?.[0];
}

interface Notice {
  readonly name: string;
  readonly licence: string;
  readonly text: string;
}

function byLicenceAndText(one: Notice, other: Notice): number {
  const keys = [one, other].map(({ licence, text, name }) => `${licence}\n${text}\n${name}`);
  const [first = '', second = ''] = keys;
  return first < second ? -1 : 1;
}

function notice(folder: string): Notice {
  const { name, version, license }: Record<string, string> = JSON.parse(
    readFileSync(join(folder, 'package.json'), 'utf8'),
  );
  const file = readdirSync(folder).find((entry) => /^(licen[cs]e|copying)/i.test(entry));
  const path = file === undefined ? undefined : join(folder, file);
  const text = path !== undefined && existsSync(path) ? readFileSync(path, 'utf8') : '';
  if (!text && !license) throw new Error(`${folder} has no licence.`);
  const parts = license?.includes('LGPL') ? [text, ...lesserNotice(folder)] : [text];
  return {
    name: `${name} ${version} (${license})`,
    licence: license ?? '',
    text: parts.map((part) => part.trim()).join('\n\n'),
  };
}

/**
 * The LGPL wants the notice of each library, its own text and that of the GPL, and a way to put
 * another library in the place of ours. Throws where the package does not list its libraries.
 */
function lesserNotice(folder: string): readonly string[] {
  const readme = readFileSync(join(folder, 'README.md'), 'utf8');
  const libraries = readme.split('This software contains third-party libraries')[1];
  if (libraries === undefined) throw new Error(`${folder}/README.md lists no libraries.`);
  const texts = ['LGPL-3.0', 'GPL-3.0'].map((name) =>
    readFileSync(join(import.meta.dirname, `licences/${name}.txt`), 'utf8'),
  );
  return [
    'These libraries are in parts/sharp-wasm32-*.node.wasm.br, which is the file of that package\n' +
      'compressed by brotli. Another WebAssembly with the same interface may take its place. How\n' +
      'they are built: https://github.com/lovell/sharp-libvips, https://github.com/lovell/sharp',
    `This software contains third-party libraries${libraries}`,
    ...texts,
  ];
}
