// What the sign-in service tells the platform beside it, for the log of changes.

export interface SignInEvent {
  /** The subject of access tokens. */
  readonly accountId: string;
  /** Slugs of the workspaces in whose logs it belongs: those of the account. */
  readonly workspaces: readonly string[];
  readonly verb: 'signed in' | 'signed out';
  /** The name of the application, or of our own pages. */
  readonly where: string;
}

/** Resolves once it is on the disk. */
export type NoteSignIn = (event: SignInEvent) => Promise<void>;
