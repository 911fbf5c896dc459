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
  return { shown, page: pageAt({ total: rows.length, shown: shown.length, offset }) };
}

interface PagePlace extends Pick<Page, 'total' | 'rows' | 'shown'> {
  readonly total: number;
  readonly offset: number;
}

/** Where a page stands among all rows, and where the following one begins. */
export function pageAt({ offset, ...figures }: PagePlace): Page {
  const end = offset + figures.shown;
  const truncated = end < figures.total;
  return { ...figures, truncated, ...(truncated && { next: { offset: end } }) };
}
