// Upload of a video: throughput and peak memory of each contender, every time in a new process.

import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { closeSync, mkdirSync, openSync, rmSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import * as z from 'zod';
import type { Contender } from './contenders.ts';
import { eventBody } from './events.ts';

const megabyte = 1_000_000;

/** The second size is the one of the goal; the first shows whether memory grows with it. */
export const uploadBytes = [50 * megabyte, 500 * megabyte] as const;

export interface UploadRun {
  readonly bytes: number;
  readonly megabytesPerSecond: number;
  readonly peakBytes: number;
  readonly cpuMs: number;
}

export interface UploadResult {
  readonly contender: Contender;
  readonly runs: readonly UploadRun[];
}

/** Round robin, the sizes within it. */
export async function measureUploads(
  contenders: readonly Contender[],
  folder: string,
  repeats: number,
): Promise<readonly UploadResult[]> {
  const videos = uploadBytes.map((bytes) => ({ bytes, path: writeVideo(folder, bytes) }));
  const results = contenders.map((contender) => ({ contender, runs: noRuns() }));
  for (let repeat = 1; repeat <= repeats; repeat += 1) {
    for (const { contender, runs } of results) {
      process.stderr.write(`upload, round ${repeat} of ${repeats}: ${contender.name}...\n`);
      for (const { bytes, path } of videos) {
        runs.push(await run(contender, path, bytes, join(folder, 'store')));
      }
    }
  }
  for (const { path } of videos) rmSync(path);
  return results;
}

function noRuns(): UploadRun[] {
  return [];
}

async function run(
  contender: Contender,
  video: string,
  bytes: number,
  folder: string,
): Promise<UploadRun> {
  mkdirSync(folder);
  const service = await contender.start(folder);
  try {
    const parameters =
      contender.role === 'raw'
        ? ['--upload-file', video, `${service.url}/`]
        : ['--form', `file=@${video};type=video/mp4`, await draftVideos(service.url)];
    const before = service.usage().cpuMs;
    const seconds = await send(parameters);
    const { cpuMs, peakBytes } = service.usage();
    return {
      bytes,
      megabytesPerSecond: bytes / megabyte / seconds,
      peakBytes,
      cpuMs: cpuMs - before,
    };
  } finally {
    await service.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A new draft; the address that takes its videos. */
async function draftVideos(url: string): Promise<string> {
  const answer = await fetch(`${url}/v2/events`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ ...JSON.parse(eventBody(1)), draft: true }),
  });
  const { id } = z.object({ id: z.string() }).parse(await answer.json());
  return `${url}/v2/events/${id}/videos`;
}

/** Seconds from the start of the request to the end of its answer, which must be a 201. */
async function send(parameters: readonly string[]): Promise<number> {
  const { stdout } = await promisify(execFile)('curl', [
    '--silent',
    '--show-error',
    '--header',
    'Expect:',
    '--output',
    '/dev/null',
    '--write-out',
    '%{http_code} %{time_total}',
    ...parameters,
  ]);
  const [status, seconds] = stdout.split(' ').map(Number);
  if (status !== 201 || seconds === undefined) throw new Error(`An upload ended with ${stdout}.`);
  return seconds;
}

/** An MP4 file of that many bytes: its type, then one box of noise. */
function writeVideo(folder: string, bytes: number): string {
  const path = join(folder, `video-${bytes}.mp4`);
  const type = box('ftyp', Buffer.from('isom\x00\x00\x02\x00isomiso2avc1mp41', 'latin1'));
  const head = box('mdat', Buffer.alloc(0));
  head.writeUInt32BE(bytes - type.length);
  const noise = randomBytes(megabyte);
  const file = openSync(path, 'w');
  let missing = bytes - writeSync(file, Buffer.concat([type, head]));
  while (missing > 0) missing -= writeSync(file, noise, 0, Math.min(noise.length, missing));
  closeSync(file);
  return path;
}

function box(name: string, content: Buffer): Buffer {
  const head = Buffer.alloc(8);
  head.writeUInt32BE(8 + content.length);
  head.write(name, 4, 'latin1');
  return Buffer.concat([head, content]);
}
