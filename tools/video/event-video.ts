// The video of a device event, brought from the Event Store into a file.

import { events } from '../../src/contract/events.ts';
import type { Answer } from '../../src/contract/operation.ts';
import { FoveaError, invalidArgument } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import type { ToolContext } from '../../src/mcp/tool.ts';
import { fileSize, quoted } from '../format.ts';
import type { LocalVideo } from './local-video.ts';

const { events_get: operation } = events;

interface Wanted {
  readonly eventId: string;
  /** Undefined: the only one that it has. */
  readonly fileId: string | undefined;
}

/** Into a new file. Throws `not_found` for an event without a video, and as a download does. */
export async function bringEventVideo(
  wanted: Wanted,
  path: string,
  { client, signal, progress }: ToolContext,
): Promise<LocalVideo> {
  const { body } = await client.call(operation, { event_id: wanted.eventId }, { signal });
  const { file_id: id, size_bytes: bytes, label } = chosen(body, wanted);
  if (bytes && bytes > limits.videoBytesMax) {
    const most = `at most ${fileSize(limits.videoBytesMax)} are read`;
    throw new FoveaError('too_large', `The video of the event has ${fileSize(bytes)}; ${most}.`);
  }
  await client.download(`/videos/${encodeURIComponent(id)}`, path, {
    fromDevice: true,
    signal,
    onProgress: (done, total) => progress(done, total, 'Bringing the video'),
  });
  const metadata = {
    event: body.id,
    ...(label && { video: label }),
    ...(body.device_id && { device: body.device_id }),
    ...(body.stream_id && { stream: body.stream_id }),
  };
  // Two videos of an event have frames of two names.
  const name = body.videos?.length === 1 ? `event-${body.id}` : `event-${body.id}-${id}`;
  return { path, name, metadata };
}

function chosen(event: Answer<typeof operation>, { eventId, fileId }: Wanted) {
  const { videos = [] } = event;
  const found = fileId === undefined ? videos : videos.filter((one) => one.file_id === fileId);
  const [first, ...others] = found;
  const known = videos.map((one) => `${quoted(one.file_id)} (${quoted(one.label ?? 'video')})`);
  if (first === undefined && videos.length > 0) {
    throw invalidArgument('file_id', `is none of its videos: ${known.join(', ')}`);
  }
  if (first === undefined) {
    throw new FoveaError('not_found', `Event ${quoted(eventId)} has no video.`, {
      hint: 'events_attach_video attaches one to a draft; videos do not go to the platform.',
    });
  }
  if (others.length > 0) {
    throw invalidArgument('file_id', `is needed: the event has ${known.join(', ')}`);
  }
  return first;
}
