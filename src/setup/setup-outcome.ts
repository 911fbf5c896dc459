// What became of the configuration of a host.

import type { HostName } from '../command-line.ts';

export interface SetupOutcome {
  readonly host: HostName;
  readonly title: string;
  readonly file: string;
  /**
   * `put-back`: the file was changed since, so that only the entry is what it was before;
   * `same`, `nothing`: there was nothing to do, or to undo.
   */
  readonly kind: 'written' | 'same' | 'restored' | 'put-back' | 'nothing' | 'refused';
  readonly diff?: string;
  /** The copy of the file as it was. */
  readonly backup?: string;
  /** Why it was refused: ends a sentence that begins with the file. */
  readonly why?: string;
  /** What to put into the file by hand. */
  readonly paste?: string;
  /** What makes the host read its file. */
  readonly afterwards?: string;
  /** What the entry does not say, and people miss later. */
  readonly note?: string;
}
