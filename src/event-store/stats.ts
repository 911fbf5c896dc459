// Handlers of statistics and of the deletion ledger.

import type { deviceOperations } from '../contract/device-operations.ts';
import type { Handlers } from '../http-server/handlers.ts';
import { limits } from '../limits.ts';
import type { Caller } from './api-key.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { timeOrNull, uploadStatus } from './event-response.ts';
import { isoMicroseconds } from './timestamps.ts';

type StatsHandlers = Pick<
  Handlers<typeof deviceOperations, Caller>,
  'events_stats' | 'events_ledger'
>;

export function statsHandlers({
  store,
  admission,
  uploader,
  settings,
  clock,
}: EventStoreDependencies): StatsHandlers {
  return {
    events_stats: async () => {
      const usage = await store.usage();
      const room = await admission.state();
      const upload = uploader.state();
      const ageSeconds = (arrival: number | undefined) =>
        arrival === undefined ? null : Math.max(0, clock.now() - arrival / 1_000) / 1_000;
      return {
        records: usage.records,
        records_limit: settings.recordsMax,
        records_percent: percent(usage.records, settings.recordsMax),
        images: usage.images,
        videos: usage.videos,
        local_only_files: usage.localOnlyFiles,
        bytes_used: room.bytesUsed,
        bytes_limit: settings.bytesMax,
        bytes_percent: percent(room.bytesCounted, settings.bytesMax),
        drafts: { records: usage.drafts, oldest_age_seconds: ageSeconds(usage.oldestDraft) },
        backup: {
          enabled: settings.cloud !== undefined,
          backed_up_records: usage.uploaded,
          pending_records: usage.waiting,
          pending_bytes: usage.waitingDiskBytes,
          oldest_pending_age_seconds: ageSeconds(usage.oldestWaiting),
          refused_records: usage.refused,
          last_error: upload.lastError ?? null,
          last_success_at: timeOfMilliseconds(upload.lastSuccessAt),
          next_attempt_at: timeOfMilliseconds(upload.nextAttemptAt),
        },
        disk: { free_bytes: room.freeBytes, reserve_bytes: room.ballastBytes },
        capacity_blocked: room.blocked !== undefined,
        capacity_reason: room.blocked ?? null,
        held_records: usage.held,
        removed: { age: 0, record_limit: 0, byte_limit: 0, disk_full: 0, ...usage.removed },
        last_removal_at: timeOrNull(usage.lastRemovedAt),
        retention_days: settings.retentionDays,
      };
    },
    events_ledger: async ({ limit = limits.eventsPageDefault, reason, event_id, before }) => {
      const page = await store.ledger({ limit, reason, eventId: event_id, before });
      return {
        lines: page.lines.map((line) => ({
          ordinal: line.ordinal,
          removed_at: isoMicroseconds(line.removedAt),
          reason: line.reason,
          event_id: line.eventId,
          created_at: isoMicroseconds(line.arrival),
          event_schema: line.eventSchema,
          device_id: line.deviceId ?? null,
          upload_status: uploadStatus(line, settings),
          files: line.files,
          disk_bytes: line.diskBytes,
        })),
        next: page.next ?? null,
      };
    },
  };
}

function percent(part: number, whole: number): number {
  return Math.round((part / whole) * 10_000) / 100;
}

function timeOfMilliseconds(milliseconds: number | undefined): string | null {
  return timeOrNull(milliseconds === undefined ? undefined : milliseconds * 1_000);
}
