// Medians and ranges of all runs as a table, and whether Fovea is as quick and lean as it must be.

import { formatRange, formatTable, median } from '../measure/text-table.ts';
import type { Contender } from './contenders.ts';
import type { Peak } from './memory.ts';
import type { Answer } from './request.ts';

export interface Measured {
  readonly contender: Contender;
  /** One process. */
  readonly job: readonly Answer[];
  /** A process or a thread for each core. */
  readonly jobOnAllCores: readonly Answer[];
  /** All cores; each image is on the disk, and Fovea's has its row. */
  readonly stored: readonly Answer[];
  readonly derive: readonly Answer[];
  readonly limit: readonly Answer[];
}

/** Issue: at least as many images per second and core as OpenCV. */
const ratioMin = 1;
/** Issue: so many copies of 640 x 640 per second and core, after one decoding, at the least. */
const copiesPerSecondMin = 80;
/** Issue: the same on all cores, through the platform, with files on the disk. */
const storedRatioMin = 0.9;
/** Issue: memory counts as flat when any number of images takes at most this much of it. */
const peakRatioMax = 1.1;

export function formatMeasured(all: readonly Measured[]): string {
  const header = [
    'Images per second',
    'job, per core (CPU)',
    'job, one process',
    'job, all cores',
    'stored, all cores',
    'stored, per core (CPU)',
    'copies, per core',
    'decode + encode, per core',
    'KB per image',
  ];
  return formatTable([header, ...all.map(formatRow)]);
}

/** Plain sentences: the ratios, then what falls short. */
export function judge(all: readonly Measured[]): { said: string[]; short: string[] } {
  const ours = all.find(({ contender }) => contender.role === 'ours');
  if (!ours) throw new Error('There is nothing to compare.');
  const said: string[] = [];
  const short: string[] = [];
  for (const peer of all) {
    const { contender, job, derive, limit } = peer;
    if (contender.role === 'ours') continue;
    const ratios = {
      job: median(ours.job.map(perCore)) / median(job.map(perCore)),
      copies: median(ours.derive.map(perCore)) / median(derive.map(perCore)),
      limit: median(ours.limit.map(perCore)) / median(limit.map(perCore)),
    };
    const [jobs, copies, limits] = Object.values(ratios).map((ratio) => ratio.toFixed(2));
    said.push(
      `Per core beside ${contender.name}: ${jobs} x the images of the job, ${copies} x the ` +
        `copies, ${limits} x decode + encode.`,
    );
    if (contender.role === 'peer' && ratios.job < ratioMin) {
      short.push(`Fovea is too slow: ${jobs} x ${contender.name}, at least ${ratioMin}.`);
    }
    const stored = judgeStored(ours, peer);
    said.push(...stored.said);
    short.push(...stored.short);
  }
  const copies = median(ours.derive.map(perCore));
  if (copies < copiesPerSecondMin) {
    short.push(`Too few copies: ${copies.toFixed(0)} per core, at least ${copiesPerSecondMin}.`);
  }
  const share = median(ours.job.map(perCore)) / median(ours.limit.map(perCore));
  said.push(`The job runs at ${share.toFixed(2)} x the rate of Fovea's own decode + encode.`);
  return { said, short };
}

/** Round by round: what the machine did in one hit both alike. */
function judgeStored(ours: Measured, peer: Measured): { said: string[]; short: string[] } {
  const ratiosOf = (rate: (answer: Answer) => number) =>
    ours.stored.map((own, round) => rate(own) / rate(peer.stored[round] ?? own));
  const ratios = ratiosOf(perSecond);
  const perCores = formatRange(ratiosOf(perCore), 2);
  const { name, role } = peer.contender;
  const said =
    `Stored, rows and files, on all cores beside files of ${name}: ${formatRange(ratios, 2)} x ` +
    `the images (limit ${storedRatioMin} beside the same files), ${perCores} x per core.`;
  if (role !== 'peer' || median(ratios) >= storedRatioMin) return { said: [said], short: [] };
  const ratio = median(ratios).toFixed(2);
  return {
    said: [said],
    short: [`Stored too slowly: ${ratio} x ${name}, at least ${storedRatioMin}.`],
  };
}

/** The same for the memory of a generation through the platform, fewest images first. */
export function judgePeaks(peaks: readonly Peak[]): { said: string[]; short: string[] } {
  const said = peaks.map(({ images, peakBytes, halfwayBytes, startBytes, wallMs }) => {
    const rate = ((images / wallMs) * 1000).toFixed(0);
    const [peak, halfway, start] = [peakBytes, halfwayBytes, startBytes].map((bytes) =>
      (bytes / 1024 / 1024).toFixed(0),
    );
    return (
      `${images} images through the platform: peak RSS ${peak} MB (${halfway} MB halfway, ${start} ` +
      `MB before), ${rate} images per second on all cores, on disk.`
    );
  });
  const [first, last] = [peaks[0], peaks.at(-1)];
  if (!first || !last) return { said, short: [] };
  const ratio = last.peakBytes / first.peakBytes;
  const words = `${ratio.toFixed(2)} x the peak for ${last.images / first.images} x the images`;
  const isFlat = ratio <= peakRatioMax;
  return {
    said: [...said, `Memory: ${words}.`],
    short: isFlat ? [] : [`Memory is not flat: ${words}, at most ${peakRatioMax} x.`],
  };
}

function formatRow({ contender, job, jobOnAllCores, stored, derive, limit }: Measured): string[] {
  const kilobytes = job.map(({ bytes, images }) => bytes / images / 1000);
  return [
    contender.name,
    formatRange(job.map(perCore)),
    formatRange(job.map(perSecond)),
    formatRange(jobOnAllCores.map(perSecond)),
    formatRange(stored.map(perSecond)),
    formatRange(stored.map(perCore)),
    formatRange(derive.map(perCore)),
    formatRange(limit.map(perCore)),
    median(kilobytes).toFixed(0),
  ];
}

/** Images per second of processor time. */
function perCore({ images, cpuMs }: Answer): number {
  return (images / cpuMs) * 1000;
}

function perSecond({ images, wallMs }: Answer): number {
  return (images / wallMs) * 1000;
}
