// The log of what was changed in a workspace: the store's interface.

/** One change, or several of the same kind that one call or a row of calls made. */
export interface ActivityEntry {
  readonly id: number;
  /** When it began, and its last change. */
  readonly at: number;
  readonly until: number;
  /** The credential, as `Principal.name`; undefined: the platform itself. */
  readonly who: string | undefined;
  /** The operation, or `task:KIND` for work in the background. */
  readonly action: string;
  readonly kind: string;
  readonly verb: string;
  readonly projectId: string | undefined;
  /** The slug of the project at that time. */
  readonly project: string | undefined;
  /** How many things, and the id and the names of the first. */
  readonly count: number;
  readonly thingId: string;
  readonly names: readonly string[];
  /** Of a single thing, where they are small. */
  readonly before: unknown;
  readonly after: unknown;
}

/** Undefined members choose nothing. Times in milliseconds since 1970. */
export interface WantedActivity {
  readonly since: number | undefined;
  readonly until: number | undefined;
  readonly kind: string | undefined;
  readonly action: string | undefined;
  readonly who: string | undefined;
  /** Also of an image that an entry changed with others, as long as it is kept which ones. */
  readonly thingId: string | undefined;
  readonly projectId: string | undefined;
  /** Only of these projects; undefined: of all, and of what belongs to none. */
  readonly projectIds: readonly string[] | undefined;
  /** Beside `projectIds`: whose entries of no project belong to them too. */
  readonly caller: string;
  /** Only entries older than this one. */
  readonly beforeId: number | undefined;
  readonly countMax: number;
}

/** That a person signed in or out: `who` is the credential that their access tokens have. */
export interface NotedSignIn {
  readonly who: string;
  readonly action: string;
  readonly verb: string;
  readonly accountId: string;
  readonly where: string;
}

export interface ActivityStore {
  /** The newest first. */
  list(workspaceId: string, wanted: WantedActivity): Promise<readonly ActivityEntry[]>;
  /** How many of them there are, whatever the page. */
  count(workspaceId: string, wanted: WantedActivity): Promise<number>;
  /** One more of the same, with nothing between, within some minutes, counts in one entry. */
  noteSignIn(workspaceId: string, signIn: NotedSignIn, now: number): Promise<void>;
  /** The images that an entry changed or removed, so many as are kept. */
  images(entryId: number): Promise<readonly { readonly id: string; readonly name: string }[]>;
}
