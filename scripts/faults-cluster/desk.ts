// What one client works on in a round: a project of its own, and all that was acknowledged of it.

export interface DeskImage {
  readonly name: string;
  readonly id: string;
  readonly hash: string;
  readonly link: string;
  readonly tags: Set<string>;
  /** The labels that were acknowledged last. */
  labels: string;
  /** Labels that were sent without an answer: they may come late. */
  readonly lateLabels: Set<string>;
  /** Whether it was sent without an answer: it may come late. */
  readonly mayComeLate: boolean;
}

export interface DeskVersion {
  readonly number: number;
  readonly taskId: string;
  readonly images: number;
}

export interface DeskKey {
  readonly keyId: string;
  readonly secret: string;
  isDisabled: boolean;
}

/** An archive that was sent whole; it has a project of its own. */
export interface DeskZip {
  readonly project: string;
  readonly taskId: string;
  /** Of its images, by their names. */
  readonly hashes: ReadonlyMap<string, string>;
}

/** A version of labelled images, in a project of its own. */
export interface DeskTrainable {
  readonly project: string;
  readonly version: number;
}

/** No labels: the image was not annotated. */
export const noLabels = '';

export class Desk {
  /** Its slug. */
  readonly project: string;
  readonly images = new Map<string, DeskImage>();
  readonly deleted: DeskImage[] = [];
  readonly versions: DeskVersion[] = [];
  /** Versions that were asked for without an answer: each may be there. */
  unknownVersions = 0;
  readonly zips: DeskZip[] = [];
  toTrain: DeskTrainable | undefined;
  /** Their ids. */
  readonly trainings: string[] = [];
  /** Trainings that were asked for without an answer: each may be there. */
  unknownTrainings = 0;
  readonly keys: DeskKey[] = [];
  readonly revoked: DeskKey[] = [];
  /** Contents that were sent. */
  readonly shades = new Set<number>();

  constructor(project: string) {
    this.project = project;
  }
}
