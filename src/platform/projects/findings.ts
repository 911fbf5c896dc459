// Handler of projects_findings: the images behind one figure of the health of a project.

import type { projectExtensions } from '../../contract/projects.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { findProject, onlyProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { drawClusters } from '../previews/draw-clusters.ts';
import { drawFindings } from '../previews/draw-findings.ts';
import { countsOf } from '../projects.ts';
import type { FindingsPage } from '../store/projects.ts';
import { describeGroup, describeRefused } from './describe-health.ts';

const rowsDefault = 20;

/** Those that decoding the images tells. */
const ofLooks: ReadonlySet<string> = new Set([
  'near-duplicates',
  'leaks',
  'conflicting-labels',
  'unreadable-images',
  'outliers',
  'clusters',
]);

export function findingHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof projectExtensions, 'projects_findings'>, Principal> {
  return {
    projects_findings: async (input, { principal, signal, onShare }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { finding, limit = rowsDefault, offset = 0, picture = false } = input;
      const wanted = { finding, limit, offset };
      if (ofLooks.has(finding)) {
        await dependencies.descriptors.areComplete(onlyProject(project), signal);
      }
      const page = await dependencies.store.projects.findings(
        project.workspaceId,
        project.id,
        wanted,
        { signal, onShare },
      );
      const title = finding.replaceAll('-', ' ');
      const drawn = !picture
        ? undefined
        : page.kind === 'clusters'
          ? await drawClusters(dependencies, project, page, signal)
          : await drawFindings(dependencies, project, { title, page }, signal);
      const { total, isComplete: complete, by, compared, sharpness } = page;
      // Who mends leaks keeps the shares of now, unless others are wanted.
      const counts = finding === 'leaks' ? await countsOf(dependencies, project) : undefined;
      return {
        total,
        complete,
        ...(by !== undefined && { by }),
        ...(compared !== undefined && { compared }),
        ...(sharpness && { sharpness: { ...sharpness } }),
        ...(counts && { splits: counts.splits }),
        ...describe(page),
        ...drawn,
      };
    },
  };
}

function describe(page: FindingsPage) {
  switch (page.kind) {
    case 'clusters':
    case 'groups': {
      return { groups: page.groups.map(describeGroup) };
    }
    case 'images':
      return { images: page.images.map((image) => ({ ...image })) };
    case 'files':
      return { files: page.files.map(describeRefused) };
  }
}
