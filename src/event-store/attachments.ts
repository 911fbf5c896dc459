// Attaches videos and local-only files to drafts (Event Store 11.1, 12.1).

import type { IncomingMessage } from 'node:http';
import type { deviceOperations } from '../contract/device-operations.ts';
import type { Answer } from '../contract/operation.ts';
import { FoveaError, invalidArgument, notFound } from '../errors.ts';
import { type Handlers, StreamingHandler } from '../http-server/handlers.ts';
import { checkHeaders, receiveFile, type UploadRules } from '../http-server/multipart-upload.ts';
import { limits } from '../limits.ts';
import type { Caller } from './api-key.ts';
import { detectContentType, detectVideoType } from './content-type-detection.ts';
import { declaredOrNamedType } from './content-type-of-name.ts';
import type { EventStoreDependencies } from './dependencies.ts';
import { keptFor } from './event-response.ts';
import { newFileId } from './ids.ts';
import type { AdmittedUpload } from './retention/admission-control.ts';
import type { EventStore, FileKind, NewFile, StoredEvent } from './store/store.ts';
import { reportingFullDisk, writeRowAfterFiles } from './write-row-after-files.ts';

type DeviceHandlers = Handlers<typeof deviceOperations, Caller>;
type AttachmentDependencies = Pick<
  EventStoreDependencies,
  'store' | 'files' | 'admission' | 'uploadsInProgress' | 'settings' | 'clock'
>;

/** The two operations that add a file to a draft. */
export function attachmentHandlers(
  dependencies: AttachmentDependencies,
): Pick<DeviceHandlers, 'events_attach_video' | 'events_attach_file'> {
  const { settings } = dependencies;
  return {
    events_attach_video: new StreamingHandler(({ event_id }, body) =>
      attach(dependencies, event_id, body, {
        kind: 'video',
        defaultLabel: 'video',
        message: 'Video attached.',
        rules: { bytesMax: settings.videoBytesMax, fields: { label: checkLabel } },
        detectType: detectSupportedVideo,
      }),
    ),
    events_attach_file: new StreamingHandler(({ event_id }, body) =>
      attach(dependencies, event_id, body, {
        kind: 'local_only',
        defaultLabel: 'file',
        message: 'File attached. It stays on this device.',
        rules: {
          bytesMax: settings.localOnlyBytesMax,
          fields: { label: checkLabel, content_type: checkContentType },
        },
        detectType: detectContentType,
      }),
    ),
  };
}

interface Attaching {
  readonly kind: FileKind;
  readonly defaultLabel: string;
  readonly message: string;
  readonly rules: UploadRules;
  /** The content type; throws for unsupported content. */
  detectType(firstBytes: Uint8Array): Promise<string | undefined>;
}

/**
 * Streams a file to the disk, then adds it to the draft. Throws `not_found` and `conflict` before
 * the body is read, then `full`, and as receiveFile does; the file is removed then.
 */
async function attach(
  dependencies: AttachmentDependencies,
  eventId: string,
  body: IncomingMessage,
  attaching: Attaching,
): Promise<Answer<typeof deviceOperations.events_attach_video>> {
  const { store, admission, uploadsInProgress } = dependencies;
  return uploadsInProgress.during(eventId, async () => {
    const event = await requireDraft(store, eventId);
    checkHeaders(body, attaching.rules);
    const upload = await admission.admitUpload(bytesOf(body));
    try {
      const file = await reportingFullDisk(admission, () =>
        writeFile(dependencies, body, attaching, upload),
      );
      await admitWritten(dependencies, upload, file);
      await writeRowAfterFiles(dependencies, [file.id], () => store.attach(eventId, file));
      return {
        file_id: file.id,
        event_id: eventId,
        label: file.label ?? null,
        content_type: file.contentType,
        size_bytes: file.bytes,
        message: attaching.message,
        ...keptFor(event, dependencies.settings),
      };
    } finally {
      upload.end();
    }
  });
}

/** Admits the final size, since a body need not announce it. */
async function admitWritten(
  { files }: AttachmentDependencies,
  upload: AdmittedUpload,
  { id, bytes }: NewFile,
): Promise<void> {
  try {
    await upload.written(bytes);
  } catch (thrown) {
    await files.remove([id]).catch(() => {});
    throw thrown;
  }
}

/** Content-Length; undefined where the client does not send it. */
function bytesOf({ headers }: IncomingMessage): number | undefined {
  const length = headers['content-length'];
  return length === undefined ? undefined : Number(length);
}

async function requireDraft(store: EventStore, eventId: string): Promise<StoredEvent> {
  const event = await store.get(eventId);
  if (event === undefined) throw notFound('event', eventId);
  if (event.draft) return event;
  throw new FoveaError('conflict', 'The event is finalized: files can be attached to drafts only.');
}

async function writeFile(
  { files, clock }: AttachmentDependencies,
  body: IncomingMessage,
  { kind, defaultLabel, rules, detectType }: Attaching,
  upload: AdmittedUpload,
): Promise<NewFile> {
  const id = newFileId(clock);
  let detected: string | undefined;
  const { stored, fields, declaredType, name } = await receiveFile(body, rules, (pieces) =>
    files.write(
      id,
      inspected(admitted(pieces, upload), async (firstBytes) => {
        detected = await detectType(firstBytes);
      }),
    ),
  );
  return {
    id,
    kind,
    label: fields.get('label') ?? defaultLabel,
    contentType: fields.get('content_type') ?? detected ?? declaredOrNamedType(name, declaredType),
    ...stored,
  };
}

/** The same chunks, each admitted before it is written. */
async function* admitted(
  pieces: AsyncIterable<Uint8Array>,
  upload: AdmittedUpload,
): AsyncGenerator<Uint8Array> {
  let bytes = 0;
  for await (const piece of pieces) {
    bytes += piece.byteLength;
    await upload.received(bytes);
    yield piece;
  }
}

/** The same chunks, held back until `inspect` has seen the beginning. */
async function* inspected(
  pieces: AsyncIterable<Uint8Array>,
  inspect: (firstBytes: Uint8Array) => Promise<void>,
): AsyncGenerator<Uint8Array> {
  const first: Uint8Array[] = [];
  let bytes = 0;
  let isInspected = false;
  for await (const piece of pieces) {
    if (isInspected) {
      yield piece;
      continue;
    }
    first.push(piece);
    bytes += piece.byteLength;
    if (bytes < limits.typeDetectionBytes) continue;
    await inspect(Buffer.concat(first));
    isInspected = true;
    yield* first;
  }
  if (isInspected) return;
  await inspect(Buffer.concat(first));
  yield* first;
}

/** Event Store 11.5: by content, not by the declared type. */
async function detectSupportedVideo(firstBytes: Uint8Array): Promise<string> {
  const type = await detectVideoType(firstBytes);
  if (type !== undefined) return type;
  throw new FoveaError('unsupported_media', 'file: its content is not a known video format.', {
    hint: 'Send MP4, MOV, WebM, Matroska, AVI, MPEG, WMV, FLV, 3GP or Ogg video.',
  });
}

function checkLabel(label: string): void {
  const charactersMax = limits.attachmentLabelCharactersMax;
  if (label === '' || label.length > charactersMax || /\p{Cc}/u.test(label)) {
    throw invalidArgument(
      'label',
      `must be a text of 1 to ${charactersMax} characters without control characters`,
    );
  }
}

/** RFC 6838, section 4.2, with parameters. */
function checkContentType(value: string): void {
  const name = /[a-z0-9][\w!#$&^.+-]{0,126}/i.source;
  const parameter = /; *[\w!#$&^.+-]+=(?:[\w!#$&^.+-]+|"[\w !#$&^.+:/-]*")/.source;
  const pattern = new RegExp(`^${name}/${name}(?:${parameter})*$`, 'i');
  if (value.length <= limits.mediaTypeCharactersMax && pattern.test(value)) return;
  throw invalidArgument('content_type', 'must be a MIME type, for example "application/json"');
}
