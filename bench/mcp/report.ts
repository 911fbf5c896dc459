// Medians and ranges of all runs as a table, and where Fovea stands in each column.

import * as z from 'zod';
import { modelTokens } from '../../scripts/generate/model-tokens.ts';
import list from '../../tools/list.json' with { type: 'json' };
import { formatRange, formatTable, median } from '../measure/text-table.ts';
import type { Server } from './servers.ts';
import type { Run } from './session.ts';

export interface Measured {
  readonly server: Server;
  /** The warm-up: the first start on this machine, with no compile cache yet. */
  readonly first: Run;
  readonly runs: readonly Run[];
  /** Milliseconds of each trivial call, by round; empty where the server has no trivial call. */
  readonly calls: readonly (readonly number[])[];
}

interface Figures {
  readonly server: Server;
  readonly listMs: number;
  readonly peakBytes: number;
  readonly tools: number;
  readonly tokens: number;
  readonly perOperation: number;
  /** Whether every tool says that it reads, or that it does not. */
  readonly apart: boolean;
  readonly callMs: readonly [p50: number, p99: number] | undefined;
}

/** From a cold start to all tools, against the fastest peer: said, and not judged. */
const timeRatioAim = 0.45;

/** A row of figures that stands for Fovea in a column, and the value there; less is better. */
interface Column {
  readonly name: string;
  readonly role: 'ours' | 'compact';
  readonly rankMax: number;
  readonly value: (figures: Figures) => number | undefined;
  readonly among?: (figures: Figures) => boolean;
}

/** The default profile is what a host gets without settings; `compact` is for few tokens. */
const columns: readonly Column[] = [
  { name: 'start to tools/list', role: 'ours', rankMax: 2, value: ({ listMs }) => listMs },
  {
    name: 'memory of the process tree',
    role: 'ours',
    rankMax: 2,
    value: ({ peakBytes }) => peakBytes,
  },
  { name: 'tokens of the list', role: 'compact', rankMax: 2, value: ({ tokens }) => tokens },
  {
    name: 'tokens per reachable operation, reads and writes apart',
    role: 'compact',
    rankMax: 1,
    value: ({ perOperation }) => perOperation,
    among: ({ apart }) => apart,
  },
  // Half of it is the native image library (decisions/bench-mcp.md).
  { name: 'install size', role: 'ours', rankMax: 4, value: ({ server }) => server.installBytes },
  { name: 'trivial call, p50', role: 'compact', rankMax: 2, value: ({ callMs }) => callMs?.[0] },
  { name: 'trivial call, p99', role: 'compact', rankMax: 2, value: ({ callMs }) => callMs?.[1] },
];

export function formatMeasured(all: readonly Measured[]): string {
  const header = [
    'Server',
    'start to tools/list ms',
    'first start ms',
    'CPU ms',
    'peak RSS MB',
    'tools',
    'tokens',
    'tokens/operation',
    'apart',
    'install MB',
    'trivial call p50/p99 ms',
  ];
  const figures = figuresOf(all);
  return formatTable([header, ...all.map((measured, row) => formatRow(measured, figures[row]))]);
}

/** Plain sentences: where Fovea stands, then what falls short. */
export function judge(all: readonly Measured[]): { said: string[]; short: string[] } {
  const figures = figuresOf(all);
  const said: string[] = [];
  const short: string[] = [];
  for (const column of columns) {
    const rank = rankIn(column, figures);
    if (rank === undefined) continue;
    const { name, rankMax } = column;
    said.push(`${name}: place ${rank.place} of ${rank.of}; best peer: ${rank.best}.`);
    if (rank.place > rankMax) short.push(`SHORT: ${name}: place ${rank.place}, not ${rankMax}.`);
  }
  const ratio = timeRatio(figures);
  const aim = ratio > timeRatioAim ? 'missed' : 'met';
  said.push(`Start: ${ratio.toFixed(2)} x the fastest peer; the aim of ${timeRatioAim} is ${aim}.`);
  said.push(...figures.flatMap(({ server }) => trivialNote(server)));
  return { said, short };
}

function rankIn({ role, value, among = () => true }: Column, figures: readonly Figures[]) {
  const ours = figures.find(({ server }) => server.role === role);
  const own = ours && value(ours);
  if (own === undefined) return undefined;
  const peers = figures
    .filter((other) => other.server.role === 'peer' && among(other))
    .flatMap((other) => ({
      name: other.server.name,
      value: value(other) ?? Number.POSITIVE_INFINITY,
    }))
    .filter((other) => Number.isFinite(other.value))
    .toSorted((a, b) => a.value - b.value);
  const better = peers.filter((other) => other.value < own).length;
  return { place: better + 1, of: peers.length + 1, best: peers[0]?.name ?? 'none' };
}

function timeRatio(figures: readonly Figures[]): number {
  const ours = figures.find(({ server }) => server.role === 'ours')?.listMs ?? Number.NaN;
  const peers = figures.filter(({ server }) => server.role === 'peer');
  return ours / Math.min(...peers.map(({ listMs }) => listMs));
}

function trivialNote({ name, trivial }: Server): string[] {
  return trivial ? [`Trivial call of ${name}: ${trivial.tool}.`] : [];
}

function formatRow({ server, first, runs }: Measured, figures: Figures | undefined): string[] {
  if (figures === undefined) return [server.name];
  const { tools, tokens, perOperation, apart, callMs } = figures;
  return [
    server.name,
    formatRange(runs.map(({ listMs }) => listMs)),
    first.listMs.toFixed(0),
    formatRange(runs.map(({ cpuMs }) => cpuMs)),
    formatRange(runs.map(({ peakBytes }) => peakBytes / megabyte)),
    String(tools),
    String(tokens),
    perOperation.toFixed(0),
    apart ? 'yes' : 'no',
    server.installBytes === undefined ? '–' : (server.installBytes / megabyte).toFixed(1),
    callMs === undefined ? '–' : callMs.map((ms) => ms.toFixed(2)).join(' / '),
  ];
}

const megabyte = 1024 * 1024;

/** Each profile of Fovea reaches all operations; others reach their tools. */
function figuresOf(all: readonly Measured[]): readonly Figures[] {
  return all.map(({ server, first, runs, calls }) => {
    const tokens = modelTokens(first.tools);
    const isOurs = server.role === 'ours' || server.role === 'compact';
    const operations = isOurs ? list.length : first.tools.length;
    return {
      server,
      listMs: median(runs.map(({ listMs }) => listMs)),
      peakBytes: median(runs.map(({ peakBytes }) => peakBytes)),
      tools: first.tools.length,
      tokens,
      perOperation: tokens / operations,
      apart: first.tools.every((tool) => saysWhetherItReads.safeParse(tool).success),
      callMs: calls.length === 0 ? undefined : [quantile(calls, 0.5), quantile(calls, 0.99)],
    };
  });
}

const saysWhetherItReads = z.object({ annotations: z.object({ readOnlyHint: z.boolean() }) });

/** The nearest rank in each round, and of those the median. */
function quantile(rounds: readonly (readonly number[])[], part: number): number {
  return median(
    rounds.map((round) => {
      const sorted = round.toSorted((a, b) => a - b);
      return sorted[Math.ceil(part * sorted.length) - 1] ?? Number.NaN;
    }),
  );
}
