// Workflows; their definition is stored as given: the store's interface.

export interface Workflow {
  readonly id: string;
  readonly slug: string;
  readonly name: string;
  /** As it was given. */
  readonly config: unknown;
  readonly created: number;
  readonly updated: number;
}

/** Without its config, which may be large. */
export type ListedWorkflow = Omit<Workflow, 'config'>;

export interface NewWorkflow {
  readonly id: string;
  readonly workspaceId: string;
  readonly name: string;
  /** The name that its slug is made of, unless it is `name`. */
  readonly url?: string | undefined;
  readonly config: unknown;
  readonly created: number;
}

/** What is undefined stays as it is. */
export interface WorkflowChange {
  readonly name: string | undefined;
  readonly url: string | undefined;
  readonly config: unknown;
}

export interface WorkflowStore {
  /** Adds a workflow; its slug gets a suffix when taken. */
  add(workflow: NewWorkflow): Promise<Workflow>;
  list(workspaceId: string): Promise<readonly ListedWorkflow[]>;
  find(workspaceId: string, slug: string): Promise<Workflow | undefined>;
  /** Gives the changed one; `taken`: another has the slug, and nothing was changed. */
  change(
    workspaceId: string,
    workflowId: string,
    change: WorkflowChange,
    now: number,
  ): Promise<Workflow | 'missing' | 'taken'>;
  /** False when it is not there, or in the trash already. */
  trash(workflowId: string, now: number, deletedBy: string): Promise<boolean>;
}
