// The Event Store as one would write it down: lists in memory, and a look at everything.

import type { Clock } from '../../../src/clock.ts';
import { FoveaError } from '../../../src/errors.ts';
import { eventIdOf } from '../../../src/event-store/ids.ts';
import type {
  Arrival,
  CountFilter,
  DetectionCondition,
  EventFilter,
  EventQuery,
  EventStore,
  LedgerLine,
  LedgerQuery,
  MetadataCondition,
  NewEvent,
  NewFile,
  RemovalRule,
  StoredEvent,
  StoredFile,
  UploadState,
} from '../../../src/event-store/store/store.ts';

interface Kept {
  readonly id: string;
  readonly arrival: Arrival;
  readonly given: NewEvent;
  readonly files: StoredFile[];
  upload: UploadState;
  finalizedAt: number | undefined;
  autoFinalizedAt: number | undefined;
  uploadedAt: number | undefined;
  uploadError: string | undefined;
  hold: string | undefined;
}

export function memoryStore(clock: Clock): EventStore {
  return new MemoryStore(clock);
}

class MemoryStore implements EventStore {
  readonly #clock: Clock;
  #events: Kept[] = [];
  #leaving: NewFile[] = [];
  readonly #ledger: LedgerLine[] = [];
  #lastArrival = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  async create(given: NewEvent) {
    this.#lastArrival = Math.max(this.#now(), this.#lastArrival + 1);
    const arrival = this.#lastArrival;
    const id = eventIdOf(arrival);
    this.#events.push({
      id,
      arrival,
      given: structuredClone(given),
      upload: given.draft ? 'draft' : 'waiting',
      files: given.files.map((file) => ({ ...file, eventId: id, sourceId: undefined })),
      finalizedAt: given.draft ? undefined : arrival,
      autoFinalizedAt: undefined,
      uploadedAt: undefined,
      uploadError: undefined,
      hold: undefined,
    });
    return { id, arrival };
  }

  readonly takesRequests = false;

  /** As the interface lets it. */
  async createFrom() {
    return undefined;
  }

  async attach(eventId: string, file: NewFile) {
    const event = this.#find(eventId);
    if (event.upload !== 'draft') throw new FoveaError('conflict', 'Finalized.');
    event.files.push({ ...file, eventId, sourceId: undefined });
  }

  async finalize(eventId: string) {
    const event = this.#find(eventId);
    const alreadyFinalized = event.upload !== 'draft';
    if (!alreadyFinalized) this.#finalize(event);
    const { id, finalizedAt = 0, autoFinalizedAt } = event;
    return { id, alreadyFinalized, finalizedAt, autoFinalizedAt };
  }

  async finalizeDrafts(before: Arrival, spared: readonly string[], limit: number) {
    const due = this.#events.filter(
      ({ upload, arrival, id }) => upload === 'draft' && arrival < before && !spared.includes(id),
    );
    for (const event of due.slice(0, limit)) {
      this.#finalize(event);
      event.autoFinalizedAt = event.finalizedAt;
    }
    return Math.min(due.length, limit);
  }

  async get(eventId: string) {
    const event = this.#events.find(({ id }) => id === eventId);
    return event && shown(event);
  }

  async list(query: EventQuery) {
    const found: StoredEvent[] = [];
    const isNewestFirst = query.order === 'newest_first';
    for (const kept of isNewestFirst ? this.#events.toReversed() : this.#events) {
      if (fits(kept, query)) found.push(shown(kept));
      if (found.length > query.limit) break;
    }
    return { events: found.slice(0, query.limit), next: found[query.limit]?.arrival };
  }

  async count({ deviceId, eventSchema, workflowId }: CountFilter) {
    const filtered = this.#events.filter(
      ({ given }) =>
        (deviceId === undefined || given.deviceId === deviceId) &&
        (eventSchema === undefined || given.eventSchema === eventSchema) &&
        (workflowId === undefined || given.workflowId === workflowId),
    );
    const [oldest, newest] = [filtered[0]?.arrival, filtered.at(-1)?.arrival];
    return { total: this.#events.length, filtered: filtered.length, oldest, newest };
  }

  async countMatching(filter: EventFilter) {
    const found = this.#events.filter((kept) => fits(kept, filter));
    const [oldest, newest] = [found[0]?.arrival, found.at(-1)?.arrival];
    const [total, filtered] = [this.#events.length, found.length];
    return { total, filtered, oldest, newest, scanned: 0, next: undefined };
  }

  async file(fileId: string) {
    return this.#files().find(({ id }) => id === fileId);
  }

  async remove(rule: RemovalRule) {
    const { before = Number.POSITIVE_INFINITY, sparesUnsent, limit } = rule;
    let events = 0;
    let diskBytes = 0;
    for (const event of [...this.#events]) {
      if (event.arrival >= before || !mayGo(event, sparesUnsent)) continue;
      if (events === limit) break;
      if (rule.diskBytes !== undefined && diskBytes >= rule.diskBytes) break;
      this.#remove(event, rule);
      events += 1;
      diskBytes += sum(event.files);
    }
    return { events, diskBytes };
  }

  async filesToUnlink(limit: number) {
    const ids = this.#leaving.map(({ id }) => id).sort();
    return ids.slice(0, limit);
  }

  async unlinked(fileIds: readonly string[]) {
    this.#leaving = this.#leaving.filter(({ id }) => !fileIds.includes(id));
  }

  async ledger({ limit, reason, eventId, before }: LedgerQuery) {
    const lines = this.#ledger.filter(
      (line) =>
        (reason === undefined || line.reason === reason) &&
        (eventId === undefined || line.eventId === eventId) &&
        (before === undefined || line.ordinal < before),
    );
    const newest = lines.reverse();
    const page = newest.slice(0, limit);
    return { lines: page, next: newest.length > limit ? page.at(-1)?.ordinal : undefined };
  }

  async usage() {
    const inState = (state: UploadState) => this.#events.filter(({ upload }) => upload === state);
    const files = this.#files();
    const ofKind = (name: string) => files.filter(({ kind }) => kind === name).length;
    const removed: Record<string, number> = {};
    for (const { reason } of this.#ledger) removed[reason] = (removed[reason] ?? 0) + 1;
    return {
      records: this.#events.length,
      drafts: inState('draft').length,
      oldestDraft: inState('draft')[0]?.arrival,
      waiting: inState('waiting').length,
      oldestWaiting: inState('waiting')[0]?.arrival,
      waitingDiskBytes: sum(inState('waiting').flatMap((event) => event.files)),
      uploaded: inState('uploaded').length,
      refused: inState('refused').length,
      held: this.#events.filter(({ hold }) => hold !== undefined).length,
      images: ofKind('image'),
      videos: ofKind('video'),
      localOnlyFiles: ofKind('local_only'),
      fileDiskBytes: sum(files) + sum(this.#leaving),
      databaseBytes: 0,
      ledgerBytes: 0,
      logBytes: 0,
      removed,
      lastRemovedAt: this.#ledger.at(-1)?.removedAt,
      removable: (sparesUnsent: boolean) => {
        const going = this.#events.filter((event) => mayGo(event, sparesUnsent));
        return { events: going.length, diskBytes: sum(going.flatMap((event) => event.files)) };
      },
    };
  }

  async hold(eventId: string, reason: string) {
    this.#find(eventId).hold = reason;
  }

  async release(eventId: string) {
    this.#find(eventId).hold = undefined;
  }

  /** It has no index that could be behind. */
  async indexLag() {
    return { behind: 0, records: this.#events.length };
  }

  async indexSome() {
    return { hasMore: false };
  }

  async stopIndexing() {}

  async shrink() {
    return false;
  }

  async waiting(after: Arrival, limit: number) {
    const waiting = this.#events.filter(
      (each) => each.upload === 'waiting' && each.arrival > after,
    );
    return waiting.slice(0, limit).map(shown);
  }

  async images(eventId: string) {
    return this.#find(eventId).files.filter(({ kind }) => kind === 'image');
  }

  async imageUploaded(fileId: string, sourceId: string) {
    for (const { files } of this.#events) {
      const place = files.findIndex(({ id, kind }) => id === fileId && kind === 'image');
      const file = files[place];
      if (file === undefined) continue;
      files[place] = { ...file, sourceId };
      return;
    }
    throw new FoveaError('not_found', 'No such image.');
  }

  async uploaded(eventIds: readonly string[]) {
    for (const event of this.#events) {
      if (!eventIds.includes(event.id)) continue;
      if (event.upload === 'draft' || event.upload === 'uploaded') continue;
      event.upload = 'uploaded';
      event.uploadedAt = this.#now();
      event.uploadError = undefined;
    }
  }

  async uploadRefused(eventId: string, error: string) {
    const event = this.#find(eventId);
    if (event.upload === 'draft' || event.upload === 'uploaded') {
      throw new FoveaError('conflict', 'Not waiting.');
    }
    event.upload = 'refused';
    event.uploadError = error;
  }

  async retryUpload(eventId: string | undefined) {
    const events = eventId === undefined ? this.#events : [this.#find(eventId)];
    const refused = events.filter(({ upload }) => upload === 'refused');
    for (const event of refused) {
      event.upload = 'waiting';
      event.uploadError = undefined;
    }
    return refused.length;
  }

  async close() {}

  #now(): number {
    return this.#clock.now() * 1000;
  }

  #find(eventId: string): Kept {
    const event = this.#events.find(({ id }) => id === eventId);
    if (event === undefined) throw new FoveaError('not_found', 'No such event.');
    return event;
  }

  #files(): StoredFile[] {
    return this.#events.flatMap(({ files }) => files);
  }

  #finalize(event: Kept): void {
    event.upload = 'waiting';
    event.finalizedAt = Math.max(this.#now(), event.arrival);
  }

  #remove(event: Kept, { reason }: RemovalRule): void {
    this.#events = this.#events.filter((other) => other !== event);
    this.#leaving.push(...event.files);
    this.#ledger.push({
      ordinal: this.#ledger.length + 1,
      removedAt: this.#now(),
      reason,
      eventId: event.id,
      arrival: event.arrival,
      upload: event.upload,
      eventSchema: event.given.eventSchema,
      deviceId: event.given.deviceId,
      files: event.files.length,
      diskBytes: sum(event.files),
    });
  }
}

function mayGo({ hold, upload }: Kept, sparesUnsent: boolean): boolean {
  const isUnsent = upload === 'draft' || upload === 'waiting';
  return hold === undefined && !(sparesUnsent && isUnsent);
}

function sum(files: readonly NewFile[]): number {
  return files.reduce((bytes, file) => bytes + file.diskBytes, 0);
}

function shown({ given, files, ...rest }: Kept): StoredEvent {
  const { files: _, ...event } = given;
  return {
    ...event,
    ...rest,
    draft: rest.upload === 'draft',
    apiVersion: 'v2',
    videos: files.filter(({ kind }) => kind === 'video'),
    localOnlyFiles: files.filter(({ kind }) => kind === 'local_only'),
    originalFileCount: files.length,
    currentFileCount: files.length,
  };
}

function fits({ given, arrival, upload }: Kept, filter: EventFilter): boolean {
  const isIn = (list: readonly string[] | undefined, value: string | undefined) =>
    list === undefined || list.some((each) => each === value);
  return (
    arrival >= (filter.from ?? arrival) &&
    arrival <= (filter.until ?? arrival) &&
    isIn(filter.deviceIds, given.deviceId) &&
    isIn(filter.eventSchemas, given.eventSchema) &&
    isIn(filter.workflowIds, given.workflowId) &&
    isIn(filter.externalIds, given.externalId) &&
    isIn(filter.relatedEventId?.split('\n'), given.relatedEventId) &&
    !(upload === 'draft' && filter.includeDrafts === false) &&
    (filter.metadata ?? []).every((each) => meets(given.customMetadata ?? {}, each)) &&
    (filter.eventData ?? []).every((each) => meetsWithin(given.eventData, each)) &&
    (filter.detections ?? []).every((each) => isSeen(given, each))
  );
}

/** Every path of nested objects, written with dots; whole names come first. */
function flattened(data: object): Record<string, unknown> {
  const paths: [string, unknown][] = [];
  const walk = (value: object, before: string) => {
    for (const [name, member] of Object.entries(value)) {
      if (name.includes('.')) continue;
      paths.push([`${before}${name}`, member]);
      const isObject = typeof member === 'object' && member !== null && !Array.isArray(member);
      if (isObject) walk(member, `${before}${name}.`);
    }
  };
  walk(data, '');
  const whole = Object.entries(data).filter(([name]) => name.includes('.'));
  return Object.fromEntries([...paths, ...whole]);
}

function meetsWithin(data: object, condition: MetadataCondition): boolean {
  return meets(flattened(data), condition);
}

function isSeen({ images }: NewEvent, { terms, counts }: DetectionCondition): boolean {
  const seen = images
    .flatMap((image) => [
      image.object_detections,
      image.classifications,
      image.instance_segmentations,
      image.keypoints,
    ])
    .flat()
    .filter((one) => terms.every((term) => meets(Object(one), term)));
  const length = { length: seen.length };
  return counts.every((count) => meets(length, { ...count, key: 'length' }));
}

function meets(members: Readonly<Record<string, unknown>>, condition: MetadataCondition): boolean {
  const { key } = condition;
  const value = Object.hasOwn(members, key) ? members[key] : undefined;
  if (!['string', 'number', 'boolean'].includes(typeof value)) return false;
  // JSON has no word for the one, and UTF-8 none for the other.
  if (value === Number.POSITIVE_INFINITY || !String(value).isWellFormed()) return false;
  const orders = condition.values
    .filter((wanted) => typeof wanted === typeof value)
    .map((wanted) => (value === wanted ? 0 : isBelow(value, wanted) ? -1 : 1));
  const hasOrder = typeof value !== 'boolean';
  switch (condition.operator) {
    case 'eq':
      return orders.includes(0);
    case 'ne':
      return !orders.includes(0);
    case 'gt':
      return hasOrder && orders.includes(1);
    case 'gte':
      return hasOrder && orders.some((order) => order >= 0);
    case 'lt':
      return hasOrder && orders.includes(-1);
    case 'lte':
      return hasOrder && orders.some((order) => order <= 0);
  }
}

/** Text by its code points. */
function isBelow(value: unknown, wanted: unknown): boolean {
  if (typeof value === 'number') return value < Number(wanted);
  const points = (text: unknown) => Array.from(String(text), (each) => each.codePointAt(0) ?? 0);
  const [first, second] = [points(value), points(wanted)];
  const place = first.findIndex((point, index) => point !== second[index]);
  if (place < 0) return first.length < second.length;
  return (first[place] ?? 0) < (second[place] ?? -1);
}
