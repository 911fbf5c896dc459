// Pages for hosts that support MCP Apps, served as resources. Other hosts get the same facts as
// text.

import { readFile } from 'node:fs/promises';
import type { ReadResourceResult, Resource } from '@modelcontextprotocol/server';
import type { AppName } from '../tool.ts';

interface AppPage {
  readonly name: AppName;
  readonly title: string;
}

export const appPages: readonly AppPage[] = [
  { name: 'contact-sheet', title: 'Contact sheet' },
  { name: 'event-timeline', title: 'Event timeline' },
];

/** The type by which hosts know a page (MCP Apps, revision 2026-01-26). */
const mimeType = 'text/html;profile=mcp-app';

/** As resources/list has them. */
export const appResources: readonly Resource[] = appPages.map(({ name, title }) => ({
  uri: addressOf(name),
  name,
  title,
  mimeType,
}));

/** A page by its URI; undefined: unknown URI. */
export async function readApp(uri: string): Promise<ReadResourceResult | undefined> {
  const page = appPages.find(({ name }) => addressOf(name) === uri);
  if (page === undefined) return undefined;
  const text = await readFile(new URL(`./pages/${page.name}.html`, import.meta.url), 'utf8');
  // No network access: all that the page shows came with the result.
  const ui = { csp: { connectDomains: [], resourceDomains: [] }, prefersBorder: true };
  return { contents: [{ uri, mimeType, text, _meta: { ui } }] };
}

function addressOf(name: AppName): string {
  return `ui://fovea/${name}`;
}
