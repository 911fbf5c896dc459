// versions_diff: what changed from one version to another.

import type { Answer } from '../../src/contract/operation.ts';
import { versionExtensions } from '../../src/contract/versions.ts';
import { fromOperation } from '../../src/mcp/operation-tool.ts';
import { count } from '../format.ts';
import { pageAt } from '../list-page.ts';

type Diff = Answer<typeof versionExtensions.versions_diff>;

export const versionsDiff = {
  ...fromOperation(versionExtensions.versions_diff, {
    title: 'Compare two versions',
    description:
      'Says what changed from one version to another: settings, and source images that were added, removed, moved to another split or labelled anew.',
    summarize: (diff) => {
      const { settings, unchanged } = diff;
      const changes = kinds.map((kind) => `${diff[kind].count} ${kind}`);
      const images = `${changes.join(', ')}, ${unchanged} as before`;
      return `From version ${diff.from.version} to ${diff.to.version}: ${count(settings.length, 'setting')} changed; source images: ${images}.${unfinished(diff)}`;
    },
    next: ({ from, to }, { workspace, project }) =>
      [from, to]
        .filter(({ state }) => state === 'generating')
        .map(({ version }) => ({
          tool: 'tasks_wait',
          arguments: { workspace, project, version },
          why: 'Waits until it is made; then compare again.',
        })),
    page: (diff, { limit = 20, offset = 0 }) => {
      const total = Math.max(...kinds.map((kind) => diff[kind].count));
      const shown = Math.max(0, Math.min(limit, total - offset));
      return pageAt({ total, rows: 'images of the longest list', shown, offset });
    },
  }),
  embeddedOnly: true,
} as const;

const kinds = [
  'added',
  'removed',
  'moved',
  'relabelled',
] as const satisfies readonly (keyof Diff)[];

/** The source images of a version are all there from its beginning. */
function unfinished({ from, to }: Diff): string {
  const words = {
    generating: 'is still being made: its own images and counts are not there yet',
    failed: 'has failed, and has no images of its own',
  } as const;
  return [from, to]
    .flatMap(({ version, state }) => (state ? ` Version ${version} ${words[state]}.` : []))
    .join('');
}
