// What stands in the way, with the remedy.

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
import type { Check } from './doctor/check.ts';
import { checkMachine } from './doctor/on-machine.ts';
import { checkCredential, signInFix } from './doctor/signed-in.ts';
import { adviceOf } from './events/stats.ts';
import { asGiven, quoted } from './words.ts';

export const doctorTools: readonly Tool[] = [
  tool({
    name: 'doctor',
    family: 'doctor',
    title: 'Check the setup',
    description: 'Where tools fail for no visible reason: names each fix.',
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

/** The one checklist: of the tool, and of the command for people. */
export async function diagnose(context: ToolContext): Promise<readonly Check[]> {
  return Promise.all([
    checkNode(process.versions.node),
    checkSettings(context),
    checkDataFolder(context),
    checkFileRoots(context),
    ...checkCredential(context),
    checkPlatform(context),
    checkEventStore(context),
    ...checkMachine(context),
  ]);
}

function checkNode(version: string): Check {
  const [major = 0, minor = 0] = version.split('.').map(Number);
  const { nodeMin } = limits;
  const ok = major > nodeMin.major || (major === nodeMin.major && minor >= nodeMin.minor);
  const right = `${nodeMin.major}.${nodeMin.minor}`;
  const detail = `Node ${version}; at least ${right} is needed.`;
  return { check: 'node', ok, detail, ...(!ok && { fix: `Install Node ${right} or newer.` }) };
}

/** Names only: a value may be a secret, or a host that nobody should read in a transcript. */
function checkSettings({ settings }: ToolContext): Check {
  // Of proxies, the row of the network tells.
  const { proxies: _, ...own } = settings;
  const names = Object.entries(own)
    .filter(([, value]) => value !== undefined && value !== false)
    .map(([name]) => variableOf(name));
  const detail = `In force, defaults included: ${names.join(', ')}.`;
  return { check: 'settings', ok: true, detail };
}

/** `timeoutMs` is FOVEA_TIMEOUT_MS. */
function variableOf(setting: string): string {
  if (setting === 'logLevel') return 'FOVEA_LOG';
  return `FOVEA_${setting.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase()}`;
}

async function checkDataFolder({ settings }: ToolContext): Promise<Check> {
  const check = 'data folder';
  const existing = await nearestExisting(settings.home);
  const isFolder = (await stat(existing)).isDirectory();
  const isWritable = await access(existing, constants.W_OK).then(
    () => true,
    () => false,
  );
  if (isFolder && isWritable) {
    const state = existing === settings.home ? 'is writable' : 'can be made';
    return { check, ok: true, detail: `${asGiven(settings.home)} ${state}.` };
  }
  const detail = `${asGiven(existing)} is ${isFolder ? 'not writable' : 'no folder'}.`;
  return { check, ok: false, detail, fix: 'Set FOVEA_HOME to a folder that you may write.' };
}

async function nearestExisting(path: string): Promise<string> {
  const found = await stat(path).catch(() => undefined);
  const parent = dirname(path);
  return found || parent === path ? path : nearestExisting(parent);
}

async function checkFileRoots({ files }: ToolContext): Promise<Check> {
  const check = 'file roots';
  const fix = 'Set FOVEA_FILE_ROOTS to the folders that tools may read and write.';
  if (files.roots.length === 0) {
    return { check, ok: false, detail: 'Tools may use no folder.', fix };
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
  if (missing.length === 0)
    return { check, ok: true, detail: `${files.roots.map(asGiven).join(', ')}.` };
  return { check, ok: false, detail: `No such folder: ${missing.map(asGiven).join(', ')}.`, fix };
}

async function checkPlatform({ client, settings, signal }: ToolContext): Promise<Check> {
  const check = 'platform';
  const kind = settings.baseUrl === undefined ? 'embedded platform' : 'hosted platform';
  try {
    const timeoutMs = limits.doctorTimeoutMs;
    const { body } = await client.call(workspace.workspace_whoami, {}, { signal, timeoutMs });
    return {
      check,
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
    const fix = settings.baseUrl === undefined ? embeddedFix : hostedFix;
    return { check, ok: false, detail: `The ${kind}: ${message}`, fix };
  }
}

function refusedFix({ apiKey }: ToolContext['settings']): string {
  return apiKey === undefined
    ? signInFix
    : 'Set FOVEA_API_KEY to a valid key of the workspace, or unset it and sign in.';
}

const embeddedFix = 'Set FOVEA_HOME to a folder that you may write, on a disk with room.';

/** None is no fault: the first call to one starts it. */
async function checkEventStore(context: ToolContext): Promise<Check> {
  const check = 'event store';
  const place = await context.eventStorePlace().catch(asFoveaError);
  if (place instanceof FoveaError) {
    const fix = 'Correct these environment variables: no Event Store can be started with them.';
    return { check, ok: false, detail: place.message, fix };
  }
  const { kind, url } = place;
  const data = asGiven(join(context.settings.home, 'event-store'));
  if (kind === 'none') {
    const detail = `None runs; the first events tool starts one in this process, with ${data}.`;
    return { check, ok: true, detail };
  }
  const which = {
    named: 'The one at FOVEA_DEVICE_URL',
    found: `The one at ${url}`,
    embedded: `The one in this process, at ${url} with ${data},`,
  }[kind];
  try {
    const { state, fix } = await eventStoreState(context);
    const detail = `${which} ${state}.`;
    return { check, ok: fix === undefined, detail, ...(fix !== undefined && { fix }) };
  } catch (thrown) {
    context.signal.throwIfAborted();
    const { code, message } = asFoveaError(thrown);
    const fix =
      code === 'unauthenticated'
        ? 'Set FOVEA_DEVICE_API_KEY to the key of that Event Store.'
        : 'Check that the service runs, and FOVEA_DEVICE_URL where it is set.';
    return { check, ok: false, detail: `${which}: ${message}`, fix };
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
