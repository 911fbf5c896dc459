// Use cases of vision events: the store's interface.

/** What groups events. One that nobody made is there once an event names it. */
export interface UseCase {
  readonly id: string;
  readonly name: string;
  readonly isArchived: boolean;
  readonly events: number;
}

/** What may be said of a use case. What is undefined stays as it is. */
export interface UseCaseChange {
  readonly name?: string;
  /** When it was archived; null: it is not. */
  readonly archivedAt?: number | null;
}

/** Methods that name one throw `conflict` where another of the workspace has the name. */
export interface UseCaseStore {
  /** By name. */
  list(workspaceId: string, isArchived: boolean, countMax: number): Promise<readonly UseCase[]>;
  find(workspaceId: string, idOrName: string): Promise<UseCase | undefined>;
  /** Under the first of the ids that is free; the last one always is. */
  add(workspaceId: string, name: string, ids: readonly string[]): Promise<UseCase>;
  /** Undefined where there is no such use case. */
  change(
    workspaceId: string,
    idOrName: string,
    change: UseCaseChange,
  ): Promise<UseCase | undefined>;
}
