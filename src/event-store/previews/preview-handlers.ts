// Handler of event previews. The drawing code is loaded with the first preview.

import type { deviceOperations } from '../../contract/device-operations.ts';
import { notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import type { Caller } from '../api-key.ts';
import type { EventStoreDependencies } from '../dependencies.ts';
import type { StoredEvent } from '../store/store.ts';
import type { EventImageSource } from './draw-event-sheet.ts';

type PreviewHandlers = Pick<Handlers<typeof deviceOperations, Caller>, 'events_preview'>;

export function previewHandlers({ store, files }: EventStoreDependencies): PreviewHandlers {
  return {
    events_preview: async ({ event_id: ids }, { signal }) => {
      const found = await Promise.all([...new Set(ids)].map((id) => store.get(id)));
      const events = found.filter((event) => event !== undefined);
      if (events.length === 0) throw notFound('event', ids.join(', '));
      const [only] = events;
      const sources =
        only !== undefined && events.length === 1
          ? imageSourcesOf(only)
          : events.flatMap((event) => displayImageSource(event) ?? []);
      if (sources.length === 0) throw notFound('image of event', ids.join(', '));
      const { drawEventSheet } = await import('./draw-event-sheet.ts');
      return drawEventSheet(sources.slice(0, limits.eventPreviewImagesMax), files, signal);
    },
  };
}

/** Prefers the output image over the input image. */
function imageSourcesOf(event: StoredEvent): readonly EventImageSource[] {
  return event.images.flatMap((image, index) => {
    const fileId = image.file_id ?? image.input_file_id;
    return fileId === null ? [] : [{ event, image, index, fileId }];
  });
}

function displayImageSource(event: StoredEvent): EventImageSource | undefined {
  const sources = imageSourcesOf(event);
  return sources.find(({ index }) => index === event.displayImagePosition) ?? sources[0];
}
