// A page of the images, groups or files behind one figure of the health of a project.

import { limits } from '../../limits.ts';
import type { AsyncReader } from '../../storage/async-database.ts';
import type { FindingsPage, OddKind, WantedFindings } from '../store/projects.ts';
import { findConflicts } from './conflicting-labels.ts';
import { listClusters, listOutliers } from './image-map.ts';
import { type ComparableImages, groupImages, showGroups } from './near-duplicates.ts';
import { listOddImages } from './odd-boxes.ts';
import { listRefused } from './refused-files.ts';
import { listUnreadable } from './search-index/undescribed-images.ts';

export async function listFindings(
  database: AsyncReader,
  index: ComparableImages,
  projectId: string,
  { finding, ...page }: WantedFindings,
): Promise<FindingsPage> {
  switch (finding) {
    case 'near-duplicates':
    case 'leaks':
    case 'conflicting-labels':
      return pageOfGroups(database, index, projectId, finding, page);
    case 'outliers':
      return listOutliers(database, index, projectId, page);
    case 'clusters':
      return listClusters(database, index, projectId, page);
    case 'refused-files': {
      const files = await listRefused(database, projectId);
      return { kind: 'files', files: cut(files, page), total: files.length, isComplete: true };
    }
    case 'unreadable-images': {
      const { images, total } = await listUnreadable(database, projectId, page);
      const rows = images.map((image) => ({ ...image, boxes: [], total: 0 }));
      return { kind: 'images', images: rows, total, isComplete: true };
    }
    default:
      return {
        kind: 'images',
        ...(await listOddImages(database, projectId, oddKinds[finding], page)),
      };
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

async function pageOfGroups(
  database: AsyncReader,
  index: ComparableImages,
  projectId: string,
  finding: 'near-duplicates' | 'leaks' | 'conflicting-labels',
  page: Page,
): Promise<FindingsPage> {
  const found = await groupImages(database, index, projectId);
  const { isComplete, compared } = found;
  const groups =
    finding === 'conflicting-labels'
      ? await findConflicts(database, found.copies)
      : finding === 'leaks'
        ? found.leaks
        : found.groups;
  const shown = await showGroups(database, cut(groups, page), limits.findingMembersShownMax);
  return { kind: 'groups', groups: shown, total: groups.length, isComplete, compared };
}

function cut<Row>(rows: readonly Row[], { limit, offset }: Page): readonly Row[] {
  return rows.slice(offset, offset + limit);
}
