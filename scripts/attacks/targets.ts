// The services that are attacked, each with an attacker, a second caller, and some data.

import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { createWorld } from '../../test/platform/fuzz/existing-resources.ts';
import type { TargetName } from './attack.ts';
import { json, type Request, send } from './raw-request.ts';
import { type Release, runCommand, type Service, startService } from './service.ts';
import { signInAsAda } from './sign-in.ts';

export interface Running {
  readonly service: Service;
  /** Of the attacker. */
  readonly key: string;
  /** What the second caller asks for all the time. */
  readonly cheap: Request;
  readonly gapMs: number;
  /** Throws for a name of nothing that is there. */
  readonly id: (name: string) => string;
}

type Environment = Readonly<Record<string, string>>;

/** Starts one by its name, at default settings but for these. */
export function startTarget(
  name: TargetName,
  release: Release,
  environment: Environment = {},
): Promise<Running> {
  return starters[name](release, environment);
}

type Start = (release: Release, environment: Environment) => Promise<Running>;

const starters: Readonly<Record<TargetName, Start>> = {
  platform: startPlatform,
  'event-store': startEventStore,
  'full-event-store': (release, more) => startEventStore(release, { ...fullStore, ...more }),
  http: startHttp,
  stdio: async () => {
    throw new Error('stdio has no service');
  },
  control: startControl,
};

const key = 'the-key-of-the-attacker';
const gapMs = 20;

/** The attacker has the key of the settings; the second caller has another key. */
async function startPlatform(release: Release, environment: Environment): Promise<Running> {
  const own = { FOVEA_API_KEY: key, ...environment };
  const service = await startService(release, ['platform'], own);
  const made = await send(service.url, { ...json('/local/api-keys', { name: 'watcher' }), key });
  const other: unknown = Object(JSON.parse(made.text)).key;
  if (typeof other !== 'string') throw new Error(`no second key: ${made.text}`);
  const { known, renew } = createWorld({ url: service.url, key, workspace: 'local' });
  await renew();
  // A new process has no thread of what was just made.
  await wait(2_000);
  await service.restart();
  const id = (name: string) => found(name, name === 'workspace' ? 'local' : known(name).at(-1));
  return {
    service,
    key,
    gapMs,
    id,
    cheap: { path: '/', key: other, headers: { accept: 'application/json' } },
  };
}

/** Room for some 50 MB of files: it makes room for more by removing the oldest events. */
const fullStore = { MAX_BYTES: String(60 * 1024 * 1024) };

/** Without a key in the settings, requests need no key. */
async function startEventStore(release: Release, environment: Environment): Promise<Running> {
  const service = await startService(release, ['event-store'], environment);
  const body = { event_schema: 'custom', event_data: {}, inference_timestamp: isoNow() };
  const make = async (draft: boolean) => {
    const { text } = await send(service.url, json('/v2/events', { ...body, draft }));
    return String(Object(JSON.parse(text)).id);
  };
  const ids = new Map([
    ['event_id', await make(false)],
    ['draft', await make(true)],
  ]);
  const id = (name: string) => found(name, ids.get(name));
  return { service, key: '', gapMs, id, cheap: { path: '/v2/events?limit=1' } };
}

function isoNow(): string {
  return new Date().toISOString();
}

function found(name: string, id: string | undefined): string {
  if (id === undefined) throw new Error(`there is no ${name}`);
  return id;
}

const noIds = (name: string) => found(name, undefined);

/** Calls of the protocol are limited to ten a second, so the second caller reads its metadata. */
async function startHttp(release: Release, environment: Environment): Promise<Running> {
  const service = await startService(release, ['http'], environment);
  const run = (words: readonly string[], input = '') => runCommand(release, service, words, input);
  const token = await signInAsAda(service.url, run);
  const cheap = { path: '/.well-known/oauth-protected-resource/mcp' };
  return { service, key: token, gapMs, id: noIds, cheap };
}

async function startControl({ node }: Release): Promise<Running> {
  const entry = join(import.meta.dirname, 'unbounded-control-process.ts');
  // The control is TypeScript: the Node that runs this reads it, whatever runs the release.
  const reader = { entry, node: node === process.execPath ? node : process.execPath };
  const service = await startService(reader, ['control']);
  return { service, key: '', gapMs, id: noIds, cheap: { path: '/health' } };
}
