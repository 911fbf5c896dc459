// The model that each project runs: the store's interface.

export interface DeployedModel {
  /** `model_id`: one of those that run here. */
  readonly kind: string;
  readonly modelId: string;
  readonly name: string | undefined;
}

export interface DeploymentStore {
  get(projectId: string): Promise<DeployedModel | undefined>;
  /** Undefined removes the model. */
  set(projectId: string, model: DeployedModel | undefined, now: number): Promise<void>;
}
