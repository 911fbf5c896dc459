// Trainings of versions, and the weights that they produced: the store's interface.

import type { Weights } from '../../model-inference/detection-models.ts';
import type { Metrics } from '../../trainers/trainer-protocol.ts';
import type { FencedTransaction } from './fenced-transaction.ts';

export const statuses = [
  ...(['queued', 'running', 'stopping'] as const),
  ...(['finished', 'stopped', 'cancelled', 'failed'] as const),
] as const;

export type TrainingStatus = (typeof statuses)[number];

export interface NewTraining {
  readonly id: string;
  readonly versionId: string;
  readonly projectId: string;
  readonly workspaceId: string;
  readonly modelType: string;
  /** As it was asked for, with our defaults. */
  readonly recipe: Readonly<Record<string, unknown>>;
  readonly epochs: number;
  readonly created: number;
}

export interface Training extends Omit<NewTraining, 'workspaceId'> {
  readonly status: TrainingStatus;
  /** The epochs that are done. */
  readonly epoch: number;
  /** The newest; undefined before the first. */
  readonly metrics: Metrics | undefined;
  /** The last that a failed trainer said: words of others. */
  readonly log: string | undefined;
  /** Why it failed, in our own words. */
  readonly error: string | undefined;
  readonly weights: TrainedWeights | undefined;
  readonly started: number | undefined;
  readonly ended: number | undefined;
}

export interface TrainedWeights extends Weights {
  readonly bytes: number;
}

/** A training together with the number of its version. */
export interface ProjectTraining extends Training {
  readonly versionNumber: number;
}

export interface TrainingOutcome {
  readonly status: 'finished' | 'stopped' | 'failed';
  readonly weights?: TrainedWeights;
  readonly metrics?: Metrics;
  readonly error?: string;
  readonly log?: string;
}

export interface TrainingStore {
  /** Adds it with its work. */
  add(training: NewTraining): Promise<Training>;
  /** Those of a version, newest first, without those in the trash. */
  list(versionId: string): Promise<readonly Training[]>;
  find(versionId: string, trainingId: string): Promise<Training | undefined>;
  /** By id, also when it is in the trash. */
  get(trainingId: string): Promise<Training | undefined>;
  /** What it reported after each epoch, the first first. */
  epochs(trainingId: string): Promise<readonly TrainedEpoch[]>;
  /** Those of live versions with weights, newest first. */
  trained(projectId: string): Promise<readonly ProjectTraining[]>;
  /**
   * Says that it has begun; false where somebody has ended it. One whose project or version is in
   * the trash is cancelled instead.
   */
  begin(trainingId: string, now: number, fenced: FencedTransaction): Promise<boolean>;
  /** Asks the running one to end with what it has; false where it does not run. */
  stop(trainingId: string): Promise<boolean>;
  /** Ends it at once, whatever it does; false where it has ended. */
  cancel(trainingId: string, now: number): Promise<boolean>;
  /** What the program that trains is to do; undefined: go on. */
  wanted(trainingId: string): Promise<'stop' | 'cancel' | undefined>;
  /** How far it is; metrics only where there are any. */
  report(trainingId: string, report: TrainingReport, fenced: FencedTransaction): Promise<void>;
  /** Ends it; false where somebody has cancelled it meanwhile. */
  finish(
    trainingId: string,
    outcome: TrainingOutcome,
    now: number,
    fenced: FencedTransaction,
  ): Promise<boolean>;
  /** Ends it too. False when it is not there, or in the trash already. */
  trash(trainingId: string, now: number, deletedBy: string): Promise<boolean>;
  /**
   * The weights of `PROJECT/VERSION` (the newest training), `PROJECT/VERSION/TRAINING` or
   * `PROJECT/TRAINING`.
   */
  weights(workspaceId: string, modelId: string): Promise<Weights | undefined>;
}

export interface TrainedEpoch {
  readonly epoch: number;
  readonly metrics: Metrics;
}

export interface TrainingReport {
  readonly epoch: number;
  readonly epochs: number;
  readonly metrics: Metrics | undefined;
}
