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
  readonly config: unknown;
  readonly created: number;
}

export interface WorkflowStore {
  /** Adds a workflow; its slug comes from the name and gets a suffix when taken. */
  add(workflow: NewWorkflow): Promise<Workflow>;
  list(workspaceId: string): Promise<readonly ListedWorkflow[]>;
  find(workspaceId: string, slug: string): Promise<Workflow | undefined>;
  /** False when it is not there, or in the trash already. */
  trash(workflowId: string, now: number, deletedBy: string): Promise<boolean>;
}
