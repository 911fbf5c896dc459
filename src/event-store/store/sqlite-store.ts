// The Event Store on SQLite: one thread writes, this one reads.

import { statSync } from 'node:fs';
import { extname, join } from 'node:path';
import type { Clock } from '../../clock.ts';
import { FoveaError, notFound } from '../../errors.ts';
import { limits } from '../../limits.ts';
import { type Database, openDatabase } from '../../storage/database.ts';
import { createGroupCommit, type GroupCommit } from '../../storage/group-commit-queue.ts';
import { Background } from '../background/background.ts';
import { Checkpoints } from '../background/checkpoints.ts';
import { arrivalOf } from '../ids.ts';
import { EventIndex, type UsableIndex } from '../index/event-index.ts';
import { indexPathOf } from '../index/index-file.ts';
import type { RequestRules } from '../validation/create-request-reader.ts';
import { bytesOf, type Command, type Outcome } from './commands.ts';
import { countEvents, countMatching } from './count-events.ts';
import { readLedger, readUsage } from './figures.ts';
import { findFile, imagesOf } from './files.ts';
import { listEvents } from './list-events.ts';
import { hasOldIndex } from './old-index.ts';
import { removable } from './removal.ts';
import type { Events } from './scan-events.ts';
import { migrations } from './schema.ts';
import type {
  Arrival,
  CountFilter,
  Created,
  CreatedFrom,
  EventCounts,
  EventFilter,
  EventPage,
  EventQuery,
  EventStore,
  Finalized,
  IndexLag,
  IndexStep,
  LedgerPage,
  LedgerQuery,
  MatchingCounts,
  NewEvent,
  NewFile,
  RemovalRule,
  Removed,
  StoredEvent,
  StoredFile,
  Usage,
} from './store.ts';
import { bodyText } from './stored-body.ts';
import { charactersOf, eventAt, eventsAt, readEvent } from './stored-event.ts';
import { oldestOf } from './upload-states.ts';

export interface EventStoreOptions {
  /** The data folder; made where there is none. */
  readonly data: string;
  readonly clock: Clock;
  /** What requests are checked against; without them, none is stored as it came. */
  readonly requestRules?: RequestRules;
}

/** Opens the store of a data folder. Throws as `openDatabase` does. */
export async function openEventStore(options: EventStoreOptions): Promise<EventStore> {
  return new SqliteEventStore(options);
}

class SqliteEventStore implements EventStore {
  readonly #path: string;
  readonly #database: Database;
  readonly #writer: GroupCommit<Command, Outcome>;
  readonly #index: EventIndex;
  readonly #background: Background;
  readonly #checkpoints: Checkpoints;
  readonly #hasRules: boolean;

  constructor({ data, clock, requestRules }: EventStoreOptions) {
    this.#path = join(data, 'events.db');
    this.#database = openDatabase(this.#path, migrations, {
      canShrink: true,
      cacheBytes: limits.eventReaderCacheBytes,
    });
    this.#writer = createGroupCommit({
      entry: new URL(`./event-writer${extname(import.meta.url)}`, import.meta.url),
      data: { path: this.#path, requestRules },
      now: clock.now,
    });
    const index = indexPathOf(data);
    this.#index = new EventIndex(index);
    this.#background = new Background({ events: this.#path, index });
    this.#checkpoints = new Checkpoints(this.#background, () =>
      this.#submit({ kind: 'checkpoint' }),
    );
    this.#hasRules = requestRules !== undefined;
  }

  async create(event: NewEvent): Promise<Created> {
    const outcome = await this.#submit(createCommand(event));
    if (typeof outcome !== 'string') throw unexpected();
    return created(outcome);
  }

  /** Where others wait: the thread that answers them has the most to do then. */
  get takesRequests(): boolean {
    return this.#hasRules && this.#writer.waiting > 0;
  }

  async createFrom(request: string): Promise<CreatedFrom | undefined> {
    const outcome = await this.#submit(request);
    if (typeof outcome === 'string') return { ...created(outcome), draft: false };
    if (isOf(outcome, 'declined')) return undefined;
    return { ...created(one(outcome, 'draft').id), draft: true };
  }

  async attach(eventId: string, file: NewFile): Promise<void> {
    await this.#change({ kind: 'attach', eventId, file });
  }

  async finalize(eventId: string): Promise<Finalized> {
    return one(await this.#submit({ kind: 'finalize', eventId }), 'finalized').finalized;
  }

  /** Like all that runs now and then, it wakes no thread where there is nothing to do. */
  async finalizeDrafts(before: Arrival, spared: readonly string[], limit: number): Promise<number> {
    const due = { states: ['draft'], until: before - 1, limit: 1 } as const;
    if (oldestOf(this.#database, due).length === 0) return 0;
    return this.#change({ kind: 'finalizeDrafts', before, spared, limit });
  }

  async get(eventId: string): Promise<StoredEvent | undefined> {
    const arrival = arrivalOf(eventId);
    if (arrival === undefined) return undefined;
    const event = this.#database.get(eventAt, [arrival], readEvent);
    return event?.id === eventId ? event : undefined;
  }

  list(query: EventQuery, signal?: AbortSignal): Promise<EventPage> {
    return listEvents(this.#events(), query, signal);
  }

  async count(filter: CountFilter): Promise<EventCounts> {
    return countEvents(this.#events(), filter);
  }

  countMatching(filter: EventFilter, signal?: AbortSignal): Promise<MatchingCounts> {
    return countMatching(this.#events(), filter, signal);
  }

  async file(fileId: string): Promise<StoredFile | undefined> {
    return findFile(this.#database, fileId);
  }

  async remove(rule: RemovalRule): Promise<Removed> {
    let events = 0;
    let diskBytes = 0;
    const room = () => (rule.diskBytes === undefined ? 1 : rule.diskBytes - diskBytes);
    while (events < rule.limit && room() > 0) {
      if (removable(this.#database, { ...rule, limit: 1 }).length === 0) break;
      const limit = Math.min(limits.changedAtOnceMax, rule.limit - events);
      const rest = rule.diskBytes === undefined ? {} : { diskBytes: room() };
      const step: RemovalRule = { ...rule, limit, ...rest };
      const outcome = await this.#submit({ kind: 'remove', rule: step });
      const { removed } = one(outcome, 'removed');
      events += removed.events;
      diskBytes += removed.diskBytes;
      if (removed.events < limit) break;
    }
    return { events, diskBytes };
  }

  async filesToUnlink(limit: number): Promise<readonly string[]> {
    const sql = 'SELECT id FROM leaving_files ORDER BY id LIMIT ?';
    return this.#database.all(sql, [limit], (row) => row.text('id'));
  }

  async unlinked(fileIds: readonly string[]): Promise<void> {
    await this.#change({ kind: 'unlinked', fileIds });
  }

  async ledger(query: LedgerQuery): Promise<LedgerPage> {
    return readLedger(this.#database, query);
  }

  async usage(): Promise<Usage> {
    return readUsage(this.#database, sizeOf(this.#path) + sizeOf(`${this.#path}-wal`));
  }

  async hold(eventId: string, reason: string): Promise<void> {
    await this.#change({ kind: 'hold', eventId, reason });
  }

  async release(eventId: string): Promise<void> {
    await this.#change({ kind: 'hold', eventId, reason: undefined });
  }

  async shrink(): Promise<boolean> {
    if (freePages(this.#database) === 0 && !hasOldIndex(this.#database)) return false;
    return (await this.#change({ kind: 'shrink' })) > 0;
  }

  async waiting(after: Arrival, limit: number): Promise<readonly StoredEvent[]> {
    const states = ['waiting'] as const;
    const arrivals = oldestOf(this.#database, { states, from: after + 1, limit });
    const events: StoredEvent[] = [];
    let characters = 0;
    this.#database.each(eventsAt, [JSON.stringify(arrivals)], (row) => {
      characters += charactersOf(row);
      if (events.length > 0 && characters > limits.eventsPageCharactersMax) return false;
      events.push(readEvent(row));
      return true;
    });
    return events;
  }

  async images(eventId: string): Promise<readonly StoredFile[]> {
    const event = await this.get(eventId);
    if (event === undefined) throw notFound('event', eventId);
    return imagesOf(this.#database, event.arrival, eventId);
  }

  async imageUploaded(fileId: string, sourceId: string): Promise<void> {
    await this.#change({ kind: 'imageUploaded', fileId, sourceId });
  }

  async uploaded(eventIds: readonly string[]): Promise<void> {
    await this.#change({ kind: 'uploaded', eventIds });
  }

  async uploadRefused(eventId: string, error: string): Promise<void> {
    await this.#change({ kind: 'uploadRefused', eventId, error });
  }

  async retryUpload(eventId: string | undefined): Promise<number> {
    if (eventId !== undefined) return this.#change({ kind: 'retryUpload', eventId });
    let retried = 0;
    let after: Arrival = 0;
    for (;;) {
      const command: Command = { kind: 'retryUploads', after, limit: limits.changedAtOnceMax };
      const { count, last } = one(await this.#submit(command), 'retried');
      retried += count;
      if (last === undefined) return retried;
      after = last;
    }
  }

  async close(): Promise<void> {
    await this.#writer.close();
    await this.#background.end();
    this.#index.close();
    this.#database.close();
  }

  async indexLag(): Promise<IndexLag> {
    const sql = `SELECT last_number, draft + waiting + uploaded + refused AS records,
      (SELECT number FROM events ORDER BY arrival LIMIT 1) AS first_number FROM totals`;
    const found = this.#database.get(sql, [], (row) => ({
      last: row.integer('last_number'),
      first: row.optionalInteger('first_number'),
      records: row.integer('records'),
    }));
    if (found?.first === undefined) return { behind: 0, records: 0 };
    const { first, last, records } = found;
    const indexed = this.#usableIndex()?.number ?? 0;
    return { behind: Math.max(0, last - Math.max(indexed, first - 1)), records };
  }

  indexSome(): Promise<IndexStep> {
    return this.#background.run('index');
  }

  /** A log that is to be moved is moved by another thread, or by the writer. */
  stopIndexing(): Promise<void> {
    return this.#background.end();
  }

  /** With the index as it is now. */
  #events(): Events {
    return { database: this.#database, index: this.#usableIndex() };
  }

  #usableIndex(): UsableIndex | undefined {
    return this.#database.get('SELECT store_id, last_arrival FROM totals', [], (row) =>
      this.#index.usable(row.text('store_id'), row.integer('last_arrival')),
    );
  }

  #submit(command: Command): Promise<Outcome> {
    const bytes = bytesOf(command);
    this.#checkpoints.wrote(bytes);
    return this.#writer.submit(command, bytes);
  }

  /** A write that says how many things it changed. */
  async #change(command: Command): Promise<number> {
    return one(await this.#submit(command), 'changed').count;
  }
}

function freePages(database: Database): number {
  return database.get('PRAGMA freelist_count', [], (row) => row.integer('freelist_count')) ?? 0;
}

function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? 0;
}

function createCommand(event: NewEvent): Command {
  const { files, draft, workflowId, deviceId, eventSchema } = event;
  const { externalId, relatedEventId, customMetadata } = event;
  const head = {
    draft,
    workflowId,
    deviceId,
    eventSchema,
    externalId,
    relatedEventId,
    customMetadata,
  };
  const body = bodyText(event);
  const bytes = body.length + JSON.stringify(customMetadata ?? {}).length;
  return { kind: 'create', head, body, files, bytes };
}

function created(id: string): Created {
  const arrival = arrivalOf(id);
  if (arrival === undefined) throw unexpected();
  return { id, arrival };
}

type Named = Exclude<Outcome, string>;
type OutcomeOf<Kind extends Named['kind']> = Extract<Named, { readonly kind: Kind }>;

function one<Kind extends Named['kind']>(outcome: Outcome, kind: Kind): OutcomeOf<Kind> {
  if (isOf(outcome, kind)) return outcome;
  throw unexpected();
}

function unexpected(): FoveaError {
  const message = 'The thread that writes gave another answer than was asked for.';
  return new FoveaError('internal', message);
}

function isOf<Kind extends Named['kind']>(
  outcome: Outcome,
  kind: Kind,
): outcome is OutcomeOf<Kind> {
  return typeof outcome !== 'string' && outcome.kind === kind;
}
