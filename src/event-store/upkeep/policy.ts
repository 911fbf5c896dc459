// What a data folder keeps, and for how long: one policy for all processes that use it.

import { join } from 'node:path';
import { FoveaError } from '../../errors.ts';
import type { EventStoreSettings } from '../../event-store-config.ts';
import { readMembers, replaceJson } from './json-file.ts';

export interface Policy
  extends Pick<
    EventStoreSettings,
    'retentionDays' | 'recordsMax' | 'bytesMax' | 'reserveBytes' | 'draftAutoFinalizeSeconds'
  > {
  /** Cleanup leaves drafts and events that wait for upload: cloud upload is on. */
  readonly sparesUnsent: boolean;
}

/** The policy of a data folder as last read. */
export interface FolderPolicy {
  readonly now: Policy;
  /** Throws `internal` for a policy that cannot be read; the one before it holds then. */
  read(): Promise<void>;
}

/** That of the folder; where it has none, that of the settings. Throws as `read` does. */
export async function openPolicy(
  data: string,
  settings: EventStoreSettings,
): Promise<FolderPolicy> {
  const own = policyOf(settings);
  let now = own;
  const read = async () => {
    now = (await readPolicy(data)) ?? own;
  };
  await read();
  return {
    get now() {
      return now;
    },
    read,
  };
}

/** These settings with what the policy says at any moment: for what is shown of the store. */
export function withPolicy(settings: EventStoreSettings, policy: FolderPolicy): EventStoreSettings {
  return {
    ...settings,
    get retentionDays() {
      return policy.now.retentionDays;
    },
    get recordsMax() {
      return policy.now.recordsMax;
    },
    get bytesMax() {
      return policy.now.bytesMax;
    },
  };
}

/** Makes these settings the policy of the folder. */
export async function writePolicy(data: string, settings: EventStoreSettings): Promise<void> {
  await replaceJson(fileIn(data), policyOf(settings));
}

function fileIn(data: string): string {
  return join(data, 'policy.json');
}

function policyOf(settings: EventStoreSettings): Policy {
  const { retentionDays, recordsMax, bytesMax, reserveBytes, draftAutoFinalizeSeconds } = settings;
  const sparesUnsent = settings.cloud !== undefined;
  return {
    retentionDays,
    recordsMax,
    bytesMax,
    reserveBytes,
    draftAutoFinalizeSeconds,
    sparesUnsent,
  };
}

async function readPolicy(data: string): Promise<Policy | undefined> {
  const members = await readMembers(fileIn(data)).catch(() => unreadable);
  if (members === undefined) return undefined;
  const { retentionDays, recordsMax, bytesMax, reserveBytes, draftAutoFinalizeSeconds } = members;
  const { sparesUnsent } = members;
  if (
    isAmount(retentionDays) &&
    isAmount(recordsMax) &&
    isAmount(bytesMax) &&
    isAmount(reserveBytes) &&
    isAmount(draftAutoFinalizeSeconds) &&
    typeof sparesUnsent === 'boolean'
  ) {
    return {
      retentionDays,
      recordsMax,
      bytesMax,
      reserveBytes,
      draftAutoFinalizeSeconds,
      sparesUnsent,
    };
  }
  throw new FoveaError('internal', 'The file policy.json of the data folder cannot be read.', {
    hint: 'Start `fovea event-store` on the folder: it writes the file anew.',
  });
}

const unreadable: Readonly<Record<string, unknown>> = {};

function isAmount(value: unknown): value is number {
  return typeof value === 'number' && Number.isFinite(value) && value >= 0;
}
