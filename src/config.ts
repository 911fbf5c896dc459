// The only reader of the environment.

import type { LogLevel } from './log.ts';
import type { Secret } from './secret.ts';

/** What the variables say, checked. The table is in the README. */
export interface Settings {
  readonly baseUrl: string | undefined;
  readonly authUrl: string | undefined;
  readonly deviceUrl: string | undefined;
  readonly deviceApiKey: Secret | undefined;
  readonly apiKey: Secret | undefined;
  readonly workspace: string | undefined;
  readonly project: string | undefined;
  /** Data folder, absolute. */
  readonly home: string;
  /** Folders that tools may read and write, absolute; empty: none. */
  readonly fileRoots: readonly string[];
  readonly timeoutMs: number;
  readonly logLevel: LogLevel;
}
