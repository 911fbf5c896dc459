// The clients that hosts have built in, from the first year of the protocol to today, behind one
// face: what a host does with a server, whatever the age of its client.

import {
  Client as Newer,
  StreamableHTTPClientTransport as NewerHttp,
} from '@modelcontextprotocol/client';
import { StdioClientTransport as NewerStdio } from '@modelcontextprotocol/client/stdio';
import * as z from 'zod';
import { nodeFor } from '../fixtures/under-test.ts';
import { loadModule } from './packages/load.ts';

/** A process to start, or an address with a token. */
export type Place =
  | { readonly kind: 'stdio'; readonly file: string; readonly env: Record<string, string> }
  | { readonly kind: 'http'; readonly url: string; readonly token: string };

export interface CallSettings {
  readonly signal?: AbortSignal;
  readonly onprogress?: (report: { progress: number }) => void;
}

export interface Host {
  readonly instructions: string | undefined;
  readonly serverName: string | undefined;
  listTools(): Promise<readonly string[]>;
  call(name: string, args?: Record<string, unknown>, settings?: CallSettings): Promise<Called>;
  close(): Promise<void>;
}

export interface Called {
  readonly isError: boolean;
  readonly text: string;
  /** The kinds of the blocks, in their order. */
  readonly kinds: readonly string[];
  readonly image: { readonly data: string; readonly mimeType: string } | undefined;
  readonly link: string | undefined;
  readonly structuredContent: unknown;
}

export interface ClientVersion {
  readonly name: string;
  /** Whether it comes with this repository's own packages. */
  readonly isOurs: boolean;
  /** Before 1.10 there was no Streamable HTTP. */
  readonly speaksHttp: boolean;
  /** Whether its revision knows blocks that link to a file. */
  readonly knowsLinks: boolean;
  /** Whether a call that is given up closes its request, which is all that tells over HTTP. */
  readonly cancelsOverHttp: boolean;
  connect(place: Place): Promise<Host>;
}

export const clientVersions: readonly ClientVersion[] = [
  // 2024-11-05.
  older('sdk-1.0', { speaksHttp: false, knowsLinks: false }),
  older('sdk-1.10', { knowsLinks: false }),
  // 2025-03-26.
  older('sdk-1.12', { knowsLinks: false }),
  // 2025-06-18; 1.23 is what Gemini CLI has built in.
  older('sdk-1.13'),
  older('sdk-1.23'),
  // 2025-11-25.
  older('sdk-1.27'),
  older('@modelcontextprotocol/sdk'),
  newer('legacy'),
  // 2026-07-28.
  newer('auto'),
];

const who = { name: 'fovea-interop', version: '1.0.0' };

/** A client of the older line: the package of the given name has its modules. */
function older(
  name: string,
  { speaksHttp = true, knowsLinks = true }: { speaksHttp?: boolean; knowsLinks?: boolean } = {},
): ClientVersion {
  return {
    name,
    isOurs: name.startsWith('@'),
    speaksHttp,
    knowsLinks,
    cancelsOverHttp: false,
    connect: async (place) => {
      const Client = await load(name, 'client/index.js', 'Client', isClientClass);
      const client = new Client(who, { capabilities: {} });
      await client.connect(await olderTransport(name, place));
      return hostOf(client, (params, settings) => client.callTool(params, undefined, settings));
    },
  };
}

async function olderTransport(name: string, place: Place): Promise<object> {
  if (place.kind === 'stdio') {
    const Stdio = await load(name, 'client/stdio.js', 'StdioClientTransport', isTransportClass);
    return new Stdio({ command: nodeFor(place.file), args: [place.file], env: place.env });
  }
  const exported = 'StreamableHTTPClientTransport';
  const Http = await load(name, 'client/streamableHttp.js', exported, isTransportClass);
  return new Http(new URL(place.url), { requestInit: requestInit(place.token) });
}

function newer(mode: 'auto' | 'legacy'): ClientVersion {
  return {
    name: `@modelcontextprotocol/client, ${mode}`,
    isOurs: true,
    speaksHttp: true,
    knowsLinks: true,
    cancelsOverHttp: mode === 'auto',
    connect: async (place) => {
      const client = new Newer(who, { versionNegotiation: { mode } });
      await client.connect(
        place.kind === 'stdio'
          ? new NewerStdio({ command: nodeFor(place.file), args: [place.file], env: place.env })
          : new NewerHttp(new URL(place.url), { requestInit: requestInit(place.token) }),
      );
      return hostOf(client, (params, settings) => client.callTool(params, settings));
    },
  };
}

function requestInit(token: string): RequestInit {
  return { headers: { authorization: `Bearer ${token}` } };
}

interface CallParameters {
  readonly name: string;
  readonly arguments: Record<string, unknown>;
}

/** What the classes of all versions have in common. */
interface AnyClient {
  connect(transport: object): Promise<void>;
  close(): Promise<void>;
  listTools(): Promise<unknown>;
  getServerVersion(): { readonly name: string } | undefined;
  getInstructions?(): string | undefined;
}

interface OlderClient extends AnyClient {
  callTool(
    params: CallParameters,
    schema: undefined,
    settings: CallSettings | undefined,
  ): Promise<unknown>;
}

type ClientClass = new (info: object, options: object) => OlderClient;
type TransportClass = new (where: object, options?: object) => object;

function hostOf(
  client: Omit<AnyClient, 'connect'>,
  call: (params: CallParameters, settings: CallSettings | undefined) => Promise<unknown>,
): Host {
  return {
    instructions: client.getInstructions?.(),
    serverName: client.getServerVersion()?.name,
    listTools: async () => {
      const { tools } = listAnswer.parse(await client.listTools());
      return tools.map(({ name }) => name);
    },
    call: async (name, args = {}, settings) =>
      calledFrom(callAnswer.parse(await call({ name, arguments: args }, settings))),
    close: () => client.close(),
  };
}

const listAnswer = z.object({ tools: z.array(z.object({ name: z.string() })) });
const block = z.looseObject({
  type: z.string(),
  text: z.string().optional(),
  data: z.string().optional(),
  mimeType: z.string().optional(),
  uri: z.string().optional(),
});
const callAnswer = z.object({
  content: z.array(block),
  isError: z.boolean().optional(),
  structuredContent: z.unknown().optional(),
});

function calledFrom({ content, isError, structuredContent }: z.output<typeof callAnswer>): Called {
  const { data = '', mimeType = '' } = content.find(({ type }) => type === 'image') ?? {};
  return {
    isError: isError === true,
    text: content.map(({ text = '' }) => text).join('\n'),
    kinds: content.map(({ type }) => type),
    image: data === '' ? undefined : { data, mimeType },
    link: content.find(({ type }) => type === 'resource_link')?.uri,
    structuredContent,
  };
}

/** The older packages are not there when the types are checked: what comes is looked at. */
async function load<Class>(
  name: string,
  path: string,
  exported: string,
  isClass: (value: unknown) => value is Class,
): Promise<Class> {
  const module = await loadModule(`${name}/${path}`);
  const found = new Map(Object.entries({ ...Object(module) })).get(exported);
  if (!isClass(found)) throw new Error(`${name}/${path} has no ${exported}.`);
  return found;
}

function isClientClass(value: unknown): value is ClientClass {
  return typeof value === 'function';
}

function isTransportClass(value: unknown): value is TransportClass {
  return typeof value === 'function';
}
