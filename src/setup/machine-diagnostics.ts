// Diagnostics of the machine around Fovea, for the doctor.

import type { HostName } from '../commands.ts';
import type { SettingsSurvey } from '../config.ts';
import type { ObjectStorageSettings } from '../object-storage-settings.ts';
import type { Secret } from '../secret.ts';

/** The entry of Fovea in the configuration of a host. */
export interface HostEntry {
  readonly host: HostName;
  readonly title: string;
  readonly file: string;
  /** Command and arguments; undefined: the host is there, and does not know Fovea. */
  readonly command: readonly string[] | undefined;
  /** Whether its environment holds a secret in plain text. */
  readonly holdsSecret: boolean;
  /** Why the file or the command of the entry cannot be used: ends a sentence. */
  readonly trouble?: string;
  /** The version of the copy that it starts, if not this version. */
  readonly otherVersion?: string;
}

/** The environment of a trainer in Python that comes along. */
export type PythonTrainerState =
  | { readonly state: 'absent' }
  /** `words`: what its Python said last. */
  | { readonly state: 'broken'; readonly words: string }
  | { readonly state: 'ready'; readonly versions: readonly string[]; readonly licence: string };

/** An embedding model, found and not loaded. */
export interface EmbedderFindings {
  readonly name: string;
  /** Of both encoders. */
  readonly bytes: number;
}

/** How traffic leaves this machine. */
export interface NetworkFindings {
  /** Variables that name a proxy. */
  readonly proxies: readonly string[];
  /** The variable whose proxy is used for the platform, or else for the web. */
  readonly through: string | undefined;
  /** NODE_EXTRA_CA_CERTS names a file that holds certificates; undefined: it is not set. */
  readonly hasExtraCertificates: boolean | undefined;
  /** Whether certificates are checked at all. */
  readonly checksCertificates: boolean;
}

/** A file of the data folder. */
export interface StoreFinding {
  /** Below the data folder. */
  readonly name: string;
  readonly bytes: number;
  /** `unchecked`: too large to be read through now. */
  readonly state: 'sound' | 'unchecked' | 'damaged';
}

/** The tools that hosts are offered under the settings. */
export interface OfferedTools {
  readonly count: number;
  /** The tokens that the list costs a model: measured for usual profiles, else estimated. */
  readonly tokens: number;
  /** The scopes that all of them need. */
  readonly scopes: readonly string[];
  /** Tools that the embedded platform has and hosted ones do not. */
  readonly embeddedOnly: readonly string[];
}

/** The image library. */
export interface PictureFindings {
  readonly isNative: boolean;
  /** Of sharp. */
  readonly version: string;
  /** Why the sharp beside Fovea is not used: ends a sentence. */
  readonly refusal: string | undefined;
}

/** The environment variables of Fovea, valid and invalid. */
export interface VariableFindings extends Pick<SettingsSurvey, 'problems' | 'given'> {
  /** Unknown variables with our prefix, each with the variable that was probably meant. */
  readonly unread: readonly { readonly variable: string; readonly near: string | undefined }[];
}

/** The database server. */
export interface DatabaseFindings {
  readonly version: string;
  readonly latencyMs: number;
  /** By how much its clock is ahead of ours. */
  readonly clockOffsetMs: number;
  /** The extension by which parts of names are found quickly. */
  readonly trigrams: 'there' | 'creatable' | 'missing';
  /** Whether its user can make the schemas that are missing. */
  readonly canMakeSchemas: boolean;
}

export interface MachineDiagnostics {
  variables(): Promise<VariableFindings>;
  hosts(): Promise<readonly HostEntry[]>;
  /** Where programs are found on the PATH; undefined: nowhere. */
  programs(): Promise<Readonly<Record<'node' | 'npx', string | undefined>>>;
  network(): Promise<NetworkFindings>;
  /** By how much the clock of a service is ahead of ours, in ms; undefined: it does not say. */
  clockOffsetMs(url: string, signal: AbortSignal): Promise<number | undefined>;
  /** Where secrets of a sign-in go. Throws `internal` for a keychain that is locked. */
  secretStore(): Promise<string>;
  stores(): Promise<readonly StoreFinding[]>;
  /** Of the server of FOVEA_DATABASE_URL. Throws where it cannot be used. */
  database(url: Secret): Promise<DatabaseFindings>;
  /** The milliseconds that a request to the object store takes. Throws where it cannot be used. */
  objectsLatencyMs(place: ObjectStorageSettings): Promise<number>;
  pythonTrainer(name: string): Promise<PythonTrainerState>;
  /** Of the folder of FOVEA_EMBEDDER, by one image and one text. Throws what they fail with. */
  embedder(folder: string): Promise<EmbedderFindings>;
  /** Loads the image library if it is not loaded yet. */
  pictures(): Promise<PictureFindings>;
  /** Servers of a host that is gone, by process id; undefined: this system does not say. */
  orphans(): Promise<readonly number[] | undefined>;
  /** Revisions of the protocol that are spoken, the newest first. */
  revisions(): Promise<readonly string[]>;
  offered(): Promise<OfferedTools>;
}
