// Medians and ranges of all runs as a table, and whether Fovea is as small and quick as it must be.

import { countTokens } from 'gpt-tokenizer/encoding/cl100k_base';
import { formatRange, formatTable, median } from '../measure/table.ts';
import type { Server } from './servers.ts';
import type { Run } from './session.ts';

export interface Measured {
  readonly server: Server;
  /** The warm-up: the first start on this machine, with no compile cache yet. */
  readonly first: Run;
  readonly runs: readonly Run[];
}

/** From a cold start to all tools, against the fastest peer. */
const timeRatioMax = 0.6;

export function formatMeasured(all: readonly Measured[]): string {
  const header = [
    'Server',
    'initialize ms',
    'tools/list ms',
    'first start ms',
    'CPU ms',
    'peak RSS MB',
    'tools',
    'bytes',
    'tokens',
  ];
  return formatTable([header, ...all.map(formatRow)]);
}

/** Plain sentences: the ratios, then what falls short. */
export function judge(all: readonly Measured[]): { said: string[]; short: string[] } {
  const ours = all.find(({ server }) => server.role === 'ours');
  const peers = all.filter(({ server }) => server.role === 'peer');
  const [fastest] = [...peers].sort((a, b) => listMs(a) - listMs(b));
  if (!ours || !fastest) throw new Error('There is nothing to compare.');

  const said: string[] = [];
  const short: string[] = [];
  const time = listMs(ours) / listMs(fastest);
  said.push(`Time to all tools: ${time.toFixed(2)} x the fastest peer (${fastest.server.name}).`);
  if (time > timeRatioMax) {
    short.push(
      `Fovea is too slow: ${time.toFixed(2)} x the fastest peer, at most ${timeRatioMax}.`,
    );
  }
  for (const peer of peers) {
    const memory = peakBytes(ours) / peakBytes(peer);
    said.push(`Peak memory: ${memory.toFixed(2)} x ${peer.server.name}.`);
    if (memory >= 1) short.push(`Fovea is too large: it needs no less than ${peer.server.name}.`);
  }
  return { said, short };
}

function formatRow({ server, first, runs }: Measured): string[] {
  const json = JSON.stringify({ tools: first.tools });
  return [
    server.name,
    formatRange(runs.map(({ initializeMs }) => initializeMs)),
    formatRange(runs.map(({ listMs }) => listMs)),
    first.listMs.toFixed(0),
    formatRange(runs.map(({ cpuMs }) => cpuMs)),
    formatRange(runs.map(({ peakBytes }) => peakBytes / 1024 / 1024)),
    String(first.tools.length),
    String(Buffer.byteLength(json)),
    String(countTokens(json)),
  ];
}

function listMs({ runs }: Measured): number {
  return median(runs.map(({ listMs }) => listMs));
}

function peakBytes({ runs }: Measured): number {
  return median(runs.map(({ peakBytes }) => peakBytes));
}
