// The settings of the Event Store, under the names of docs/spec/event-store.md.

import { createReader, type Environment, folder, secret, url, yesOrNo } from './config.ts';
import { limits } from './limits.ts';
import { type Machine, thisMachine } from './machine.ts';
import type { Proxies } from './network/proxies.ts';
import { readProxies } from './network/read-proxies.ts';
import type { Parser } from './parsed-setting.ts';
import type { Secret } from './secret.ts';

/** What the variables say, checked. docs/settings.md has the table. */
export interface EventStoreSettings {
  /** Undefined: no key is needed. */
  readonly apiKey: Secret | undefined;
  /** Hosts to answer as beside the local ones, for example `line-3.lan`. */
  readonly allowedHosts: readonly string[];
  readonly defaultSolutionId: string | undefined;
  readonly videoBytesMax: number;
  readonly localOnlyBytesMax: number;
  readonly recordBytesMax: number;
  readonly draftAutoFinalizeSeconds: number;
  readonly draftSweepSeconds: number;
  /** Days, fractions allowed. */
  readonly retentionDays: number;
  readonly recordsMax: number;
  /** Undefined: what the disk bears. */
  readonly bytesMax: number | undefined;
  /** Kept free on the disk, and kept in a file to give up when the disk is full. */
  readonly reserveBytes: number;
  readonly cleanupSeconds: number;
  /** Folder of further event schemas, one JSON Schema file each; undefined: none. */
  readonly schemasFolder: string | undefined;
  /** Undefined: cloud upload is off. */
  readonly cloud: CloudSettings | undefined;
}

export interface CloudSettings {
  readonly url: string;
  readonly apiKey: Secret | undefined;
  /** Undefined: the cloud is reached directly. */
  readonly proxies?: Proxies | undefined;
}

/** Reads all variables. Throws `invalid_input` with every bad variable at once. */
export function readEventStoreSettings(
  environment?: Environment,
  machine: Machine = thisMachine(),
): EventStoreSettings {
  const reader = createReader(environment);
  const defaults = limits.eventStore;
  const settings = {
    apiKey: reader.read('API_KEY', secret, undefined),
    allowedHosts: reader.read('ALLOWED_HOSTS', hosts, []),
    defaultSolutionId: reader.read('DEFAULT_SOLUTION_ID', text, undefined),
    videoBytesMax: reader.read('MAX_VIDEO_UPLOAD_BYTES', whole, defaults.videoBytesMax),
    localOnlyBytesMax: reader.read(
      'MAX_LOCAL_ONLY_UPLOAD_BYTES',
      whole,
      defaults.localOnlyBytesMax,
    ),
    recordBytesMax: reader.read('MAX_RECORD_BYTES', recordBytes, defaults.recordBytesMax),
    draftAutoFinalizeSeconds: reader.read(
      'DRAFT_AUTO_FINALIZE_SECONDS',
      positive,
      defaults.draftAutoFinalizeSeconds,
    ),
    draftSweepSeconds: reader.read('DRAFT_SWEEP_SECONDS', seconds, defaults.draftSweepSeconds),
    retentionDays: reader.read('RETENTION_DAYS', positive, defaults.retentionDays),
    recordsMax: reader.read('MAX_RECORDS', whole, defaults.recordsMax),
    bytesMax: reader.read('MAX_BYTES', whole, undefined),
    reserveBytes: reader.read('RESERVE_BYTES', wholeOrNone, defaults.reserveBytes),
    cleanupSeconds: reader.read('CLEANUP_SECONDS', seconds, defaults.cleanupSeconds),
    schemasFolder: reader.read('EVENT_SCHEMAS_FOLDER', folder(machine), undefined),
  };
  const isOn = reader.read('CLOUD_UPLOAD_ENABLED', yesOrNo, false);
  const cloudUrl = reader.read('CLOUD_UPLOAD_URL', url, undefined);
  const apiKey = reader.read('CLOUD_UPLOAD_API_KEY', secret, undefined);
  // A key that was meant and is not there would leave the store open.
  if (settings.apiKey === undefined) reader.refuseBlank('API_KEY', 'must be a key, or not be set');
  if (isOn && cloudUrl === undefined) {
    reader.refuse('CLOUD_UPLOAD_URL', 'must be set while CLOUD_UPLOAD_ENABLED is on');
  }
  const proxies = isOn ? readProxies(reader) : undefined;
  reader.finish();
  const cloud = isOn && cloudUrl !== undefined ? { url: cloudUrl, apiKey, proxies } : undefined;
  return { ...settings, cloud };
}

const text: Parser<string> = (value) => ({ value });

const hosts: Parser<readonly string[]> = (value) => {
  const list = value.split(',').map((host) => host.trim());
  return list.every((host) => /^[\w.:[\]-]+$/.test(host))
    ? { value: list }
    : { wrong: 'must be hosts separated by commas, for example "line-3.lan,10.0.0.7"' };
};

const wholeOrNone: Parser<number> = (value) =>
  /^\d{1,15}$/.test(value) ? { value: Number(value) } : { wrong: 'must be a whole number' };

const whole: Parser<number> = (value) =>
  /^[1-9]\d{0,14}$/.test(value)
    ? { value: Number(value) }
    : { wrong: 'must be a whole number of at least 1' };

/** A record is read into memory, so no setting may lift the bound of a JSON body. */
const recordBytes: Parser<number> = (value) =>
  /^[1-9]\d{0,14}$/.test(value) && Number(value) <= limits.jsonBodyBytesMax
    ? { value: Number(value) }
    : { wrong: `must be a whole number from 1 to ${limits.jsonBodyBytesMax}` };

const positive: Parser<number> = (value) =>
  /^\d{1,9}(\.\d{1,9})?$/.test(value) && Number(value) > 0
    ? { value: Number(value) }
    : { wrong: 'must be a number above 0, for example 0.5' };

/** Of a timer: at least a tenth of a second, at most a day. */
const seconds: Parser<number> = (value) =>
  /^\d{1,5}(\.\d{1,3})?$/.test(value) && Number(value) >= 0.1 && Number(value) <= 86_400
    ? { value: Number(value) }
    : { wrong: 'must be a number from 0.1 to 86400' };
