// The services of deploy/compose.yaml as processes of this machine: Fovea itself, PostgreSQL, Swift
// and haproxy of Debian in place of containers. What they are started with is said there alone.

import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { CreateBucketCommand } from '@aws-sdk/client-s3';
import { parse } from 'yaml';
import * as z from 'zod';
import { openDatabaseLine } from '../../scripts/faults-cluster/database-line.ts';
import { Member } from '../../scripts/faults-cluster/member.ts';
import { freePort } from '../fixtures/fovea-services.ts';
import { killProcess } from '../fixtures/kill-process.ts';
import { localhostCertificate, localhostKey } from '../fixtures/localhost-certificate.ts';
import { hasPostgres, startPostgres } from '../fixtures/postgres-server.ts';
import { hasS3Server, s3Credentials, startS3Server } from '../fixtures/s3-server.ts';

const haproxy = '/usr/sbin/haproxy';

export const isHere = hasPostgres && hasS3Server && existsSync(haproxy);

const folder = join(import.meta.dirname, '../../deploy');

export const readDeployed = (name: string) => readFileSync(join(folder, name), 'utf8');

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      command: z.array(z.string()).default([]),
      environment: z.record(z.string(), z.string()).default({}),
      deploy: z.object({ replicas: z.number() }).default({ replicas: 1 }),
    }),
  ),
});

type Services = z.infer<typeof composeFile>['services'];
type Environment = Readonly<Record<string, string>>;

export interface ComposedServices {
  /** Of the proxy. */
  readonly url: string;
  readonly apiKey: string;
  readonly metricsToken: string;
  /** Of a platform: what commands on the side need, such as `fovea account`. */
  readonly environment: Environment;
  member(name: string): Member;
  /** With the addresses that those of the file have here. */
  here(text: string): string;
  close(): Promise<void>;
}

export async function startComposed(): Promise<ComposedServices> {
  const scratch = await mkdtemp(join(tmpdir(), 'fovea-composed-'));
  const stores = await startStores();
  const proxyPort = await freePort();
  const publicHost = `localhost:${proxyPort}`;
  const file = filled(readDeployed('compose.yaml'), publicHost);
  const { services } = composeFile.parse(parse(file, { merge: true }));
  const ports = new Map<string, number>();
  for (const name of namesOfFovea(services)) ports.set(name, await freePort());
  const here = (text: string) =>
    stores
      .here(text)
      .replace('172.30.0.0/24', '127.0.0.1')
      .replace(' :8443 ', ` 127.0.0.1:${proxyPort} `)
      .replace('/usr/local/etc/haproxy/tls', scratch)
      .replaceAll(/\b([a-z]+-\d):80\d\d\b/g, (_all, name) => `127.0.0.1:${ports.get(name)}`);
  const members = await membersOf(services, here, scratch);
  await Promise.all([...members.values()].map((member) => member.start()));
  const proxy = await startProxy(here(readDeployed('haproxy.cfg')), scratch, publicHost);
  return {
    url: `https://${publicHost}`,
    apiKey,
    metricsToken,
    environment: settingsOf(services, 'platform-1', here),
    member: (name) => found(members.get(name), name),
    here,
    close: async () => {
      await Promise.all([...members.values()].map((member) => member.kill()));
      await killProcess(proxy);
      await stores.close();
      await rm(scratch, { recursive: true, force: true });
    },
  };
}

const apiKey = 'a-key-for-tests';
const metricsToken = 'a-token-of-prometheus';

/** With a value for each variable; throws where it has another one. */
function filled(text: string, publicHost: string): string {
  const values = new Map([
    ['FOVEA_HOST', publicHost],
    ['FOVEA_WORKSPACE', 'acme'],
    ['API_KEY', apiKey],
    ['METRICS_TOKEN', metricsToken],
    ['DATABASE_PASSWORD', 'any'],
    ['OBJECTS_KEY', s3Credentials.AWS_ACCESS_KEY_ID],
    ['OBJECTS_SECRET', s3Credentials.AWS_SECRET_ACCESS_KEY],
  ]);
  return text.replaceAll(/\$\{(\w+)(?::[?-][^}]*)?\}/g, (_all, name) =>
    found(values.get(name), name),
  );
}

/** The database and the object store. */
async function startStores() {
  const server = await startPostgres();
  const database = new URL((await server.database()).reveal());
  const folderOfSocket = database.searchParams.get('host') ?? '';
  const line = await openDatabaseLine(join(folderOfSocket, '.s.PGSQL.5432'));
  const { host } = new URL(line.urlOf('any'));
  const objectStore = await startS3Server();
  await objectStore.client.send(new CreateBucketCommand({ Bucket: 'fovea' }));
  return {
    here: (text: string) =>
      text
        .replace('database:5432/fovea', `${host}${database.pathname}`)
        .replace('http://objects:7070', objectStore.endpoint),
    close: async () => {
      line.close();
      await server.stop();
      await objectStore.stop();
    },
  };
}

function namesOfFovea(services: Services): readonly string[] {
  return Object.keys(services).filter((name) => services[name]?.image === 'fovea');
}

/** By their names; of several the second one is `worker 2`. */
async function membersOf(
  services: Services,
  here: (text: string) => string,
  scratch: string,
): Promise<ReadonlyMap<string, Member>> {
  const members = new Map<string, Member>();
  for (const service of namesOfFovea(services)) {
    const { command, deploy } = found(services[service], service);
    const [host, port] = here(`${after('--host', command)}:${after('--port', command)}`).split(':');
    const address = host === '' ? [] : ['--host', host ?? '', '--port', port ?? ''];
    for (let copy = 1; copy <= deploy.replicas; copy += 1) {
      const name = copy === 1 ? service : `${service} ${copy}`;
      const data = join(scratch, name);
      await mkdir(data);
      const environment = {
        ...settingsOf(services, service, here),
        FOVEA_HOME: data,
        HOME: data,
      };
      members.set(name, new Member({ name, words: [command[0] ?? '', ...address], environment }));
    }
  }
  return members;
}

function after(option: string, command: readonly string[]): string {
  const place = command.indexOf(option);
  return place === -1 ? '' : (command[place + 1] ?? '');
}

function settingsOf(services: Services, name: string, here: (text: string) => string): Environment {
  const { environment } = found(services[name], name);
  return Object.fromEntries(Object.entries(environment).map(([key, value]) => [key, here(value)]));
}

async function startProxy(
  configuration: string,
  scratch: string,
  publicHost: string,
): Promise<ChildProcess> {
  await writeFile(join(scratch, 'fovea.pem'), localhostCertificate + localhostKey);
  await writeFile(join(scratch, 'haproxy.cfg'), configuration);
  const proxy = spawn(haproxy, ['-db', '-f', join(scratch, 'haproxy.cfg')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { FOVEA_HOST: publicHost },
  });
  process.once('exit', () => proxy.kill('SIGKILL'));
  let said = '';
  proxy.stderr.on('data', (text) => {
    said += text;
  });
  while (!(await answers(`https://${publicHost}/health`))) {
    if (proxy.exitCode !== null) throw new Error(`haproxy ended: ${said}`);
    await wait(50);
  }
  return proxy;
}

/** Of processes that are ready: before, the proxy says 503. */
async function answers(url: string): Promise<boolean> {
  return fetch(url).then(
    ({ ok }) => ok,
    () => false,
  );
}

function found<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Error(`There is no ${name}.`);
  return value;
}
