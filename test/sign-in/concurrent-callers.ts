// Several processes with one sign-in, and a service that counts what comes to its token endpoint.

import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import * as z from 'zod';
import { openAdministration } from '../../src/authorization-server/administration.ts';
import { mountSignIn } from '../../src/bin/authorization-server.ts';
import { openSignIn } from '../../src/bin/open-sign-in.ts';
import { systemClock } from '../../src/clock.ts';
import { readSettings } from '../../src/config.ts';
import type { Route } from '../../src/http-server/handlers.ts';
import { createLog } from '../../src/log.ts';
import { Secret } from '../../src/secret.ts';
import { type Binding, bindingName } from '../../src/sign-in/profile-index.ts';
import type { Tokens } from '../../src/sign-in/token-store.ts';
import { tryLock } from '../../src/storage/file-lock.ts';
import { startExampleProvider } from '../fixtures/foreign-authorization-servers.ts';
import { agree as agreeOn, openFormBrowser } from '../fixtures/form-browser.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { startTestPlatform } from '../fixtures/platform.ts';

/** A service and its authorization server, in this process. */
export interface RaceService {
  /** Where the calls go. */
  readonly url: string;
  readonly issuer: string;
  readonly clientId: string;
  /** Requests to the token endpoint so far. */
  tokenRequests(): number;
  /** Called before each of them is handled, and after its answer was written. */
  watch(watcher: Watcher | undefined): void;
  /** Answers 401 to that access token from now on. */
  deny(token: Secret): void;
  /** A person signs in; gives the final address. */
  agree(address: string): Promise<URL>;
  close(): Promise<void>;
}

export interface Watcher {
  before(): void;
  after(): void;
}

const person = { name: 'Ada', email: 'ada@example.com', password: 'a-password-for-tests' };

/** Our own platform and sign-in service, put together as `fovea platform` does. */
export async function startOurService(): Promise<RaceService> {
  const folder = await mkdtemp(join(tmpdir(), 'fovea-races-'));
  const people = await openAdministration(folder, systemClock);
  const password = new Secret(person.password);
  await people.accounts.add({ ...person, workspaces: ['acme'], password });
  await people.close();
  const signIn = await mountSignIn({
    data: folder,
    workspace: 'acme',
    host: '127.0.0.1',
    publicUrl: undefined,
    log: createLog('error'),
    clock: systemClock,
  });
  if (signIn === undefined) throw new Error('no sign-in service on loopback');
  const counter = createCounter();
  const platform = await startTestPlatform({
    data: folder,
    keys: [],
    routes: signIn.routes.map((route) => counted(route, counter)),
    onListening: signIn.onListening,
    issuer: signIn.issuer,
    verifyAccessToken: async (token) =>
      counter.isDenied(token) ? undefined : signIn.verify(token),
  });
  return {
    ...counter,
    url: platform.url,
    issuer: platform.url,
    clientId: 'fovea',
    agree: (address) => agreeOn(openFormBrowser(), address, person),
    close: async () => {
      await platform.close();
      await signIn.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** An authorization server that nobody here wrote, without any grace, and a service beside it. */
export async function startForeignService(): Promise<RaceService> {
  const counter = createCounter();
  const provider = await startExampleProvider({
    onTokenRequest: () => counter.begin(),
    ttl: { AccessToken: 3_600, RefreshToken: 86_400, Grant: 86_400 },
  });
  const service = createServer(async (request, response) => {
    const token = request.headers.authorization?.replace('Bearer ', '') ?? '';
    const known = await provider.provider.AccessToken.find(token);
    const isGood = known !== undefined && !counter.isDenied(new Secret(token));
    response.writeHead(isGood ? 200 : 401, { 'content-type': 'application/json' });
    response.end(isGood ? '{"workspace":"acme"}' : '{"error":"bad token"}');
  });
  provider.provider.on('grant.success', counter.end);
  service.listen(0, '127.0.0.1');
  await once(service, 'listening');
  const address = service.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  return {
    ...counter,
    url: `http://127.0.0.1:${port}`,
    issuer: provider.issuer,
    clientId: provider.clientId,
    agree: (url) => provider.agree(url),
    close: async () => {
      service.closeAllConnections();
      service.close();
      await provider.close();
    },
  };
}

function createCounter() {
  const denied = new Set<string>();
  let count = 0;
  let watcher: Watcher | undefined;
  return {
    tokenRequests: () => count,
    watch: (next: Watcher | undefined) => {
      watcher = next;
    },
    deny: (token: Secret) => void denied.add(token.reveal()),
    isDenied: (token: Secret) => denied.has(token.reveal()),
    begin: () => {
      count++;
      watcher?.before();
    },
    end: () => watcher?.after(),
  };
}

function counted(route: Route, counter: ReturnType<typeof createCounter>): Route {
  if (route.method !== 'POST' || route.path !== '/oauth/token') return route;
  return {
    ...route,
    handle: async (request, response, parameters) => {
      counter.begin();
      await route.handle(request, response, parameters);
      counter.end();
    },
  };
}

/** One sign-in that processes share. */
export interface SharedSignIn {
  readonly environment: Readonly<Record<string, string>>;
  stored(): Promise<Tokens | undefined>;
  /** Makes what is stored look as if it had ended, as it does after an hour. */
  expire(): Promise<void>;
  close(): Promise<void>;
}

/** Signs in to the service by the same parts as `fovea sign-in --paste`. */
export async function signInOnce(service: RaceService): Promise<SharedSignIn> {
  const home = await mkdtemp(join(tmpdir(), 'fovea-races-home-'));
  const variables = {
    FOVEA_HOME: home,
    FOVEA_BASE_URL: service.url,
    FOVEA_AUTH_URL: service.issuer,
    FOVEA_CLIENT_ID: service.clientId,
    FOVEA_CREDENTIALS: 'file',
    FOVEA_SCOPES: service.clientId === 'fovea' ? 'openid workspace:read' : 'openid',
  };
  const settings = readSettings(variables);
  const { flow, tokens, close } = openSignIn(settings, createLog('error'), { listens: false });
  const started = await flow.start();
  if (started.status !== 'pending') throw new Error('signed in already');
  await flow.finishWith((await service.agree(started.authorizationUrl)).href);
  const binding: Binding = {
    profile: 'default',
    issuer: service.issuer,
    clientId: service.clientId,
    service: service.url,
  };
  const lock = join(home, 'credentials', `refresh-${bindingName(binding)}.lock`);
  return {
    environment: {
      PATH: process.env.PATH ?? '',
      NODE_COMPILE_CACHE: join(home, 'compiled'),
      ...variables,
    },
    stored: async () => (await tokens.read(binding))?.tokens,
    expire: async () => {
      const held = tryLock(lock, 'exclusive');
      if (held === undefined) throw new Error('somebody holds the lock between two rounds');
      try {
        const found = await tokens.read(binding);
        if (found === undefined) throw new Error('signed out');
        const past = {
          obtainedAt: systemClock.now() - 3_600_000,
          expiresAt: systemClock.now() - 1,
        };
        await tokens.replace(binding, { ...found.tokens, ...past }, found);
      } finally {
        held.release();
      }
    },
    close: async () => {
      await close();
      await rm(home, { recursive: true, force: true });
    },
  };
}

export interface Outcome {
  readonly ok: number;
  /** What failed, each kind once. */
  readonly kinds: readonly string[];
}

/** A process that makes many calls at once. */
export interface Caller {
  /** Undefined: it was killed before it had ended. */
  call(calls: number, fresh: boolean): Promise<Outcome | undefined>;
  /** As if the machine had no mercy; another one takes its place for the next call. */
  kill(): Promise<void>;
  /** It stops where it is, and does not end. */
  freeze(): void;
  close(): Promise<void>;
}

/** The first one calls once, and so leaves its compiled modules for the others. */
export async function startCallers(signIn: SharedSignIn, count: number): Promise<Caller[]> {
  const first = await startCaller(signIn);
  await first.call(1, false);
  const others = Array.from({ length: count - 1 }, () => startCaller(signIn));
  return [first, ...(await Promise.all(others))];
}

export async function startCaller(signIn: SharedSignIn): Promise<Caller> {
  let running = startWorker(signIn);
  await running.ready;
  return {
    call: async (calls, fresh) => {
      const { ready, run } = running;
      await ready;
      return run({ calls, fresh });
    },
    freeze: () => void running.child.kill('SIGSTOP'),
    kill: async () => {
      await killProcess(running.child);
      running = startWorker(signIn);
    },
    close: () => killProcess(running.child),
  };
}

const outcomeShape = z.object({ ok: z.number(), kinds: z.array(z.string()) });

function startWorker({ environment }: SharedSignIn) {
  const script = join(import.meta.dirname, 'processes', 'call-many.ts');
  const child = spawn(process.execPath, [script], {
    env: environment,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  child.stdin.on('error', () => undefined);
  const lines = createInterface({ input: child.stdout });
  // It may be killed before it is ready.
  const ready = Promise.race([once(lines, 'line'), once(child, 'exit')]);
  return { child, ready, run: (command: object) => runRound(child, lines, command) };
}

async function runRound(
  child: ChildProcess,
  lines: ReturnType<typeof createInterface>,
  command: object,
): Promise<Outcome | undefined> {
  if (child.exitCode !== null || child.signalCode !== null) return undefined;
  const { promise, resolve } = Promise.withResolvers<Outcome | undefined>();
  const onLine = (line: string) => resolve(outcomeShape.parse(JSON.parse(line)));
  const onExit = () => resolve(undefined);
  lines.once('line', onLine);
  child.once('exit', onExit);
  child.stdin?.write(`${JSON.stringify(command)}\n`);
  const outcome = await promise;
  lines.off('line', onLine);
  child.off('exit', onExit);
  return outcome;
}

/** All of them at once, and the requests to the token endpoint that it took. */
export async function callAll(
  service: RaceService,
  callers: readonly Caller[],
  calls: number,
  fresh: boolean,
) {
  const before = service.tokenRequests();
  const outcomes = await Promise.all(callers.map((caller) => caller.call(calls, fresh)));
  return { outcomes, refreshes: service.tokenRequests() - before };
}

export interface KillReport {
  /** Processes that died before their calls had ended. */
  readonly killed: number;
  /** Rounds that took a second refresh, since the first one died with its process. */
  readonly repeated: number;
  /** Rounds in which a call of a survivor failed, or more refreshes were sent than that. */
  readonly failures: readonly object[];
}

const callsPerProcess = 50;

/**
 * In each round the token has ended, and all processes call at once. In every `killEvery`th one of
 * them is killed: by turns at some moment, and around the refresh.
 */
export async function killInRounds(
  service: RaceService,
  signIn: SharedSignIn,
  callers: readonly Caller[],
  { rounds, killEvery }: { readonly rounds: number; readonly killEvery: number },
): Promise<KillReport> {
  const failures: object[] = [];
  let [killed, repeated] = [0, 0];
  for (let round = 0; round < rounds; round++) {
    await signIn.expire();
    const isKilling = round % killEvery === 0;
    const victim = isKilling ? callers[randomInt(callers.length)] : undefined;
    const isLate = round % (2 * killEvery) === 0;
    const moment = isLate ? firstRefresh(service) : Promise.resolve();
    const killing = moment.then(() => wait(randomInt(60))).then(() => victim?.kill());
    const { outcomes, refreshes } = await callAll(service, callers, callsPerProcess, true);
    await killing;
    const survivors = outcomes.filter((outcome) => outcome !== undefined);
    killed += outcomes.length - survivors.length;
    repeated += refreshes - 1;
    const isGood = survivors.every(({ ok }) => ok === callsPerProcess);
    if (!isGood || refreshes < 1 || refreshes > (isKilling ? 2 : 1))
      failures.push({ round, outcomes, refreshes });
  }
  return { killed, repeated, failures };
}

async function firstRefresh(service: RaceService): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  service.watch({ before: resolve, after: () => undefined });
  await promise;
  service.watch(undefined);
}
