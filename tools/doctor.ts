// The doctor: checks what can prevent work, and tells the remedy.

import { constants } from 'node:fs';
import { access, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import * as z from 'zod';
import { eventStore } from '../src/contract/event-store.ts';
import { events } from '../src/contract/events.ts';
import { workspace } from '../src/contract/workspace.ts';
import { asFoveaError, FoveaError } from '../src/errors.ts';
import { limits } from '../src/limits.ts';
import { type Tool, type ToolContext, tool } from '../src/mcp/tool.ts';
import { attempt, type Check, type Finding, type Run } from './doctor/check.ts';
import { databaseRows, machineRows, objectsRows } from './doctor/machine-checks.ts';
import { checkEmbedder, checkModel, checkTrainer } from './doctor/model-checks.ts';
import { checkSettings, waiting } from './doctor/settings-checks.ts';
import { credentialRows, signInFix } from './doctor/sign-in-checks.ts';
import { adviceOf } from './events/stats.ts';
import { asGiven, quoted } from './format.ts';

export const doctorTools: readonly Tool[] = [
  tool({
    name: 'doctor',
    toolset: 'doctor',
    title: 'Check the setup',
    description:
      'Checks settings, folders, sign-in, platform, models and Event Store, and names the fix of whatever is wrong. Use it where tools fail for no visible reason.',
    effect: 'reads',
    recoverable: false,
    idempotent: true,
    openWorld: true,
    scope: undefined,
    usesFiles: false,
    input: z.strictObject({}),
    run: async (_input, context) => {
      const checks = await diagnose(context);
      const bad = checks.filter(({ ok }) => !ok);
      const names = bad.map(({ check }) => check).join(', ');
      const summary =
        bad.length === 0
          ? `All ${checks.length} checks passed.`
          : `${bad.length} of ${checks.length} checks failed: ${names}.`;
      return { summary, data: { healthy: bad.length === 0, checks } };
    },
  }),
];

/** The checklist of the tool and of the command. */
export async function diagnose(context: ToolContext): Promise<readonly Check[]> {
  const wrong = await waiting(context);
  const rows = {
    ...ownRows,
    ...credentialRows(context),
    ...serviceRows,
    ...databaseRows(context),
    ...objectsRows(context),
    ...machineRows,
  };
  return Promise.all(
    Object.entries(rows).map(([check, run]: [string, Run]) => {
      const variable = wrong.get(check);
      if (variable === undefined) return attempt(check, context, run);
      return { check, ok: false, detail: 'Not looked at.', fix: `First correct ${variable}.` };
    }),
  );
}

function checkNode(): Finding {
  const version = process.versions.node;
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const { nodeMin, nodeMajorWithout } = limits;
  const isNew = major > nodeMin.major || (major === nodeMin.major && minor >= nodeMin.minor);
  const ok = isNew && major !== nodeMajorWithout;
  const right = `${nodeMin.major}.${nodeMin.minor}`;
  const detail = `Node ${version}; at least ${right} is needed, and not ${nodeMajorWithout}.`;
  return { ok, detail, ...(!ok && { fix: `Install Node ${right}, or 24 or newer.` }) };
}

async function checkDataFolder({ settings }: ToolContext): Promise<Finding> {
  const existing = await nearestExisting(settings.home);
  const isFolder = (await stat(existing)).isDirectory();
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isFolder && isWritable) {
    const state = existing === settings.home ? 'is writable' : 'can be made';
    return { ok: true, detail: `${asGiven(settings.home)} ${state}.` };
  }
  const detail = `${asGiven(existing)} is ${isFolder ? 'not writable' : 'no folder'}.`;
  return { ok: false, detail, fix: 'Set FOVEA_HOME to a folder that you may write.' };
}

async function nearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  const parent = dirname(path);
  return found || parent === path ? path : nearestExisting(parent);
}

async function checkFileRoots({ files }: ToolContext): Promise<Finding> {
  const fix =
    'Set FOVEA_FILE_ROOTS to the folders that tools may read and write; ' +
    'fovea setup HOST --files FOLDER writes it into the entry of a host.';
  if (files.roots.length === 0) {
    return { ok: false, detail: 'Tools may use no folder.', fix };
  }
  const states = await Promise.all(
    files.roots.map((root) =>
      stat(root).then(
        (found) => found.isDirectory(),
        () => false,
      ),
    ),
  );
  const missing = files.roots.filter((_root, index) => !states[index]);
  if (missing.length === 0) return { ok: true, detail: `${files.roots.map(asGiven).join(', ')}.` };
  return { ok: false, detail: `No such folder: ${missing.map(asGiven).join(', ')}.`, fix };
}

async function checkPlatform({ client, settings, signal }: ToolContext): Promise<Finding> {
  const kind = kindOf(settings);
  if (settings.baseUrl === undefined && !(await isMade(settings.home))) {
    const detail = `The embedded platform is empty; the first tool makes it in ${asGiven(settings.home)}.`;
    return { ok: true, detail };
  }
  try {
    const timeoutMs = limits.doctorTimeoutMs;
    const { body } = await client.call(workspace.workspace_whoami, {}, { signal, timeoutMs });
    return {
      ok: true,
      detail: `The ${kind} answers and accepts the credential; workspace ${quoted(body.workspace)}.`,
    };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code, message } = asFoveaError(thrown);
    const isRefused = code === 'unauthenticated' || code === 'forbidden';
    const hostedFix = isRefused
      ? refusedFix(settings)
      : 'Check FOVEA_BASE_URL and the network; without FOVEA_BASE_URL the embedded one is used.';
    const ownFix = settings.databaseUrl === undefined ? embeddedFix : databaseFix;
    const fix = settings.baseUrl === undefined ? ownFix : hostedFix;
    return { ok: false, detail: `The ${kind}: ${message}`, fix };
  }
}

function kindOf({ baseUrl, isOurs }: ToolContext['settings']): string {
  if (baseUrl === undefined) return 'embedded platform';
  if (isOurs === undefined) return 'platform at FOVEA_BASE_URL';
  return isOurs ? 'fovea platform' : 'hosted platform';
}

/** Checking an unused store would create it. */
function isMade(home: string): Promise<boolean> {
  return stat(join(home, 'platform')).then(
    () => true,
    () => false,
  );
}

function refusedFix({ apiKey }: ToolContext['settings']): string {
  return apiKey === undefined
    ? signInFix
    : 'Set FOVEA_API_KEY to a valid key of the workspace, or unset it and sign in.';
}

const embeddedFix = 'Set FOVEA_HOME to a folder that you may write, on a disk with room.';

const databaseFix =
  'Start the database of FOVEA_DATABASE_URL, or correct the setting; FOVEA_HOME must be writable as well.';

/** No store is no fault: the first call to one starts it. */
async function checkEventStore(context: ToolContext): Promise<Finding> {
  const place = await context.eventStorePlace().catch(asFoveaError);
  if (place instanceof FoveaError) {
    const fix = 'Correct these environment variables: no Event Store can be started with them.';
    return { ok: false, detail: place.message, fix };
  }
  const { kind, url } = place;
  const data = asGiven(join(context.settings.home, 'event-store'));
  if (kind === 'none') {
    const detail = `None runs; the first events tool starts one in this process, with ${data}.`;
    return { ok: true, detail };
  }
  const which = {
    named: 'The one at FOVEA_DEVICE_URL',
    found: `The one at ${url}`,
    embedded: `The one in this process, at ${url} with ${data},`,
  }[kind];
  try {
    const { state, fix } = await eventStoreState(context);
    const detail = `${which} ${state}.`;
    return { ok: fix === undefined, detail, ...(fix !== undefined && { fix }) };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { code, message } = asFoveaError(thrown);
    const fix =
      code === 'unauthenticated'
        ? 'Set FOVEA_DEVICE_API_KEY to the key of that Event Store.'
        : 'Check that the service runs, and FOVEA_DEVICE_URL where it is set.';
    return { ok: false, detail: `${which}: ${message}`, fix };
  }
}

/** Other Event Stores have no figures: that they count their events is a good sign too. */
async function eventStoreState({ client, signal }: ToolContext) {
  const options = { signal, timeoutMs: limits.doctorTimeoutMs };
  const count = await client.call(events.events_count, {}, options);
  const holds = `answers and holds ${count.body.total_count} events`;
  const figures = await client.call(eventStore.events_stats, {}, options).catch((thrown) => {
    if (asFoveaError(thrown).code === 'not_found') return undefined;
    throw thrown;
  });
  if (!figures?.body.capacity_blocked) return { state: holds, fix: undefined };
  const advice = adviceOf(figures.body);
  const fix = advice.length > 0 ? `Do one of: ${advice.join('; ')}.` : 'See events_stats.';
  return { state: `${holds}, but takes in no more`, fix };
}

/** In the order of the report. */
const ownRows = {
  node: checkNode,
  settings: checkSettings,
  'data folder': checkDataFolder,
  'file roots': checkFileRoots,
} as const satisfies Readonly<Record<string, Run>>;

const serviceRows = {
  platform: checkPlatform,
  model: checkModel,
  embedder: checkEmbedder,
  trainer: checkTrainer,
  'event store': checkEventStore,
} as const satisfies Readonly<Record<string, Run>>;
