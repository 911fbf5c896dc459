// Previews of events for a result, where the Event Store can draw them.

import { eventStore } from '../../src/contract/event-store.ts';
import { asFoveaError } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext, ToolImage } from '../../src/mcp/tool.ts';
import { hasPicture, type StoredEvent } from './event-format.ts';

interface Pictures {
  /** The note about them in the summary. */
  readonly data: Readonly<Record<string, unknown>>;
  readonly images: readonly ToolImage[];
}

const nothing: Pictures = { data: {}, images: [] };

/**
 * One sheet of the images of an event, or of the main images of the first few events. A failed
 * preview is noted and fails nothing; other Event Stores have no previews.
 */
export async function showPictures(
  events: readonly StoredEvent[],
  { client, signal }: ToolContext,
): Promise<Pictures> {
  const event_id = events.filter(hasPicture).map(({ id }) => id);
  if (event_id.length === 0) return nothing;
  const shown = event_id.slice(0, limits.eventPreviewImagesMax);
  try {
    const { body } = await client.call(
      eventStore.events_preview,
      { event_id: shown },
      { signal, timeoutMs: limits.eventPreviewMsMax },
    );
    const { sheet, contentType, warnings } = body;
    const left = event_id.length - shown.length;
    const notes = [...warnings, ...(left > 0 ? [`${left} more events have images`] : [])];
    return {
      data: notes.length > 0 ? { preview_notes: notes } : {},
      images: [{ data: Buffer.from(sheet, 'base64'), mimeType: contentType }],
    };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code } = asFoveaError(thrown);
    if (code === 'not_found' || code === 'method_not_allowed') return nothing;
    return { data: { preview_notes: [`the images cannot be shown (${code})`] }, images: [] };
  }
}
