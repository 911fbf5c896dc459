// A real Secret Service for tests: a message bus and gnome-keyring of their own, and a process that
// uses them.

import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { onTestFinished } from 'vitest';
import * as z from 'zod';
import { FoveaError } from '../../src/errors.ts';
import { Secret } from '../../src/secret.ts';
import type { SecretStore } from '../../src/sign-in/secret-stores/secret-store.ts';
import { killProcess } from '../fixtures/kill-process.ts';

/** Whether the programs are installed (Debian: dbus, gnome-keyring). */
export const hasSecretService = ['dbus-daemon', 'dbus-send', 'gnome-keyring-daemon'].every(
  (program) => spawnSync(program, ['--version']).error === undefined,
);

/** What one process compiled, the next ones take; the test file removes it. */
export const compiled = hasSecretService ? mkdtempSync(join(tmpdir(), 'fovea-compiled-')) : '';

export interface Bus {
  /** What a process of that session has in its environment. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<void>;
}

/** When what was started ends; by itself with the test. */
export type AtEnd = (end: () => Promise<void>) => void;

/** A bus; without `services` it starts nothing by itself. */
export async function startBus(
  folder: string,
  services: boolean,
  atEnd: AtEnd = onTestFinished,
): Promise<Bus> {
  const runtime = join(folder, 'runtime');
  await mkdir(runtime, { recursive: true, mode: 0o700 });
  const config = join(folder, 'bus.conf');
  await writeFile(config, bareBus(runtime));
  const kind = services ? '--session' : `--config-file=${config}`;
  const base = { PATH: process.env.PATH ?? '', HOME: folder, XDG_RUNTIME_DIR: runtime };
  const bus = spawn('dbus-daemon', [kind, '--nofork', '--print-address=1'], {
    env: base,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  atEnd(() => killProcess(bus));
  const [address] = await once(createInterface({ input: bus.stdout }), 'line');
  return {
    environment: { ...base, DBUS_SESSION_BUS_ADDRESS: String(address) },
    stop: () => killProcess(bus),
  };
}

export interface Keyring {
  /** It no longer answers, and has not ended. */
  hang(): void;
  goOn(): void;
  stop(): Promise<void>;
}

/** gnome-keyring on that bus, with its files in the folder; without a password it stays locked. */
export async function startKeyring(
  bus: Bus,
  password: string | undefined,
  atEnd: AtEnd = onTestFinished,
): Promise<Keyring> {
  const words = ['--foreground', '--components=secrets'];
  const keyring = spawn(
    'gnome-keyring-daemon',
    password === undefined ? words : [...words, '--unlock'],
    { env: bus.environment, stdio: ['pipe', 'ignore', 'ignore'] },
  );
  keyring.stdin.end(password ?? '');
  atEnd(() => killProcess(keyring));
  while (!ownsName(bus)) await wait(20);
  return {
    hang: () => keyring.kill('SIGSTOP'),
    goOn: () => keyring.kill('SIGCONT'),
    stop: () => killProcess(keyring),
  };
}

function ownsName({ environment }: Bus): boolean {
  const call = ['org.freedesktop.DBus.NameHasOwner', 'string:org.freedesktop.secrets'];
  const to = ['--session', '--print-reply', '--dest=org.freedesktop.DBus', '/'];
  const { stdout } = spawnSync('dbus-send', [...to, ...call], { env: environment });
  return stdout.toString().includes('boolean true');
}

function bareBus(folder: string): string {
  return `<!DOCTYPE busconfig PUBLIC "-//freedesktop//DTD D-Bus Bus Configuration 1.0//EN"
  "http://www.freedesktop.org/standards/dbus/1.0/busconfig.dtd">
<busconfig>
  <type>session</type>
  <listen>unix:dir=${folder}</listen>
  <auth>EXTERNAL</auth>
  <policy context="default">
    <allow send_destination="*" eavesdrop="true"/>
    <allow eavesdrop="true"/>
    <allow own="*"/>
  </policy>
</busconfig>
`;
}

export interface KeychainProcess {
  /** A store in that process, over the entries of a service of that name. */
  store(service: string, charactersMax?: number): SecretStore;
  /** An entry that something else than our store wrote. */
  plant(service: string, name: string, value: string): Promise<void>;
  /** Where a new sign-in would go, by the setting. */
  choose(setting: 'auto' | 'keychain'): Promise<string>;
}

/** A process of that session; `library` is `napi`, or a file beside which keytar is installed. */
export function startKeychainProcess(
  environment: Readonly<Record<string, string>>,
  library: string,
  folder: string,
  atEnd: AtEnd = onTestFinished,
): KeychainProcess {
  const script = join(import.meta.dirname, 'processes', 'keychain-suite.ts');
  const child = spawn(process.execPath, [script, library, folder], {
    env: { ...environment, NODE_COMPILE_CACHE: compiled },
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  atEnd(() => killProcess(child));
  const waiting = new Map<number, (answer: z.output<typeof answerShape>) => void>();
  createInterface({ input: child.stdout }).on('line', (line) => {
    const answer = answerShape.parse(JSON.parse(line));
    waiting.get(answer.id)?.(answer);
  });
  let count = 0;
  const ask = async (command: object): Promise<string | undefined> => {
    const id = ++count;
    const { promise, resolve } = Promise.withResolvers<z.output<typeof answerShape>>();
    waiting.set(id, resolve);
    child.stdin.write(`${JSON.stringify({ id, ...command })}\n`);
    const { value, error } = await promise;
    if (error === undefined) return value;
    throw new FoveaError('internal', error.message, { hint: error.hint ?? '' });
  };
  return {
    store: (service, charactersMax = 1_000_000) => {
      const on = { service, charactersMax };
      return {
        name: library,
        read: async (name) => {
          const value = await ask({ ...on, operation: 'read', name });
          return value === undefined ? undefined : new Secret(value);
        },
        write: async (name, value) =>
          void (await ask({ ...on, operation: 'write', name, value: value.reveal() })),
        remove: async (name) => void (await ask({ ...on, operation: 'remove', name })),
      };
    },
    plant: async (service, name, value) =>
      void (await ask({ service, operation: 'plant', name, value })),
    choose: async (setting) =>
      String(await ask({ service: '', operation: 'choose', name: '', value: setting })),
  };
}

const answerShape = z.object({
  id: z.number(),
  value: z.string().optional(),
  error: z.object({ message: z.string(), hint: z.string().optional() }).optional(),
});
