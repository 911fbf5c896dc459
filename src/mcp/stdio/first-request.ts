// The two requests with which hosts begin, where nothing about them needs the package to judge it.

import { isUtf8 } from 'node:buffer';
import { isJsonObject, type JsonObject, membersOf } from '../../json-object.ts';
import { limits } from '../../limits.ts';
import { declaresApps } from '../app/declared-apps.ts';
import type { Id } from './request-id.ts';

export type FirstRequest =
  | {
      readonly method: 'initialize';
      readonly id: Id;
      readonly revision: string;
      readonly showsApps: boolean;
    }
  | { readonly method: 'tools/list'; readonly id: Id };

/** The revisions that begin with `initialize`, as the package has them. */
export const initializedRevisions: readonly string[] = [
  '2025-11-25',
  '2025-06-18',
  '2025-03-26',
  '2024-11-05',
  '2024-10-07',
];

/** Undefined for everything else, and for a request that the package might refuse. */
export function firstRequestIn(message: JsonObject): FirstRequest | undefined {
  const { jsonrpc, id, method, params = {}, ...others } = message;
  if (jsonrpc !== '2.0' || !isId(id) || !isJsonObject(params)) return undefined;
  if (Object.keys(others).length > 0) return undefined;
  if (method === 'tools/list') {
    return Object.keys(params).length === 0 ? { method, id } : undefined;
  }
  const revision = method === 'initialize' ? revisionOf(params) : undefined;
  if (revision === undefined) return undefined;
  return { method: 'initialize', id, revision, showsApps: declaresApps(params.capabilities) };
}

/** The message of a line; undefined: it is none, or longer than those of a beginning. */
export function shortMessageIn(line: Buffer): JsonObject | undefined {
  if (line.length > limits.firstLineBytesMax || !isUtf8(line)) return undefined;
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return isJsonObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function isId(value: unknown): value is Id {
  return typeof value === 'string' || Number.isSafeInteger(value);
}

function revisionOf(params: JsonObject): string | undefined {
  const { protocolVersion, capabilities, clientInfo, ...others } = params;
  if (!isJsonObject(capabilities) || !isJsonObject(clientInfo)) return undefined;
  const isPlain =
    Object.keys(others).length === 0 && arePlain(capabilities) && isPlainClient(clientInfo);
  return isPlain ? initializedRevisions.find((known) => known === protocolVersion) : undefined;
}

function isPlainClient(clientInfo: JsonObject): boolean {
  const values = Object.values(clientInfo);
  const isNamed = 'name' in clientInfo && 'version' in clientInfo;
  return isNamed && values.every((value) => typeof value === 'string');
}

/** What the package looks at in them: an object for each, and the parts of those. */
function arePlain(capabilities: JsonObject): boolean {
  return Object.entries(capabilities).every(([name, capability]) => {
    if (!plainCapabilities.has(name) || !isJsonObject(capability)) return false;
    const { listChanged, ...parts } = capability;
    if (listChanged !== undefined && typeof listChanged !== 'boolean') return false;
    const { applyDefaults } = membersOf(parts.form);
    return applyDefaults === undefined && Object.values(parts).every(isJsonObject);
  });
}

const plainCapabilities: ReadonlySet<string> = new Set([
  'roots',
  'sampling',
  'elicitation',
  'experimental',
  'extensions',
]);
