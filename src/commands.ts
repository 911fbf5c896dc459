// The commands of `fovea`, as they are read from its command line.

import type { ToolProfile } from './config.ts';
import type { PythonTrainer } from './trainer-names.ts';

/** A service over HTTP. */
export interface ServiceCommand {
  readonly kind: 'platform' | 'event-store' | 'http';
  readonly host: string;
  /** 0: any free port. */
  readonly port: number;
  /** Data folder; undefined: the one of the settings. */
  readonly data: string | undefined;
}

/** Takes background tasks of a platform. */
export interface WorkerCommand {
  readonly kind: 'worker';
  /** As typed; none: all. */
  readonly lanes: readonly string[];
  readonly data: string | undefined;
}

export interface SignInCommand {
  readonly kind: 'sign-in';
  /** Undefined: the one of the settings. */
  readonly profile: string | undefined;
  /** Whether the person pastes the final address, as no browser can reach this machine. */
  readonly paste: boolean;
}

/** What is done with the sign-in that is there. */
export interface ProfileCommand {
  readonly kind: 'sign-out' | 'status';
  /** Undefined: the one of the settings. */
  readonly profile: string | undefined;
}

export type Action = 'add' | 'list' | 'remove';
export type AccountAction = Action | 'password';

/** A person who may sign in at the sign-in service of our own platform. */
export interface AccountCommand {
  readonly kind: 'account';
  readonly action: AccountAction;
  /** Given, unless all are listed. */
  readonly name: string | undefined;
  readonly email: string | undefined;
  readonly workspaces: readonly string[];
  /** With a new password: all programs are signed out too. */
  readonly signOut: boolean;
  readonly data: string | undefined;
}

/** A program that may ask people to sign in at the sign-in service of our own platform. */
export interface ApplicationCommand {
  readonly kind: 'application';
  readonly action: Action;
  /** Given where one is removed. */
  readonly id: string | undefined;
  readonly values: ApplicationValues;
  readonly data: string | undefined;
}

/** As typed; validated when the application is registered. */
export interface ApplicationValues {
  readonly name?: string;
  readonly homepage?: string;
  readonly redirectUris: readonly string[];
  readonly auth?: string;
  readonly scopes: readonly string[];
  readonly visibility?: string;
  readonly desktop: boolean;
  readonly mcp: boolean;
  readonly resource?: string;
}

/** The hosts whose configuration we know, by the names that people type. */
export const hostNames = [
  ...(['claude-desktop', 'claude-code', 'vscode', 'cursor', 'codex'] as const),
  ...(['gemini', 'windsurf', 'zed', 'cline', 'goose'] as const),
] as const;

export type HostName = (typeof hostNames)[number];

/** Writes the entry of Fovea into the configuration of hosts. */
export interface SetupCommand {
  readonly kind: 'setup';
  /** None: those that are there are listed. */
  readonly hosts: readonly HostName[];
  /** All that are there. */
  readonly all: boolean;
  /** Only shows what would change. */
  readonly dryRun: boolean;
  /** Takes the last change back. */
  readonly undo: boolean;
  /** Written as FOVEA_TOOL_PROFILE. */
  readonly toolProfile: ToolProfile | undefined;
  /** Written as FOVEA_FILE_ROOTS; none: as the environment has it. */
  readonly files: readonly string[];
}

export interface DoctorCommand {
  readonly kind: 'doctor';
  readonly json: boolean;
  /** Stored files of the own platform that are read and held against their hashes, too. */
  readonly stored: StoredFiles | undefined;
}

export interface StoredFiles {
  /** By chance; undefined: all. */
  readonly count: number | undefined;
  /** The beginning of a hash: those that come after. */
  readonly after: string | undefined;
  /** Data folder; undefined: the one of the settings. */
  readonly data: string | undefined;
}

/** Calls one tool, as a host would. */
export interface CallCommand {
  readonly kind: 'call';
  readonly tool: string;
  /** A JSON object, or `-`: it comes from stdin. */
  readonly input: string | undefined;
  /** Whether the structured answer is printed in place of its text. */
  readonly json: boolean;
}

/** Lists the tools, or shows one. */
export interface ToolsCommand {
  readonly kind: 'tools';
  readonly name: string | undefined;
  readonly json: boolean;
}

/** Moves the datasets of a platform between a data folder and PostgreSQL. */
export interface MigrateCommand {
  readonly kind: 'migrate';
  /** A data folder, or the address of a database. */
  readonly from: string;
  readonly to: string;
  /** The files of the platform on the database: `s3://bucket/prefix`, or a data folder. */
  readonly objects: string | undefined;
  readonly withoutLost: boolean;
}

/** Shows in the browser what was made. */
export interface OpenCommand {
  readonly kind: 'open';
  /** A view, a project, or `PROJECT/VERSION`; undefined: the latest of these. */
  readonly what: string | undefined;
}

/** Sets up a trainer in Python that comes along, or lists them. */
export type TrainerSetupCommand =
  | { readonly kind: 'trainer'; readonly action: 'list' }
  | {
      readonly kind: 'trainer';
      readonly action: 'install';
      readonly name: PythonTrainer;
      /** Undefined: the one on the PATH. */
      readonly python: string | undefined;
      readonly systemSitePackages: boolean;
    };

export type Command =
  | { readonly kind: 'mcp' }
  | { readonly kind: 'help' }
  | { readonly kind: 'version' }
  | ServiceCommand
  | SignInCommand
  | ProfileCommand
  | SetupCommand
  | DoctorCommand
  | CallCommand
  | ToolsCommand
  | OpenCommand
  | MigrateCommand
  | WorkerCommand
  | TrainerSetupCommand
  | AccountCommand
  | ApplicationCommand;
