// A page of MCP Apps in Chromium, as a host shows it: within the bridge of the reference package.

import type { Client } from '@modelcontextprotocol/client';
import { build } from 'esbuild';
import type { Browser, Frame, Page } from 'playwright-core';
import * as z from 'zod';

const listedTool = z.looseObject({
  _meta: z.looseObject({ ui: z.looseObject({ resourceUri: z.string() }) }),
});

const pageResource = z.looseObject({
  mimeType: z.literal('text/html;profile=mcp-app'),
  text: z.string(),
  _meta: z.object({
    ui: z.object({
      csp: z.object({ connectDomains: z.array(z.never()), resourceDomains: z.array(z.never()) }),
      prefersBorder: z.literal(true),
    }),
  }),
});

export interface Shown {
  readonly page: Page;
  readonly frame: Frame;
  readonly problems: readonly string[];
}

interface ShowOptions {
  readonly capabilities?: object;
  /** What each call of a tool gives. */
  readonly later?: object;
  /** Or: calls go to the server. */
  readonly relays?: boolean;
  readonly theme?: 'light' | 'dark';
}

let program: Promise<string> | undefined;

/** The host itself, as a script. */
function hostScript(): Promise<string> {
  program ??= build({
    entryPoints: ['test/mcp/app/host-page.js'],
    bundle: true,
    write: false,
    format: 'iife',
    platform: 'browser',
  }).then(({ outputFiles }) => outputFiles.map(({ text }) => text).join(''));
  return program;
}

/** Opens the page that a tool names, as a host does it. */
export async function showPage(
  { client, browser }: { readonly client: Client; readonly browser: Browser },
  tool: string,
  { capabilities = { serverTools: {} }, later = {}, relays = false, theme = 'dark' }: ShowOptions,
): Promise<Shown> {
  const { tools } = await client.listTools();
  const { _meta } = listedTool.parse(tools.find(({ name }) => name === tool));
  const { contents } = await client.readResource({ uri: _meta.ui.resourceUri });
  const { text } = pageResource.parse(contents[0]);
  const page = await (await browser.newContext({ colorScheme: theme })).newPage();
  const problems: string[] = [];
  page.on('console', (message) => {
    if (message.type() === 'error') problems.push(message.text());
  });
  page.on('request', (request) => {
    if (!/^(data|about):/.test(request.url())) problems.push(request.url());
  });
  await page.setContent('<!doctype html><title>Host</title><body></body>');
  if (relays) {
    await page.exposeFunction('relay', (call: { name: string; arguments: object }) =>
      client.callTool({ name: call.name, arguments: { ...call.arguments } }),
    );
  }
  await page.addScriptTag({ content: await hostScript() });
  const options = JSON.stringify({
    capabilities,
    later,
    context: { theme, availableDisplayModes: ['inline', 'fullscreen'] },
  });
  await page.evaluate(`showApp(${JSON.stringify(text)}, ${options})`);
  const [, frame] = page.frames();
  if (frame === undefined) throw new Error('The page is not shown.');
  return { page, frame, problems };
}

/** The answer of the tool, as the host passes it on. */
export async function sendResult(page: Page, answer: object): Promise<void> {
  await page.evaluate(`bridge.sendToolInput({ arguments: {} })`);
  await page.evaluate(`bridge.sendToolResult(${JSON.stringify(answer)})`);
}
