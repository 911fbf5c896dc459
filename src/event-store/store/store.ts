// What the Event Store keeps of events, and how it is asked for: the interface of every storage.

import type { removalReasons } from '../../contract/event-store.ts';
import type { JsonObject } from '../../json-object.ts';
import type { ComparisonOperator, Scalar } from '../../value-conditions.ts';

/**
 * When an event arrived, in microseconds since 1970, UTC. Unique and strictly increasing in a
 * store, whatever its clock does: so it is the order of all pages.
 */
export type Arrival = number;

export type FileKind = 'image' | 'video' | 'local_only';

/** A file that is on the disk already, under its id. */
export interface NewFile {
  readonly id: string;
  readonly kind: FileKind;
  readonly label: string | undefined;
  readonly contentType: string;
  /** Bytes of the content. */
  readonly bytes: number;
  /** Bytes that it takes on the disk. */
  readonly diskBytes: number;
}

export interface StoredFile extends NewFile {
  readonly eventId: string;
  /** What the cloud calls the image, once it is there. */
  readonly sourceId: string | undefined;
}

/** One image of an event as answers show it (Event Store 6.4). */
export interface EventImage {
  readonly file_id: string | null;
  readonly input_file_id: string | null;
  readonly label: string | null;
  readonly object_detections: readonly unknown[];
  readonly classifications: readonly unknown[];
  readonly instance_segmentations: readonly unknown[];
  readonly keypoints: readonly unknown[];
  readonly metadata: JsonObject | null;
}

/** What of an event has columns of its own: what queries look for. */
export interface EventHead {
  readonly draft: boolean;
  readonly workflowId: string | undefined;
  readonly deviceId: string | undefined;
  readonly eventSchema: string;
  /** From its data; what the query parameters of these names look for. */
  readonly externalId: string | undefined;
  readonly relatedEventId: string | undefined;
  readonly customMetadata: JsonObject | undefined;
}

/** An event to store, checked by now. Its `files` are those of its images. */
export interface NewEvent extends EventHead {
  readonly solution: string | undefined;
  readonly workflowVersion: string | undefined;
  readonly streamId: string | undefined;
  readonly imageId: string | undefined;
  /** As it was sent. */
  readonly inferenceTimestamp: string;
  readonly eventData: JsonObject;
  readonly displayImagePosition: number | undefined;
  readonly images: readonly EventImage[];
  readonly files: readonly NewFile[];
}

/**
 * Where an event is on its way to the cloud. A draft does not wait. `refused`: the cloud will never
 * take it as it is; it is set aside with its reason, and blocks no other.
 */
export type UploadState = 'draft' | 'waiting' | 'uploaded' | 'refused';

export interface StoredEvent extends Omit<NewEvent, 'files'> {
  /** A UUID of version 7 that carries the arrival. */
  readonly id: string;
  readonly arrival: Arrival;
  /** `v2`, or that of the earlier version of the service which wrote it. */
  readonly apiVersion: string;
  /** Microseconds since 1970. */
  readonly finalizedAt: number | undefined;
  readonly autoFinalizedAt: number | undefined;
  readonly videos: readonly StoredFile[];
  readonly localOnlyFiles: readonly StoredFile[];
  /** Files that it ever had, and has now. */
  readonly originalFileCount: number;
  readonly currentFileCount: number;
  readonly upload: UploadState;
  /** Why it was refused; in our own words with the status. */
  readonly uploadError: string | undefined;
  readonly uploadedAt: number | undefined;
  /** A legal hold: why no cleanup may remove the event. */
  readonly hold: string | undefined;
}

/** A scalar of custom_metadata, compared with values of its own type alone. */
export type MetadataValue = Scalar;

export type MetadataOperator = ComparisonOperator;

/**
 * One condition on custom_metadata: an event meets it when it has the key with a value of the type
 * of one of `values` that compares so. `ne`: it has the key, and none of the values.
 */
export interface MetadataCondition {
  readonly key: string;
  readonly operator: MetadataOperator;
  /** What the text of the filter may stand for: `5` the number and the text. */
  readonly values: readonly MetadataValue[];
}

/**
 * Conditions on the detections of an event, of all kinds and in all its images: those that meet all
 * `terms` (on `class` and `confidence`) are counted, and the count meets all `counts`.
 */
export interface DetectionCondition {
  readonly terms: readonly MetadataCondition[];
  readonly counts: readonly Omit<MetadataCondition, 'key'>[];
}

/** All that is given must hold. A list holds when one of its values does. */
export interface EventFilter {
  readonly deviceIds?: readonly string[];
  readonly eventSchemas?: readonly string[];
  readonly workflowIds?: readonly string[];
  readonly externalIds?: readonly string[];
  readonly relatedEventId?: string;
  readonly metadata?: readonly MetadataCondition[];
  /** On event_data; a key may be a path through nested objects: `part.size`. */
  readonly eventData?: readonly MetadataCondition[];
  readonly detections?: readonly DetectionCondition[];
  /** Both included. */
  readonly from?: Arrival;
  readonly until?: Arrival;
  /** False: finalized events only. */
  readonly includeDrafts?: boolean;
}

export interface EventQuery extends EventFilter {
  /** The most events of the page; large ones make it end earlier. */
  readonly limit: number;
  readonly order: 'newest_first' | 'oldest_first';
}

export interface EventPage {
  readonly events: readonly StoredEvent[];
  /** The arrival of the first event of the next page; undefined: this was the last one. */
  readonly next: Arrival | undefined;
  /** Events that were looked at, where a filter looks inside of them, or they were enough. */
  readonly scanned?: number;
}

/** Exact matches; all that is given must hold. */
export interface CountFilter {
  readonly deviceId?: string | undefined;
  readonly eventSchema?: string | undefined;
  readonly workflowId?: string | undefined;
}

export interface EventCounts {
  readonly total: number;
  readonly filtered: number;
  /** Of the filtered ones. */
  readonly oldest: Arrival | undefined;
  readonly newest: Arrival | undefined;
}

/** Of the events that were looked at, the newest first. */
export interface MatchingCounts extends EventCounts {
  readonly scanned: number;
  /** The arrival of the first event that was not looked at; undefined: all were. */
  readonly next: Arrival | undefined;
}

export interface Created {
  readonly id: string;
  readonly arrival: Arrival;
}

export interface CreatedFrom extends Created {
  readonly draft: boolean;
}

export interface Finalized {
  readonly id: string;
  readonly alreadyFinalized: boolean;
  readonly finalizedAt: number;
  readonly autoFinalizedAt: number | undefined;
}

/** Why a cleanup removes events. */
export type RemovalReason = (typeof removalReasons)[number];

/** Which events a cleanup may remove: never those under a hold. */
export interface RemovalRule {
  readonly reason: RemovalReason;
  /** Only events that arrived before; undefined: any, the oldest first. */
  readonly before: Arrival | undefined;
  /** Leaves drafts, and events that wait for upload. */
  readonly sparesUnsent: boolean;
  /** The most events to remove in one transaction. */
  readonly limit: number;
  /** Stops once so many bytes on the disk are freed. */
  readonly diskBytes?: number;
  /** Above these, the oldest lines of the ledger go with the removal. */
  readonly ledgerBytesMax?: number;
}

export interface Removed {
  readonly events: number;
  readonly diskBytes: number;
}

/** One deletion: what, when, why. */
export interface LedgerLine {
  readonly ordinal: number;
  /** Microseconds since 1970. */
  readonly removedAt: number;
  readonly reason: RemovalReason;
  readonly eventId: string;
  readonly arrival: Arrival;
  readonly eventSchema: string;
  readonly deviceId: string | undefined;
  readonly upload: UploadState;
  readonly files: number;
  readonly diskBytes: number;
}

/** Newest first. */
export interface LedgerQuery {
  readonly limit: number;
  readonly reason?: RemovalReason | undefined;
  readonly eventId?: string | undefined;
  /** Only lines of a smaller ordinal: for the next page. */
  readonly before?: number | undefined;
}

export interface LedgerPage {
  readonly lines: readonly LedgerLine[];
  readonly next: number | undefined;
}

/** All figures of one moment. */
export interface Usage {
  readonly records: number;
  readonly drafts: number;
  readonly oldestDraft: Arrival | undefined;
  readonly waiting: number;
  readonly oldestWaiting: Arrival | undefined;
  readonly waitingDiskBytes: number;
  readonly uploaded: number;
  readonly refused: number;
  readonly held: number;
  readonly images: number;
  readonly videos: number;
  readonly localOnlyFiles: number;
  /** Of all files that are on the disk, those of removed events not yet unlinked included. */
  readonly fileDiskBytes: number;
  /** Of the database that are in use. */
  readonly databaseBytes: number;
  /** Of these, about what the ledger takes. */
  readonly ledgerBytes: number;
  /** Of the database's log, beside it. */
  readonly logBytes: number;
  /**
   * Events that a cleanup may remove, and what their files take on the disk. It is looked up when
   * it is first asked for, one by one over held events and drafts.
   */
  removable(sparesUnsent: boolean): Removed;
  /** Deletions since the store was made, by reason. */
  readonly removed: Readonly<Partial<Record<RemovalReason, number>>>;
  /** Microseconds since 1970; undefined: nothing was ever removed. */
  readonly lastRemovedAt: number | undefined;
}

export interface IndexLag {
  /** The newest events, which it does not have. */
  readonly behind: number;
  /** All events. */
  readonly records: number;
}

export interface IndexStep {
  /** Whether there is more to put in, or to merge, at once. */
  readonly hasMore: boolean;
  /** Why nothing was put in. */
  readonly failure?: string;
}

/**
 * The events of one data folder; several processes may use it at once. A write is on the disk when
 * it resolves, all of it or nothing; writes that wait together share a transaction. Every method
 * throws `full` when the disk is, and `internal` when it fails. Where an event is named, it throws
 * `not_found` when there is none.
 */
export interface EventStore {
  create(event: NewEvent): Promise<Created>;
  /** Whether `createFrom` is the faster way now. */
  readonly takesRequests: boolean;
  /**
   * Creates an event of the JSON of its request, which nobody has checked. Undefined: nothing is
   * stored, and who calls has to check and to `create` it. A store may do so for any request, and
   * does for one that is wrong or brings bytes.
   */
  createFrom(request: string): Promise<CreatedFrom | undefined>;
  /** Adds a file to a draft. Throws `conflict` when the event is finalized. */
  attach(eventId: string, file: NewFile): Promise<void>;
  /** Once; a second call changes nothing and says so. */
  finalize(eventId: string): Promise<Finalized>;
  /** Finalizes the drafts that arrived before, `spared` ones excepted; says how many. */
  finalizeDrafts(before: Arrival, spared: readonly string[], limit: number): Promise<number>;
  get(eventId: string): Promise<StoredEvent | undefined>;
  /**
   * A page may end before its limit where events are large, and after so many that were looked at.
   * Throws `cancelled` where the signal aborts.
   */
  list(query: EventQuery, signal?: AbortSignal): Promise<EventPage>;
  count(filter: CountFilter): Promise<EventCounts>;
  /** Any filter, by a look at events; it ends after so many. Throws as `list` does. */
  countMatching(filter: EventFilter, signal?: AbortSignal): Promise<MatchingCounts>;
  file(fileId: string): Promise<StoredFile | undefined>;

  /** Removes the oldest events that the rule allows; each leaves a line in the ledger. */
  remove(rule: RemovalRule): Promise<Removed>;
  /** Files of removed events that may still be on the disk, oldest first. */
  filesToUnlink(limit: number): Promise<readonly string[]>;
  /** They are gone: their bytes are free. */
  unlinked(fileIds: readonly string[]): Promise<void>;
  ledger(query: LedgerQuery): Promise<LedgerPage>;
  usage(): Promise<Usage>;
  /** Keeps an event from every cleanup; again: with the new reason. */
  hold(eventId: string, reason: string): Promise<void>;
  release(eventId: string): Promise<void>;
  /** How far the index is behind. */
  indexLag(): Promise<IndexLag>;
  /**
   * Puts some of the events that are behind into the index, and merges some of it where few are: of
   * all processes, one may do so.
   */
  indexSome(): Promise<IndexStep>;
  /** Closes the index, so that another process may do so. */
  stopIndexing(): Promise<void>;
  /** Gives space of removed rows back to the disk, a little at a time; false: nothing is left. */
  shrink(): Promise<boolean>;

  /**
   * Finalized events that wait for upload, oldest first, after that arrival: so many at most, and
   * fewer where they are large. None: there are no more.
   */
  waiting(after: Arrival, limit: number): Promise<readonly StoredEvent[]>;
  /** The images of an event, in their order. */
  images(eventId: string): Promise<readonly StoredFile[]>;
  /** The cloud has the image. */
  imageUploaded(fileId: string, sourceId: string): Promise<void>;
  /** The cloud has the events; ids of events that are gone are passed over. */
  uploaded(eventIds: readonly string[]): Promise<void>;
  /** The cloud will never take the event as it is. */
  uploadRefused(eventId: string, error: string): Promise<void>;
  /** Lets refused events wait for upload again: one, or all of them; says how many. */
  retryUpload(eventId: string | undefined): Promise<number>;
  /** Ends the connection and what it started; running writes end first. */
  close(): Promise<void>;
}
