// In which order a job shows its images: by name, or as they were given, such as the worst first.

import type { Migration } from '../../storage/migrations.ts';
import type { NewChosenJob } from '../store/annotation-jobs.ts';

export const jobPositionColumns: Migration = {
  name: 'job_positions',
  sql: `
ALTER TABLE annotation_job_images ADD COLUMN position INTEGER;
ALTER TABLE independent_labels ADD COLUMN position INTEGER;
`,
};

/** Of an image in a list that `json_each` reads. */
export function positionIn({ isOrdered = false }: Pick<NewChosenJob, 'isOrdered'>): string {
  return isOrdered ? 'key' : 'CAST(NULL AS INTEGER)';
}

/** Images without a position, which may have come into the job later, are last, by name. */
export const byPosition = `ORDER BY coalesce(position, ${2 ** 31 - 1}), images.name, image_id`;
