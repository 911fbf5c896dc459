// Handler of projects_fork: copies a project of the catalog or of the own workspace.

import type { projects } from '../../contract/projects.ts';
import { invalidArgument, notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { requireWholeWorkspace } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import type { ForkSource } from '../store/forks.ts';
import { describeTaskStart } from '../tasks.ts';

export function catalogForkHandlers({
  store,
  clock,
  tasks,
}: PlatformDependencies): Handlers<Pick<typeof projects, 'projects_fork'>, Principal> {
  return {
    projects_fork: async (input, { principal, origin }) => {
      requireWholeWorkspace(principal, 'Forking a project');
      const { workspace } = principal;
      const wanted =
        input.url === undefined
          ? readSource(input.source_project ?? '')
          : readUrl(input.url, origin);
      const sources = await store.forks.sources(workspace.id, wanted.slug);
      const { project } = chooseSource(sources, wanted, workspace.slug);
      const taskId = newId();
      const fork = await store.forks.start({
        taskId,
        workspaceId: workspace.id,
        projectId: newId(),
        sourceId: project.id,
        origin,
        workspaceSlug: workspace.slug,
        created: clock.now(),
      });
      if (fork === undefined) throw noSource(wanted);
      tasks.wake();
      return describeTaskStart(origin, workspace, taskId);
    },
  };
}

interface Wanted {
  /** Undefined: the own one first. */
  readonly workspace: string | undefined;
  readonly slug: string;
}

function readSource(text: string): Wanted {
  const parts = text.split('/');
  const [first = '', second] = parts;
  if (parts.length > 2 || parts.includes('')) {
    throw invalidArgument(
      'source_project',
      'is no slug of a project',
      'Give PROJECT or WORKSPACE/PROJECT.',
    );
  }
  return second === undefined
    ? { workspace: undefined, slug: first }
    : { workspace: first, slug: second };
}

/** Projects of other platforms cannot be copied: nothing is fetched here. */
function readUrl(text: string, origin: string): Wanted {
  const url = URL.parse(text);
  const hint = `Give ${origin}/WORKSPACE/PROJECT: catalog_search has the URLs.`;
  if (url === null) throw invalidArgument('url', 'is no URL', hint);
  if (url.origin !== origin) {
    throw invalidArgument('url', `is not an address of this platform, ${origin}`, hint);
  }
  const [workspace, slug, ...more] = url.pathname.split('/').filter((part) => part !== '');
  if (workspace === undefined || slug === undefined || more.length > 0) {
    throw invalidArgument('url', 'is not the address of a project', hint);
  }
  return { workspace, slug };
}

function chooseSource(sources: readonly ForkSource[], wanted: Wanted, own: string): ForkSource {
  const named = sources.filter(({ workspaceSlug }) => {
    return wanted.workspace === undefined || workspaceSlug === wanted.workspace;
  });
  const source = named.find(({ workspaceSlug }) => workspaceSlug === own) ?? named[0];
  if (source === undefined) throw noSource(wanted);
  if (named.length > 1 && source.workspaceSlug !== own) {
    const names = named.slice(0, 10).map(({ workspaceSlug }) => `${workspaceSlug}/${wanted.slug}`);
    throw invalidArgument(
      'source_project',
      `several workspaces have a public project "${wanted.slug}"`,
      `Give one of: ${names.join(', ')}.`,
    );
  }
  return source;
}

/** Does not reveal private projects of other workspaces. */
function noSource({ workspace, slug }: Wanted) {
  const name = workspace === undefined ? slug : `${workspace}/${slug}`;
  return notFound('public project', name, 'catalog_search finds public projects.');
}
