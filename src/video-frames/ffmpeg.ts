// Runs the FFmpeg of this machine: probes a video, and extracts its frames. It reads our own file
// only, whatever other files and URLs the video names.

import { type ChildProcessByStdio, spawn } from 'node:child_process';
import { open } from 'node:fs/promises';
import type { Readable } from 'node:stream';
import type { Environment } from '../config.ts';
import { FoveaError } from '../errors.ts';
import { parsedJson } from '../json-object.ts';
import { limits } from '../limits.ts';

export interface FfmpegOptions {
  readonly environment: Environment;
  readonly signal: AbortSignal;
}

export interface VideoFacts {
  readonly seconds: number;
  /** Frames of a second, as the video has them. */
  readonly framesPerSecond: number;
  readonly width: number;
  readonly height: number;
}

/**
 * What a video file is. Throws `invalid_input` for a file that is no video of a kind that we read,
 * is too long or too large a picture, and `not_implemented` where FFmpeg is not installed.
 */
export async function probeVideo(path: string, options: FfmpegOptions): Promise<VideoFacts> {
  await checkContainer(path);
  const words = [
    '-v',
    'error',
    ...guarded,
    '-select_streams',
    'v:0',
    '-of',
    'json',
    '-show_entries',
    'stream=width,height,avg_frame_rate,duration:format=duration',
    `file:${path}`,
  ];
  const pieces: Buffer[] = [];
  let bytes = 0;
  for await (const piece of outputOf('ffprobe', words, options)) {
    bytes += piece.length;
    if (bytes > limits.videoProbeBytesMax) throw noVideo();
    pieces.push(piece);
  }
  return checkFacts(readFacts(Buffer.concat(pieces).toString()));
}

/** The frames as JPEG files, so many of each second of the video, from its start. */
export async function* framesOf(
  path: string,
  framesPerSecond: number,
  options: FfmpegOptions,
): AsyncGenerator<Buffer> {
  const words = [
    '-v',
    'error',
    '-nostdin',
    ...guarded,
    '-i',
    `file:${path}`,
    '-map',
    '0:v:0',
    '-an',
    '-sn',
    '-dn',
    '-vf',
    `fps=${framesPerSecond}`,
    '-frames:v',
    String(limits.videoFramesMax),
    '-c:v',
    'mjpeg',
    '-q:v',
    '2',
    '-f',
    'image2pipe',
    'pipe:1',
  ];
  yield* splitJpeg(outputOf('ffmpeg', words, options));
}

/** Playlists name other files: neither their formats nor other protocols are let in. */
const guarded = [
  '-protocol_whitelist',
  'file',
  '-format_whitelist',
  'mov,mp4,matroska,webm,avi',
] as const;

/** MP4 and QuickTime, Matroska and WebM, AVI: by their first bytes, never by a name. */
async function checkContainer(path: string): Promise<void> {
  const file = await open(path, 'r');
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(12), 0, 12, 0);
    const head = buffer.subarray(0, bytesRead).toString('latin1');
    const isKnown =
      /^....(ftyp|moov|mdat|wide|free)/s.test(head) ||
      head.startsWith('\x1aE\xdf\xa3') ||
      /^RIFF....AVI /s.test(head);
    if (!isKnown) throw noVideo();
  } finally {
    await file.close();
  }
}

function noVideo(cause?: unknown): FoveaError {
  const message = 'The file is no video that can be read: MP4, MOV, WebM, MKV or AVI.';
  return new FoveaError('invalid_input', message, { cause });
}

function readFacts(text: string): VideoFacts {
  const found = new Map<string, unknown>(entriesOf(parsedJson(text)));
  const streams = found.get('streams');
  const stream = new Map(entriesOf(Array.isArray(streams) ? streams[0] : undefined));
  const format = new Map(entriesOf(found.get('format')));
  const [frames = 0, of = 1] = String(stream.get('avg_frame_rate')).split('/').map(Number);
  return {
    seconds: Number(format.get('duration') ?? stream.get('duration')),
    framesPerSecond: frames / of,
    width: Number(stream.get('width')),
    height: Number(stream.get('height')),
  };
}

function entriesOf(value: unknown): readonly (readonly [string, unknown])[] {
  return typeof value === 'object' && value !== null ? Object.entries(value) : [];
}

function checkFacts(facts: VideoFacts): VideoFacts {
  const { seconds, framesPerSecond, width, height } = facts;
  if (![seconds, framesPerSecond, width, height].every((figure) => figure > 0)) throw noVideo();
  if (seconds > limits.videoSecondsMax) {
    const figures = `${Math.ceil(seconds)} s; at most ${limits.videoSecondsMax} s are run`;
    throw new FoveaError('invalid_input', `The video has ${figures}.`);
  }
  if (width * height > limits.imagePixelsMax || Math.max(width, height) > limits.imageSideMax) {
    const message = `The video has pictures of ${width} x ${height} pixels: that is too large.`;
    throw new FoveaError('invalid_input', message);
  }
  return facts;
}

type Program = 'ffmpeg' | 'ffprobe';
type Child = ChildProcessByStdio<null, Readable, null>;

/** What a program writes; it is gone when this ends, however it ends. */
async function* outputOf(
  program: Program,
  words: readonly string[],
  { environment, signal }: FfmpegOptions,
): AsyncGenerator<Buffer> {
  const child: Child = spawn(program, words, {
    shell: false,
    windowsHide: true,
    env: environment,
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  const ended = endOf(child);
  const stop = () => child.kill('SIGKILL');
  signal.addEventListener('abort', stop, { once: true });
  // Only while we wait for it: a model takes as long as it takes.
  let timer: NodeJS.Timeout | undefined;
  let isSilent = false;
  const listen = () => {
    timer = setTimeout(() => {
      isSilent = true;
      stop();
    }, limits.videoSilenceMsMax);
  };
  try {
    listen();
    for await (const piece of child.stdout) {
      clearTimeout(timer);
      yield Buffer.isBuffer(piece) ? piece : Buffer.from(String(piece));
      listen();
    }
    const end = await ended;
    signal.throwIfAborted();
    if (end === 'missing') throw notInstalled();
    if (isSilent) throw new FoveaError('invalid_input', 'The video could not be decoded in time.');
    if (end !== 0) throw noVideo();
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    stop();
    child.stdout.destroy();
  }
}

function endOf(child: Child): Promise<number | 'missing' | 'killed'> {
  const { promise, resolve } = Promise.withResolvers<number | 'missing' | 'killed'>();
  child.once('error', () => resolve('missing'));
  child.once('exit', (code) => resolve(code ?? 'killed'));
  return promise;
}

function notInstalled(): FoveaError {
  return new FoveaError('not_implemented', 'FFmpeg is not installed: no video can be read here.', {
    hint: 'Install ffmpeg and ffprobe, so that they are found on the PATH.',
  });
}

const start = Buffer.from([0xff, 0xd8]);
const end = Buffer.from([0xff, 0xd9]);

/** JPEG files one after the other: inside of one, its end mark does not occur. */
async function* splitJpeg(pieces: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  let rest: Buffer = Buffer.alloc(0);
  let searched = 0;
  for await (const piece of pieces) {
    rest = Buffer.concat([rest, piece]);
    for (;;) {
      const at = rest.indexOf(end, searched);
      if (at < 0) break;
      yield rest.subarray(0, at + end.length);
      rest = rest.subarray(at + end.length);
      searched = 0;
    }
    searched = Math.max(0, rest.length - 1);
    if (
      rest.length > limits.imageBytesMax ||
      (rest.length > 1 && !rest.subarray(0, 2).equals(start))
    ) {
      throw noVideo();
    }
  }
}
