// Checks of the machine: programs, network, clock, hosts, files, processes, and what hosts see.

import { asFoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { isOwnPlatform, type ToolContext } from '../../src/mcp/tool.ts';
import type {
  DatabaseFindings,
  HostEntry,
  StoreFinding,
} from '../../src/setup/machine-diagnostics.ts';
import { asGiven, count, fileSize } from '../format.ts';
import type { Finding, Run } from './check.ts';

const proxyRules =
  'HTTPS_PROXY is for https addresses but those in NO_PROXY; ALL_PROXY is not read.';

/** Hosts that are started from a menu often see less of the PATH than a shell. */
async function checkPath({ machine }: ToolContext): Promise<Finding> {
  const { node, npx } = await (await machine()).programs();
  const places = [`node ${node ? asGiven(node) : 'is not on it'}`];
  places.push(`npx ${npx ? asGiven(npx) : 'is not on it'}`);
  const detail = `On the PATH: ${places.join(', ')}.`;
  if (node && npx) return { ok: true, detail };
  const advice =
    'A host whose entry starts npx needs Node on its PATH; fovea setup writes full paths.';
  return { ok: true, detail, advice };
}

async function checkNetwork({ machine, settings }: ToolContext): Promise<Finding> {
  const found = await (await machine()).network();
  if (!found.checksCertificates) {
    const detail =
      'NODE_TLS_REJECT_UNAUTHORIZED=0: anybody between can read and change all traffic.';
    const fix = 'Unset it, and name the certificates of your company in NODE_EXTRA_CA_CERTS.';
    return { ok: false, detail, fix };
  }
  if (found.hasExtraCertificates === false) {
    const detail = 'NODE_EXTRA_CA_CERTS names no file with certificates, and Node ignores it.';
    return { ok: false, detail, fix: 'Set it to a PEM file that can be read, or unset it.' };
  }
  const extra = found.hasExtraCertificates ? ' Further certificates are trusted.' : '';
  if (found.proxies.length === 0) return { ok: true, detail: `No proxy is set.${extra}` };
  const { through } = found;
  const what = settings.baseUrl === undefined ? 'The web' : 'The platform';
  if (through) {
    return { ok: true, detail: `${what} is reached through the proxy of ${through}.${extra}` };
  }
  const detail = `${found.proxies.join(', ')} set; ${what.toLowerCase()} is reached directly.${extra}`;
  return { ok: true, detail, advice: proxyRules };
}

async function checkClock({ machine, settings, signal }: ToolContext): Promise<Finding> {
  if (settings.baseUrl === undefined) {
    return { ok: true, detail: 'The embedded platform goes by the clock of this machine.' };
  }
  const soon = AbortSignal.any([signal, AbortSignal.timeout(limits.doctorTimeoutMs)]);
  const offset = await (await machine()).clockOffsetMs(settings.baseUrl, soon).catch(() => {
    signal.throwIfAborted();
    return undefined;
  });
  if (offset === undefined) return { ok: true, detail: 'The service did not say its time.' };
  const seconds = Math.round(Math.abs(offset) / 1_000);
  const side = offset > 0 ? 'behind' : 'ahead of';
  const detail = `This clock is ${count(seconds, 'second')} ${side} that of the service.`;
  if (Math.abs(offset) <= limits.clockOffsetMsMax) return { ok: true, detail };
  const fix = 'Let the system set its time from the network: tokens look expired, or too new.';
  return { ok: false, detail, fix };
}

async function checkStores({ machine }: ToolContext): Promise<Finding> {
  const stores = await (await machine()).stores();
  const damaged = stores.filter(({ state }) => state === 'damaged');
  if (damaged.length > 0) {
    const detail = `Damaged: ${damaged.map(({ name }) => asGiven(name)).join(', ')}.`;
    const fix = 'Restore the data folder from a copy, or set FOVEA_HOME to a new folder.';
    return { ok: false, detail, fix };
  }
  if (stores.length === 0) return { ok: true, detail: 'Nothing is stored yet.' };
  return { ok: true, detail: `${stores.map(storeWords).join(', ')}.` };
}

function storeWords({ name, bytes, state }: StoreFinding): string {
  const words = state === 'sound' ? 'sound' : 'not read through';
  return `${asGiven(name)} ${fileSize(bytes)}, ${words}`;
}

/** A row only where the setting is. */
export function databaseRows({ settings }: ToolContext): Readonly<Record<string, Run>> {
  const { databaseUrl } = settings;
  if (databaseUrl === undefined) return {};
  const fix = 'Check FOVEA_DATABASE_URL, the network, and that the server runs.';
  const run = tried(
    async (context) => databaseFinding(await (await context.machine()).database(databaseUrl)),
    fix,
  );
  return { database: run };
}

function databaseFinding(found: DatabaseFindings): Finding {
  const { version, latencyMs, clockOffsetMs, trigrams, canMakeSchemas } = found;
  const answers = `PostgreSQL ${version} answers within ${latencyMs.toFixed(1)} ms`;
  if (!canMakeSchemas) {
    const detail = `${answers}, but its user cannot make the schemas of Fovea.`;
    return {
      ok: false,
      detail,
      fix: 'GRANT CREATE ON DATABASE to the user of FOVEA_DATABASE_URL.',
    };
  }
  if (Math.abs(clockOffsetMs) > limits.databaseClockOffsetMsMax) {
    const seconds = count(Math.round(Math.abs(clockOffsetMs) / 1_000), 'second');
    const side = clockOffsetMs > 0 ? 'behind' : 'ahead of';
    const detail = `${answers}; this clock is ${seconds} ${side} its own.`;
    const fix = 'Let all systems set their time from the network: tasks look abandoned.';
    return { ok: false, detail, fix };
  }
  const detail = `${answers}, and keeps datasets and sign-in data; ${trigramWords[trigrams]}.`;
  const advice = [
    ...(trigrams === 'missing' ? ['CREATE EXTENSION pg_trgm before the first start.'] : []),
    ...(latencyMs > limits.databaseLatencyMsMax ? ['Run Fovea nearer to its database.'] : []),
  ].join(' ');
  return { ok: true, detail, ...(advice !== '' && { advice }) };
}

const trigramWords: Readonly<Record<DatabaseFindings['trigrams'], string>> = {
  there: 'pg_trgm is there',
  creatable: 'pg_trgm is not there, and is made with the tables if Fovea has not made these yet',
  missing: 'without pg_trgm, searches for parts of names look through all of them',
};

/** A row only where the setting is. */
export function objectsRows({ settings }: ToolContext): Readonly<Record<string, Run>> {
  const { objects } = settings;
  if (objects === undefined) return {};
  const fix = 'Check AWS_ENDPOINT_URL_S3, AWS_REGION, the network, and the store.';
  const run = tried(async (context) => {
    const ms = await (await context.machine()).objectsLatencyMs(objects);
    const detail = `The bucket ${asGiven(objects.bucket)} lets Fovea put, list, get and delete; a request takes ${ms} ms.`;
    return { ok: true, detail };
  }, fix);
  return { objects: run };
}

/** What an attempt says; where it fails, why, and what to do: `fix` unless the error knows more. */
function tried(attempt: (context: ToolContext) => Promise<Finding>, fix: string): Run {
  return async (context) => {
    try {
      return await attempt(context);
    } catch (thrown) {
      context.signal.throwIfAborted();
      const { message, hint } = asFoveaError(thrown);
      return { ok: false, detail: message, fix: hint ?? fix };
    }
  };
}

async function checkPictures({ machine }: ToolContext): Promise<Finding> {
  const { isNative, version, refusal } = await (await machine()).pictures();
  if (isNative) return { ok: true, detail: `sharp ${version}, native.` };
  const other = refusal === undefined ? '' : `; the one beside Fovea is not used: ${refusal}`;
  return {
    ok: true,
    detail: `sharp ${version} in WebAssembly${other}.`,
    advice:
      'Native sharp makes versions 1.6 times as fast. npm installs it with Fovea, unless optional ' +
      'packages are left out: npm install --global sharp where Fovea is global, else npm install ' +
      'sharp in the folder of Fovea.',
  };
}

async function checkHosts({ machine }: ToolContext): Promise<Finding> {
  const entries = await (await machine()).hosts();
  const broken = entries.filter(({ trouble }) => trouble !== undefined);
  if (broken.length > 0) {
    const detail = broken.map(
      ({ title, file, trouble }) => `${title}: ${asGiven(file)} ${trouble}`,
    );
    const names = [...new Set(broken.map(({ host }) => host))].join(' ');
    const fix = `Run fovea setup ${names}; it says what to do by hand where it must not write.`;
    return { ok: false, detail: `${detail.join('; ')}.`, fix };
  }
  const open = entries.filter(({ holdsSecret }) => holdsSecret);
  if (open.length > 0) {
    const detail = `A key stands in plain text: ${open.map(({ file }) => asGiven(file)).join(', ')}.`;
    return { ok: true, detail, advice: 'Sign in instead (fovea sign-in), and take the key out.' };
  }
  return hostsInOrder(entries);
}

function hostsInOrder(entries: readonly HostEntry[]): Finding {
  if (entries.length === 0) return { ok: true, detail: 'No host that is known was found.' };
  const knowing = entries.filter(({ command }) => command !== undefined);
  const others = entries.filter(({ command }) => command === undefined);
  const old = knowing.flatMap(({ title, otherVersion }) =>
    otherVersion === undefined ? [] : [`${title} starts version ${otherVersion}`],
  );
  const parts = [
    `Know Fovea: ${titles(knowing)}`,
    ...(others.length > 0 ? [`do not: ${titles(others)}`] : []),
    ...old,
  ];
  const advice = old.length > 0 || knowing.length === 0 ? 'fovea setup NAME writes the entry.' : '';
  return { ok: true, detail: `${parts.join('; ')}.`, ...(advice && { advice }) };
}

function titles(entries: readonly HostEntry[]): string {
  return [...new Set(entries.map(({ title }) => title))].join(', ') || 'none';
}

async function checkProcesses({ machine }: ToolContext): Promise<Finding> {
  const orphans = await (await machine()).orphans();
  if (orphans === undefined) return { ok: true, detail: 'This system does not list processes.' };
  if (orphans.length === 0) return { ok: true, detail: 'No server was left behind by a host.' };
  const detail = `Left behind by a host that is gone: process ${orphans.join(', ')}.`;
  return { ok: false, detail, fix: `End them: kill ${orphans.join(' ')}` };
}

async function checkProtocol({ machine }: ToolContext): Promise<Finding> {
  const revisions = await (await machine()).revisions();
  return { ok: true, detail: `Revisions spoken: ${revisions.join(', ')}.` };
}

async function checkToolProfile({ machine, settings }: ToolContext): Promise<Finding> {
  const { count: tools, tokens, embeddedOnly } = await (await machine()).offered();
  const shown = count(tools, 'tool');
  const absent = isOwnPlatform(settings)
    ? ''
    : ` Only platforms of fovea have ${embeddedOnly.join(', ')}.`;
  const detail = `${settings.toolProfile}: ${shown}, about ${tokens} tokens of every conversation.${absent}`;
  if (settings.toolProfile !== 'full' || tokens < smallList) return { ok: true, detail };
  const advice = 'FOVEA_TOOL_PROFILE=default reaches the same with about half.';
  return { ok: true, detail, advice };
}

/** Tokens: less is gained by another profile than by nothing. */
const smallList = 4_000;

/** In the order of the report. */
export const machineRows = {
  path: checkPath,
  network: checkNetwork,
  clock: checkClock,
  stores: checkStores,
  pictures: checkPictures,
  hosts: checkHosts,
  processes: checkProcesses,
  protocol: checkProtocol,
  'tool profile': checkToolProfile,
} as const satisfies Readonly<Record<string, Run>>;
