// Pages for hosts that support MCP Apps, served as resources. Other hosts get the same facts as
// text.

import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import { pageAsset } from '../../http-server/page-assets.ts';
import { lazyStart } from '../../lazy-start.ts';
import { platformPageFolder } from '../../platform-page-folder.ts';
import type { AppName } from '../tool.ts';
import { pageMimeType as mimeType } from './declared-apps.ts';
import { linkModules } from './link-modules.ts';

interface AppPage {
  readonly name: AppName;
  readonly title: string;
  /** Paths below src, in their order. */
  readonly styles: readonly string[];
}

const own = 'mcp/app/host-pages/';
const shared = 'http-server/page-assets/';
const ofPlatform = 'platform/platform-page/';

const appPages: readonly AppPage[] = [
  { name: 'contact-sheet', title: 'Contact sheet', styles: [`${own}style.css`] },
  { name: 'event-timeline', title: 'Event timeline', styles: [`${own}style.css`] },
  { name: 'evaluation', title: 'Evaluation', styles: [`${own}style.css`] },
  {
    name: 'labelling',
    title: 'Labelling',
    styles: [
      `${shared}base.css`,
      `${shared}drawing.css`,
      `${ofPlatform}page.css`,
      `${ofPlatform}labelling/annotate.css`,
      `${own}labelling.css`,
    ],
  },
];

/** As resources/list has them. */
export const appResources: readonly Resource[] = appPages.map(({ name, title }) => ({
  uri: addressOf(name),
  name,
  title,
  mimeType,
}));

/** A page by its URI; undefined: unknown URI. */
export async function readApp(uri: string): Promise<ReadResourceResult | undefined> {
  const text = await made.get(uri)?.get();
  if (text === undefined) return undefined;
  // No network access: all that the page shows came with the result, or with calls of tools.
  const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };
  return { contents: [{ uri, mimeType, text, _meta: { ui } }] };
}

function addressOf(name: AppName): string {
  return `ui://fovea/${name}`;
}

/** Made when they are first read. */
const made = new Map(
  appPages.map((page) => [addressOf(page.name), lazyStart(() => htmlOf(page))] as const),
);

/**
 * One file, with its styles and its program inside, since a page there has no address from which it
 * could load anything. Only these very styles and this very program may be used.
 */
async function htmlOf({ name, title, styles }: AppPage): Promise<string> {
  const script = await linkModules(`${own}${name}.js`, read);
  const style = (await Promise.all(styles.map(read))).join('');
  const policy = [
    "default-src 'none'",
    'img-src data:',
    `style-src ${hashOf(style)}`,
    `script-src ${hashOf(script)}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width">
<title>${title}</title>
<style>${style}</style>
</head>
<body>
<main id="view"><p class="status" role="status">Waiting for the answer.</p></main>
<script>${script}</script>
</body>
</html>
`;
}

function hashOf(text: string): string {
  return `'sha256-${createHash('sha256').update(text).digest('base64')}'`;
}

/** A file of the pages by its path below src; in a release the folders lie elsewhere. */
function read(path: string): Promise<string> {
  return readFile(placeOf(path), 'utf8');
}

function placeOf(path: string): URL {
  if (path.startsWith(own)) {
    return new URL(`./host-pages/${path.slice(own.length)}`, import.meta.url);
  }
  if (path.startsWith(shared)) return pageAsset(path.slice(shared.length));
  if (path.startsWith(ofPlatform))
    return new URL(path.slice(ofPlatform.length), platformPageFolder);
  throw new Error(`${path} is no file of a page`);
}
