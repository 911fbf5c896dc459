// How much a data folder keeps and for how long: one policy for all processes that use it.

import { join } from 'node:path';
import { FoveaError } from '../../errors.ts';
import type { SizedSettings } from './disk-share.ts';
import { readJsonObject, replaceJsonFile } from './json-file.ts';

export interface RetentionPolicy
  extends Pick<
    SizedSettings,
    'retentionDays' | 'recordsMax' | 'bytesMax' | 'reserveBytes' | 'draftAutoFinalizeSeconds'
  > {
  /** Cleanup keeps drafts and events that wait for upload; true while cloud upload is on. */
  readonly sparesUnsent: boolean;
}

/** The policy of a data folder as last read. */
export interface FolderPolicy {
  readonly current: RetentionPolicy;
  /** Throws `internal` for an unreadable policy file; the previous policy stays in force. */
  read(): Promise<void>;
}

/** The folder's policy; where it has none, that of the settings. Throws as `read` does. */
export async function openPolicy(data: string, settings: SizedSettings): Promise<FolderPolicy> {
  const own = policyOf(settings);
  let current = own;
  const read = async () => {
    current = (await readPolicy(data)) ?? own;
  };
  await read();
  return {
    get current() {
      return current;
    },
    read,
  };
}

/** The settings with the policy's current limits: for metrics and statistics. */
export function withPolicy(settings: SizedSettings, policy: FolderPolicy): SizedSettings {
  return {
    ...settings,
    get retentionDays() {
      return policy.current.retentionDays;
    },
    get recordsMax() {
      return policy.current.recordsMax;
    },
    get bytesMax() {
      return policy.current.bytesMax;
    },
  };
}

/** Makes these settings the policy of the folder. */
export async function writePolicy(data: string, settings: SizedSettings): Promise<void> {
  await replaceJsonFile(fileIn(data), policyOf(settings));
}

function fileIn(data: string): string {
  return join(data, 'policy.json');
}

function policyOf(settings: SizedSettings): RetentionPolicy {
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

async function readPolicy(data: string): Promise<RetentionPolicy | undefined> {
  const members = await readJsonObject(fileIn(data)).catch(() => unreadable);
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
