// A page of the images, groups or files behind one figure of the health of a project.

import type { Reader } from '../../storage/database.ts';
import type { FindingsPage, OddKind, WantedFindings } from '../store/projects.ts';
import { findNearDuplicates } from './near-duplicates.ts';
import { listOddImages } from './odd-boxes.ts';
import { listRefused } from './refused-files.ts';
import { listUnreadable } from './search-index/undescribed-images.ts';

export function listFindings(
  database: Reader,
  projectId: string,
  { finding, ...page }: WantedFindings,
): FindingsPage {
  switch (finding) {
    case 'near-duplicates':
    case 'leaks':
      return pageOfGroups(database, projectId, finding === 'leaks', page);
    case 'refused-files': {
      const files = listRefused(database, projectId);
      return { kind: 'files', files: cut(files, page), total: files.length, isComplete: true };
    }
    case 'unreadable-images': {
      const { images, total } = listUnreadable(database, projectId, page);
      const rows = images.map((image) => ({ ...image, boxes: [], total: 0 }));
      return { kind: 'images', images: rows, total, isComplete: true };
    }
    default:
      return { kind: 'images', ...listOddImages(database, projectId, oddKinds[finding], page) };
  }
}

type Page = Pick<WantedFindings, 'limit' | 'offset'>;

const oddKinds = {
  'boxes-without-area': 'withoutArea',
  'tiny-boxes': 'tiny',
  'boxes-over-edge': 'overEdge',
  'boxes-at-edge': 'atEdge',
  'duplicate-boxes': 'duplicate',
} as const satisfies Partial<Record<WantedFindings['finding'], OddKind>>;

function pageOfGroups(
  database: Reader,
  projectId: string,
  leaksAlone: boolean,
  page: Page,
): FindingsPage {
  const { leaks, groups: all, isComplete } = findNearDuplicates(database, projectId);
  const groups = leaksAlone ? leaks : all;
  return { kind: 'groups', groups: cut(groups, page), total: groups.length, isComplete };
}

function cut<Row>(rows: readonly Row[], { limit, offset }: Page): readonly Row[] {
  return rows.slice(offset, offset + limit);
}
