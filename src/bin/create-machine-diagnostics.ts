// The diagnostics of this machine for the doctor. Loaded with the first call that asks.

import { join } from 'node:path';
import budget from '../../tools/budget.json' with { type: 'json' };
import list from '../../tools/list.json' with { type: 'json' };
import { systemClock } from '../clock.ts';
import { type Settings, surveySettings } from '../config.ts';
import { databaseSchemas } from '../database-url.ts';
import { createProxyFetch } from '../http-client/proxy-fetch.ts';
import { findSharpBuild } from '../imaging/load-sharp.ts';
import { limits } from '../limits.ts';
import type { Log } from '../log.ts';
import { servedRevisions } from '../mcp/protocol-revisions.ts';
import { offeredOperations } from '../mcp/tool-list.ts';
import { toolsListEntries } from '../mcp/tools-list-entries.ts';
import { proxyFor } from '../network/proxies.ts';
import { findHosts } from '../setup/find-hosts.ts';
import { findProgram } from '../setup/find-program.ts';
import type {
  MachineDiagnostics,
  OfferedTools,
  VariableFindings,
} from '../setup/machine-diagnostics.ts';
import { clockOffsetMs, findNetwork } from '../setup/network-diagnostics.ts';
import { listProcesses, orphansAmong } from '../setup/orphaned-servers.ts';
import { openSecretStores } from '../sign-in/secret-stores/choose-secret-store.ts';
import { suggestSpelling } from '../spelling-suggestion.ts';
import { findDatabases } from '../storage/database-file-check.ts';
import { pythonTrainers } from '../trainer-names.ts';
import { readSystemEnvironment } from './setup.ts';

export function createMachineDiagnostics(
  settings: Settings,
  version: string,
  log: Log,
): MachineDiagnostics {
  const system = readSystemEnvironment();
  return {
    variables: async () => findVariables(),
    hosts: () => findHosts(system, version),
    programs: async () => ({
      node: await findProgram('node', system),
      npx: await findProgram('npx', system),
    }),
    network: async () => ({ ...(await findNetwork(system)), through: wayOut(settings) }),
    clockOffsetMs: (url, signal) =>
      clockOffsetMs(url, systemClock, signal, createProxyFetch(settings.proxies)),
    secretStore: () => {
      const folder = join(settings.home, 'credentials');
      const files = { log: log.part('doctor'), clock: systemClock };
      return openSecretStores({ ...files, setting: settings.credentials, folder }).choose();
    },
    stores: () => findDatabases(settings.home),
    database: async (url) => {
      const { probeServer } = await import('../storage/postgres/probe-server.ts');
      return probeServer(url, Object.values(databaseSchemas), systemClock);
    },
    objectsLatencyMs: async (place) =>
      (await import('../storage/s3/probe-bucket.ts')).probeBucket(place, systemClock),
    pythonTrainer: async (given) => {
      const name = pythonTrainers.find((known) => known === given);
      if (name === undefined) return { state: 'absent' };
      const { examinePythonTrainer } = await import('../trainers/python-trainers.ts');
      return examinePythonTrainer(name, settings.home, system.environment);
    },
    embedder: async (folder) => {
      const { tryEmbedder } = await import('../model-inference/try-embedder.ts');
      return tryEmbedder(folder);
    },
    pictures: findSharpBuild,
    orphans: async () => {
      const processes = await listProcesses(system.platform);
      return processes && orphansAmong(processes, process.pid);
    },
    revisions: async () => servedRevisions(),
    offered: async () => offered(settings),
  };
}

function findVariables(): VariableFindings {
  const { problems, given, known, unread } = surveySettings();
  // Without the prefix, which makes all of them alike.
  const bare = (variable: string) => variable.replace(/^FOVEA_/i, '');
  const near = (variable: string) => suggestSpelling(bare(variable), known.map(bare));
  return {
    problems,
    given,
    unread: unread.map((variable) => {
      const meant = near(variable);
      return { variable, near: meant && `FOVEA_${meant}` };
    }),
  };
}

/** The proxy to the platform; where that is embedded, to the web. */
function wayOut({ baseUrl, proxies }: Settings): string | undefined {
  if (baseUrl !== undefined) return proxyFor(new URL(baseUrl), proxies)?.setting;
  return (proxies?.https ?? proxies?.http)?.setting;
}

function offered(settings: Settings): OfferedTools {
  const tools = toolsListEntries(list, settings);
  const scopes = offeredOperations(list, settings).flatMap(({ scope }) => scope ?? []);
  return {
    count: tools.length,
    tokens: measured(settings) ?? estimated(tools),
    scopes: [...new Set(scopes)].toSorted(),
    embeddedOnly: list.flatMap((tool) => ('embeddedOnly' in tool ? tool.name : [])),
  };
}

/** As the build counted them, for the lists that it counted. */
function measured({ toolProfile, readOnly, toolsets, project }: Settings): number | undefined {
  if (toolsets !== undefined || project !== undefined) return undefined;
  const name: keyof typeof budget = readOnly ? `${toolProfile}-read-only` : toolProfile;
  return budget[name].tokens;
}

function estimated(tools: unknown): number {
  const { length } = JSON.stringify({ tools });
  return Math.round(length / limits.listCharactersPerToken / 100) * 100;
}
