// One page of a list that the platform gives as a whole.

import * as z from 'zod';
import { limits } from '../src/limits.ts';
import type { Page } from '../src/mcp/tool.ts';

/** The arguments of a list that is cut into pages here. */
export const pageShape = {
  limit: z.int().min(1).max(limits.listPageMax).optional().describe('Rows; default 20.'),
  offset: z.int().min(0).optional().describe('Rows to skip; default 0.'),
};

interface PageInput {
  readonly limit?: number | undefined;
  readonly offset?: number | undefined;
}

/** The rows that were asked for, and where the following ones begin. */
export function pageOf<Row>(
  rows: readonly Row[],
  { limit = 20, offset = 0 }: PageInput,
): { readonly shown: readonly Row[]; readonly page: Page } {
  const shown = rows.slice(offset, offset + limit);
  const end = offset + shown.length;
  const truncated = end < rows.length;
  const next = truncated && { next: { offset: end } };
  return { shown, page: { total: rows.length, shown: shown.length, truncated, ...next } };
}
