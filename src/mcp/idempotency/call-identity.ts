// Identifies equal calls: a digest of tool, arguments, principal and files.

import { createHash } from 'node:crypto';
import { stat } from 'node:fs/promises';
import type { Settings } from '../../config.ts';
import { limits } from '../../limits.ts';
import type { Tool } from '../tool.ts';
import type { Arguments } from '../tool-profiles.ts';

/** One call, before it is made. */
export interface IdempotentCall {
  readonly tool: Tool;
  /** After the defaults of the settings. */
  readonly args: Arguments;
  /** Who calls: the same text for the same credential. */
  readonly principal: string;
  /** The idempotency key of the host; undefined: equal arguments identify the call. */
  readonly key: string | undefined;
}

/** What an equal call does. `never`: it is made again, since that changes nothing more. */
export type RepeatRule = 'replayed' | 'made' | 'never';

/** A call as its row has it. */
export interface CallIdentity {
  readonly principal: string;
  readonly tool: string;
  readonly key: string | undefined;
  /** The same for equal calls of one principal. */
  readonly digest: string;
  readonly rule: RepeatRule;
  /** Where it works, for the list of calls. */
  readonly workspace: string | undefined;
  readonly project: string | undefined;
}

export async function identityOf(call: IdempotentCall): Promise<CallIdentity> {
  const { tool, args, principal, key } = call;
  // Confirmations do not change what the call does.
  const { confirm: _confirm, accept_cost: _cost, ...rest } = args;
  const files = await fileStates(tool, rest);
  const digest = createHash('sha256')
    .update(JSON.stringify([principal, tool.name, canonicalMembers(rest), files]))
    .digest('base64url');
  const { workspace, project } = args;
  return {
    principal,
    tool: tool.name,
    key,
    digest,
    rule: ruleOf(tool),
    workspace: nameIn(workspace),
    project: nameIn(project),
  };
}

function nameIn(value: unknown): string | undefined {
  return typeof value === 'string' ? value.slice(0, limits.foreignIdCharactersMax) : undefined;
}

/** The principal of this machine: the same text for the same services and credential. */
export function principalOf(settings: Settings): string {
  const { baseUrl, authUrl, clientId, profile, deviceUrl, apiKey, deviceApiKey } = settings;
  const keys = [apiKey?.hash(), deviceApiKey?.hash()];
  return createHash('sha256')
    .update(JSON.stringify([baseUrl, authUrl, clientId, profile, deviceUrl, ...keys]))
    .digest('base64url');
}

function ruleOf({ repeated, idempotent }: Tool): RepeatRule {
  return repeated ?? (idempotent ? 'never' : 'replayed');
}

/** A file that was written anew under the same name makes another call. */
async function fileStates(tool: Tool, args: IdempotentCall['args']): Promise<unknown> {
  const names = [...(tool.fileArguments ?? []), ...(tool.usesFiles ? ['file'] : [])];
  const paths = names.flatMap((name) => {
    const path = args[name];
    return typeof path === 'string' ? [path] : [];
  });
  return Promise.all(
    paths.map((path) =>
      stat(path).then(
        ({ size, mtimeMs, ino }) => [size, mtimeMs, ino],
        () => null,
      ),
    ),
  );
}

/**
 * The members sorted by name, without undefined ones. Deeper members keep their order: the steps of
 * a version run in the order in which they are given.
 */
export function canonicalMembers(members: object): readonly (readonly [string, unknown])[] {
  return Object.entries(members)
    .filter(([, value]) => value !== undefined)
    .sort(([one], [other]) => (one < other ? -1 : 1));
}
