// Handler of classes_change: classes are renamed, merged and removed in all images of a project.

import { type ClassChange, classTargets } from '../../annotations/class-change.ts';
import type { Input } from '../../contract/operation.ts';
import type { projectExtensions } from '../../contract/projects.ts';
import { FoveaError, invalidArgument, invalidInput, notFound, type Problem } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { quotedName } from '../../quoted-name.ts';
import { suggestSpellingOfFew } from '../../spelling-suggestion.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import { newId } from '../ids-and-slugs.ts';
import { countsOf } from '../projects.ts';
import type { AffectedLabels, KnownClassChange } from '../store/class-changes.ts';
import type { Project } from '../store/projects.ts';
import { describeTaskStart } from '../tasks.ts';

type ChangeInput = Input<typeof projectExtensions.classes_change>;

export function classChangeHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof projectExtensions, 'classes_change' | 'classes_renamed'>, Principal> {
  const { store, tasks, clock } = dependencies;
  return {
    classes_renamed: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      if (input.since === undefined) {
        return {
          class_state: await store.classChanges.state(project.id),
          renamed: {},
          removed: [],
        };
      }
      const { state, targets } = await store.classChanges.since(project.id, input.since);
      const all = [...targets];
      const renamed = all.flatMap(([name, to]) => (to === undefined ? [] : [[name, to] as const]));
      const removed = all.flatMap(([name, to]) => (to === undefined ? [name] : []));
      return { class_state: state, renamed: Object.fromEntries(renamed), removed };
    },
    classes_change: async (input, { principal, origin }) => {
      const project = await findProject(dependencies, principal, input.project);
      const { workspace } = principal;
      if (input.undo !== undefined) {
        const taskId = await startUndo(dependencies, project, { ...input, undo: input.undo });
        return { changeId: input.undo, ...describeTaskStart(origin, workspace, taskId) };
      }
      const change = { rename: input.rename ?? {}, remove: input.remove ?? [] };
      const { classes } = await countsOf(dependencies, project);
      checkChange(change, new Set(Object.keys(classes)));
      const affected = await store.classChanges.affected(workspace.id, project.id, change);
      const names = [...classTargets(change).keys()];
      const keptApart = await store.independentLabels.countWithClasses(project.id, names);
      const described = {
        ...describe(affected, change, new Set(Object.keys(classes))),
        ...(keptApart > 0 && { keptApart }),
      };
      if (input.dry_run) return described;
      const id = newId();
      await store.classChanges.start({
        id,
        workspaceId: workspace.id,
        projectId: project.id,
        change,
        images: affected.images,
        created: clock.now(),
      });
      tasks.wake();
      return { changeId: id, ...described, ...describeTaskStart(origin, workspace, id) };
    },
  };
}

/** The id of its task. */
async function startUndo(
  { store, tasks }: PlatformDependencies,
  project: Project,
  { undo, ...rest }: ChangeInput & { readonly undo: string },
): Promise<string> {
  for (const name of ['rename', 'remove', 'dry_run'] as const) {
    if (rest[name] !== undefined) throw invalidArgument(name, 'does not go with undo');
  }
  const change = await store.classChanges.find(project.id, undo);
  if (change === undefined) {
    throw notFound('class change', undo, 'One can be taken back for 30 days, by its changeId.');
  }
  const { workspaceId } = project;
  await refuseOpen(tasks, workspaceId, change);
  const taskId = newId();
  const { undoTaskId } = change;
  if (!(await store.classChanges.startUndo(change, { taskId, workspaceId, undoTaskId }))) {
    throw new FoveaError('conflict', 'Another call takes this change back already.');
  }
  tasks.wake();
  return taskId;
}

async function refuseOpen(
  tasks: PlatformDependencies['tasks'],
  workspaceId: string,
  { id, undoTaskId, changed, gone }: KnownClassChange,
): Promise<void> {
  const isOpen = (status: string | undefined) => status === 'created' || status === 'running';
  if (isOpen((await tasks.find(workspaceId, id))?.status)) {
    throw new FoveaError('conflict', 'This change is still being made.', {
      hint: `tasks_wait with taskId ${id} waits for it.`,
    });
  }
  if (undoTaskId === undefined) return;
  const undo = await tasks.find(workspaceId, undoTaskId);
  // One that failed, such as in the trash, may be tried again; one that left images alone, too.
  if (undo?.status === 'failed') return;
  if (!isOpen(undo?.status) && changed + gone > 0) return;
  throw new FoveaError(
    'conflict',
    isOpen(undo?.status)
      ? 'This change is being taken back already.'
      : 'This change was taken back already.',
    { hint: `tasks_get with taskId ${undoTaskId} says what became of it.` },
  );
}

/** Throws `invalid_input` that names each wrong class. */
function checkChange({ rename, remove }: ClassChange, known: ReadonlySet<string>): void {
  const renamed = Object.entries(rename);
  if (renamed.length === 0 && remove.length === 0) {
    throw invalidArgument('rename', 'is needed, or remove, or undo', 'rename takes {old: new}.');
  }
  const nearestTo = suggestSpellingOfFew([...known]);
  const unknown = (path: string, name: string, to?: string): readonly Problem[] => {
    if (known.has(name)) return [];
    const said = `no image has the class ${quotedName(name)}`;
    const meant = nearestTo(name);
    if (meant === undefined) return [{ path, message: said }];
    if (meant === to) return [{ path, message: `${said}; ${quotedName(to)} is there already` }];
    // The name to correct is the member, not the value, of rename.
    const start = to === undefined ? '' : 'is not known: ';
    return [{ path, message: `${start}${said}; did you mean ${quotedName(meant)}?` }];
  };
  const problems = [
    ...renamed.flatMap(([name, to]) => {
      const path = `rename.${name}`;
      return name === to ? [{ path, message: 'is the name it has' }] : unknown(path, name, to);
    }),
    ...remove.flatMap((name, place) => {
      const path = `remove[${place}]`;
      return Object.hasOwn(rename, name)
        ? [{ path, message: `${quotedName(name)} is in rename too` }]
        : unknown(path, name);
    }),
  ];
  if (problems.length > 0) throw invalidInput(problems.slice(0, limits.problemsShownMax));
}

function describe(
  { classes, images, emptied }: AffectedLabels,
  change: ClassChange,
  known: ReadonlySet<string>,
) {
  const targets = classTargets(change);
  const given = [...targets.values()].filter((to) => to !== undefined);
  /** Whether another class has that name afterwards. */
  const merges = (to: string) =>
    (known.has(to) && !targets.has(to)) || given.filter((other) => other === to).length > 1;
  return {
    classes: classes.map(({ label, labels, images: imagesWith }) => {
      const to = targets.get(label);
      return {
        class: label,
        ...(to !== undefined && { to, merges: merges(to) }),
        labels,
        images: imagesWith,
      };
    }),
    labels: classes.reduce((sum, { labels }) => sum + labels, 0),
    images,
    emptied,
  };
}
