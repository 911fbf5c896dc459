// The interface of the platform's store; sqlite/ implements it. Every method is one transaction.
// Times are milliseconds since 1970.

import type { ActiveLearningStore } from './active-learning.ts';
import type { ActivityStore } from './activity.ts';
import type { AnnotationJobStore } from './annotation-jobs.ts';
import type { ApiKeyStore } from './api-keys.ts';
import type { AutolabelStore } from './autolabel.ts';
import type { BulkMetadataStore } from './bulk-metadata.ts';
import type { ClassChangeStore } from './class-changes.ts';
import type { DeploymentStore } from './deployments.ts';
import type { EmbeddingStore } from './embeddings.ts';
import type { EvaluationStore } from './evaluations.ts';
import type { FolderStore } from './folders.ts';
import type { ForkStore } from './forks.ts';
import type { ImageStore } from './images.ts';
import type { IndependentLabelStore } from './independent-labels.ts';
import type { InferenceStore } from './inferences.ts';
import type { ProjectStore } from './projects.ts';
import type { PurgeStore } from './purge-trash.ts';
import type { SplitStore } from './rebalance.ts';
import type { RefusedFileStore } from './refused-files.ts';
import type { SearchStore } from './search.ts';
import type { TaskStore } from './tasks.ts';
import type { TrainingStore } from './trainings.ts';
import type { TrashStore } from './trash.ts';
import type { UploadStore } from './upload-links.ts';
import type { UseCaseStore } from './use-cases.ts';
import type { ExportStore, VersionStore } from './versions.ts';
import type { VideoJobStore } from './video-jobs.ts';
import type { VisionEventStore } from './vision-events.ts';
import type { WorkflowStore } from './workflows.ts';
import type { WorkspaceStore } from './workspaces.ts';

export interface Store {
  readonly workspaces: WorkspaceStore;
  readonly projects: ProjectStore;
  readonly images: ImageStore;
  readonly versions: VersionStore;
  readonly exports: ExportStore;
  readonly trash: TrashStore;
  readonly visionEvents: VisionEventStore;
  readonly useCases: UseCaseStore;
  readonly refusedFiles: RefusedFileStore;
  readonly uploads: UploadStore;
  readonly videoJobs: VideoJobStore;
  readonly search: SearchStore;
  readonly embeddings: EmbeddingStore;
  readonly folders: FolderStore;
  readonly workflows: WorkflowStore;
  readonly splits: SplitStore;
  readonly classChanges: ClassChangeStore;
  readonly forks: ForkStore;
  readonly metadata: BulkMetadataStore;
  readonly purge: PurgeStore;
  readonly apiKeys: ApiKeyStore;
  readonly annotationJobs: AnnotationJobStore;
  readonly independentLabels: IndependentLabelStore;
  readonly autolabel: AutolabelStore;
  readonly inferences: InferenceStore;
  readonly trainings: TrainingStore;
  readonly deployments: DeploymentStore;
  readonly evaluations: EvaluationStore;
  readonly activeLearning: ActiveLearningStore;
  readonly tasks: TaskStore;
  readonly activity: ActivityStore;
  /** Whether any row still points at a blob. */
  refersTo(hash: string): Promise<boolean>;
  close(): Promise<void>;
}
