// The end states of the day by the Python client and of the day by MCP tools, row by row.

import { type Accepted, acceptedDifferences } from './accepted-differences.ts';
import type { EndState } from './end-state.ts';

export interface ComparedRow {
  readonly name: string;
  readonly client: string | undefined;
  readonly tools: string | undefined;
  readonly isSame: boolean;
  /** Why the two may differ; undefined for a fault. */
  readonly reason: string | undefined;
}

export interface Comparison {
  readonly rows: readonly ComparedRow[];
  /** Rows that differ without a reason. */
  readonly faults: readonly ComparedRow[];
  /** Reasons that no row needs any more. */
  readonly stale: readonly Accepted[];
}

export function compareStates(client: EndState, tools: EndState): Comparison {
  const names = [...new Set([...client.keys(), ...tools.keys()])].sort();
  const rows = names.map((name) => compareRow(name, client.get(name), tools.get(name)));
  const differing = rows.filter(({ isSame }) => !isSame);
  return {
    rows,
    faults: differing.filter(({ reason }) => reason === undefined),
    stale: acceptedDifferences.filter(
      ({ rows: of }) => !differing.some(({ name }) => of.test(name)),
    ),
  };
}

function compareRow(
  name: string,
  client: string | undefined,
  tools: string | undefined,
): ComparedRow {
  const isSame = client === tools;
  const accepted = acceptedDifferences.find(({ rows }) => rows.test(name));
  return { name, client, tools, isSame, reason: isSame ? undefined : accepted?.reason };
}

/** A line for each row. */
export function describeRow({ name, client, tools, isSame, reason }: ComparedRow): string {
  const why = reason === undefined ? '' : ` (${reason})`;
  if (isSame) return `same     ${name}`;
  if (tools === undefined) return `only by the client  ${name}: ${short(client)}${why}`;
  if (client === undefined) return `only by tools       ${name}: ${short(tools)}${why}`;
  return `differs  ${name}: ${differing(client, tools)}${why}`;
}

/** Both, from shortly before the first character in which they differ. */
function differing(client: string, tools: string): string {
  let at = 0;
  while (client[at] === tools[at] && at < client.length) at += 1;
  const from = Math.max(0, at - 40);
  return `${short(client.slice(from))} / ${short(tools.slice(from))}`;
}

function short(text = ''): string {
  const line = text.replaceAll('\n', ' ');
  return line.length > 120 ? `${line.slice(0, 120)}…` : line;
}

/** The figures of a comparison in one line. */
export function summarize({ rows, faults, stale }: Comparison): string {
  const same = rows.filter(({ isSame }) => isSame).length;
  const explained = rows.length - same - faults.length;
  return (
    `${rows.length} rows: ${same} same, ${explained} differ for a reason, ` +
    `${faults.length} differ without one, ${stale.length} reasons without a row.`
  );
}
