// How much a store keeps where no setting says it: what its disk bears.

import type { EventStoreSettings } from '../../event-store-config.ts';
import { limits } from '../../limits.ts';
import type { FileStore } from '../../storage/file-store.ts';
import type { EventStore, Usage } from '../store/store.ts';

/** Settings with a limit of bytes. */
export interface SizedSettings extends EventStoreSettings {
  readonly bytesMax: number;
}

/** Bytes of the disk that a store has, and that it might have. */
export interface DiskRoom {
  readonly usedBytes: number;
  readonly freeBytes: number;
}

/** Of files and the database, with what of it does not count towards the byte limit. */
export function usedBytes({ fileDiskBytes, databaseBytes, logBytes }: Usage): number {
  return fileDiskBytes + databaseBytes + logBytes;
}

export async function readRoom(store: EventStore, files: FileStore): Promise<DiskRoom> {
  return { usedBytes: usedBytes(await store.usage()), freeBytes: await files.freeBytes() };
}

/** Of what the store has and what is free together, so that a store that fills keeps its limit. */
export function sizedSettings(settings: EventStoreSettings, room: DiskRoom): SizedSettings {
  const share = Math.floor((room.usedBytes + room.freeBytes) * limits.storeDiskShare);
  return { ...settings, bytesMax: settings.bytesMax ?? Math.max(share, limits.storeBytesMin) };
}
