// The outcome of setup for one configuration file.

import type { HostName } from '../commands.ts';

export interface SetupOutcome {
  readonly host: HostName;
  readonly title: string;
  readonly file: string;
  /**
   * `put-back`: the file was changed since, so only the entry was restored; `same`, `nothing`:
   * there was nothing to do, or to undo.
   */
  readonly kind: 'written' | 'same' | 'restored' | 'put-back' | 'nothing' | 'refused';
  readonly diff?: string;
  /** The copy of the file as it was. */
  readonly backup?: string;
  /** Why it was refused: ends a sentence that begins with the file. */
  readonly why?: string;
  /** The text to paste into the file by hand. */
  readonly paste?: string;
  /** How to make the host read its file. */
  readonly afterwards?: string;
  /** A hint about a setting that the entry lacks. */
  readonly note?: string;
}
