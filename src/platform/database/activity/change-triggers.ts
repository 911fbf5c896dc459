// Triggers that note each change of a row, so that no statement can forget to. Those of SQLite are
// temporary: they belong to the connection that writes, and readers of the file know nothing of
// them. Those of PostgreSQL are in its schema.

import type { AsyncDatabase } from '../../../storage/async-database.ts';
import { shownValues } from './shown-values.ts';

/** Makes the tables of noted changes, empty, and their triggers on this connection. */
export async function noteChanges(database: AsyncDatabase): Promise<void> {
  await database.run('PRAGMA temp_store = MEMORY');
  const columns = noted.map((name) => `${name} TEXT`).join(', ');
  await database.run(`CREATE TEMP TABLE noted_changes (${columns})`);
  await database.run(
    `CREATE TEMP TABLE noted_things (${columns}, shared TEXT, changes INTEGER, first INTEGER)`,
  );
  for (const [index, rule] of [...rules, ...newerRules].entries())
    await database.run(triggerOf(rule, index));
}

const noted = ['kind', 'verb', 'id', 'name', 'project_id', 'workspace_id', 'before', 'after'];

const serverColumns = noted.map((name) => `${name} text COLLATE "C"`).join(', ');

/**
 * The same tables in PostgreSQL: those who write take turns, so one at a time has them. To empty
 * temporary tables takes the server as long as all else of an added image.
 */
const serverTables = `
CREATE UNLOGGED TABLE noted_changes (
  ${serverColumns}, rowid bigint GENERATED ALWAYS AS IDENTITY
);
CREATE UNLOGGED TABLE noted_things (
  ${serverColumns}, shared text COLLATE "C", changes bigint, first bigint
);`;

interface Rule {
  /** `INSERT ON projects`, with a condition where not every change counts. */
  readonly on: string;
  readonly when?: string;
  readonly kind: string;
  readonly verb: string;
  /** SQL of the members; `project` and `workspace` are ids. */
  readonly id: string;
  readonly name?: string;
  readonly project?: string;
  readonly workspace?: string;
  readonly before?: string;
  readonly after?: string;
}

function triggerOf(rule: Rule, index: number): string {
  const { on, when = 'TRUE' } = rule;
  const [event, table] = on.split(' ON ');
  return `CREATE TEMP TRIGGER note_${index} AFTER ${event} ON main.${table} WHEN ${when} BEGIN
    ${noteOf(rule)} END`;
}

/** They fire in the order of their names. */
function serverTriggerOf(rule: Rule, index: number): string {
  const { on, when = 'TRUE' } = rule;
  const name = `note_${String(index).padStart(2, '0')}`;
  return `
CREATE FUNCTION ${name}() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
  IF ${when} THEN
    ${noteOf(rule)}
  END IF;
  RETURN NULL;
END $$;
CREATE TRIGGER ${name} AFTER ${on} FOR EACH ROW EXECUTE FUNCTION ${name}();`;
}

function noteOf({ kind, verb, id, name, project, workspace, before, after }: Rule): string {
  const values = [id, name, project, workspace, before, after].map((sql) => sql ?? 'NULL');
  return `INSERT INTO noted_changes VALUES ('${kind}', '${verb}', ${values.join(', ')});`;
}

/** What a table has in a trash: into it, out of it, and gone from it for good. */
function trashRules(table: string, kind: string, members: Partial<Rule>): readonly Rule[] {
  const on = `UPDATE OF deleted_at ON ${table}`;
  const common = { on, kind, id: 'NEW.id', ...members };
  return [
    // A version that is being frozen has 0 until all of it is there.
    {
      ...common,
      verb: 'deleted',
      when: 'OLD.deleted_at IS NULL AND NEW.deleted_at > 0',
    },
    { ...common, verb: 'restored', when: 'OLD.deleted_at > 0 AND NEW.deleted_at IS NULL' },
    { ...common, verb: 'purged', when: 'OLD.deleted_at > 0 AND NEW.deleted_at = 0' },
  ];
}

/** Changes of these columns, with their values before and after. */
function changeRule(
  table: string,
  columns: readonly string[],
  rule: Omit<Rule, 'on' | 'verb' | 'before' | 'after'>,
): Rule {
  const differs = columns
    .map((column) => `OLD.${column} IS DISTINCT FROM NEW.${column}`)
    .join(' OR ');
  const when = rule.when === undefined ? `(${differs})` : `(${differs}) AND ${rule.when}`;
  const on = `UPDATE OF ${columns.join(', ')} ON ${table}`;
  const [before, after] = [shownValues(columns, 'OLD'), shownValues(columns, 'NEW')];
  return { ...rule, on, verb: 'changed', when, before, after };
}

const project = { kind: 'project', id: 'NEW.id', name: 'NEW.name', project: 'NEW.id' } as const;

const projectRules: readonly Rule[] = [
  {
    ...project,
    on: 'INSERT ON projects',
    verb: 'added',
    after: shownValues(['type', 'public'], 'NEW'),
  },
  changeRule('projects', ['name', 'license', 'public', 'folder_id'], project),
  ...trashRules('projects', 'project', { name: 'NEW.name', project: 'NEW.id' }),
];

const version = { name: 'NEW.name', id: 'NEW.number', project: 'NEW.project_id' } as const;

const versionRules: readonly Rule[] = [
  {
    ...version,
    on: 'UPDATE OF deleted_at ON versions',
    kind: 'version',
    verb: 'added',
    when: 'OLD.deleted_at = 0 AND NEW.deleted_at IS NULL',
    after: 'NEW.settings',
  },
  {
    ...version,
    on: 'UPDATE OF ready ON versions',
    kind: 'version',
    verb: 'finished',
    when: 'OLD.ready = 0 AND NEW.ready = 1',
    after: "json_object('images', NEW.images, 'splits', json(NEW.splits))",
  },
  ...trashRules('versions', 'version', version),
];

const projectOfVersion = '(SELECT project_id FROM versions WHERE id = NEW.version_id)';

const training = { kind: 'training', id: 'NEW.id', name: 'NEW.model_type' } as const;

const trainingRules: readonly Rule[] = [
  { ...training, on: 'INSERT ON trainings', verb: 'added', project: projectOfVersion },
  changeRule('trainings', ['status'], { ...training, project: projectOfVersion }),
  ...trashRules('trainings', 'training', { ...training, project: projectOfVersion }),
];

const isHere = (row: string, column: string) =>
  `EXISTS (SELECT 1 FROM images WHERE id = ${row}.${column})`;
const projectOfImage = (row: string) =>
  `(SELECT project_id FROM images WHERE id = ${row}.image_id)`;
const nameOfImage = (row: string) => `(SELECT name FROM images WHERE id = ${row}.image_id)`;
const isTrashed = 'EXISTS (SELECT 1 FROM trashed_images WHERE image_id = NEW.id)';
const isProjectLive = '(SELECT deleted_at FROM projects WHERE id = OLD.project_id) IS NULL';
const image = { kind: 'image', id: 'NEW.id', name: 'NEW.name', project: 'NEW.project_id' } as const;

/** Labels are long: of them it is noted that they changed. */
const imageRules: readonly Rule[] = [
  { ...image, on: 'INSERT ON images', verb: 'added', when: `NOT ${isTrashed}` },
  { ...image, on: 'INSERT ON images', verb: 'restored', when: isTrashed },
  {
    kind: 'image',
    on: 'DELETE ON images',
    verb: 'deleted',
    when: isProjectLive,
    id: 'OLD.id',
    name: 'OLD.name',
    project: 'OLD.project_id',
  },
  {
    ...image,
    on: 'UPDATE OF annotation ON images',
    verb: 'annotated',
    when: 'OLD.annotation IS DISTINCT FROM NEW.annotation',
    before: "json_object('objects', OLD.objects)",
    after: "json_object('objects', NEW.objects)",
  },
  changeRule('images', ['split'], image),
  changeRule('images', ['metadata'], image),
  {
    kind: 'image',
    on: 'INSERT ON image_tags',
    verb: 'changed',
    id: 'NEW.image_id',
    name: nameOfImage('NEW'),
    project: projectOfImage('NEW'),
    before: "json_object('tags', json_object(NEW.tag, json('false')))",
    after: "json_object('tags', json_object(NEW.tag, json('true')))",
  },
  {
    kind: 'image',
    on: 'DELETE ON image_tags',
    verb: 'changed',
    when: isHere('OLD', 'image_id'),
    id: 'OLD.image_id',
    name: nameOfImage('OLD'),
    project: projectOfImage('OLD'),
    before: "json_object('tags', json_object(OLD.tag, json('true')))",
    after: "json_object('tags', json_object(OLD.tag, json('false')))",
  },
];

/** In a migration of its own on PostgreSQL: the column is newer than the triggers of the others. */
const refusalRule = changeRule('images', ['refused_predictions'], image);

const projectOfClasses = {
  kind: 'project',
  verb: 'changed',
  id: 'NEW.project_id',
  name: '(SELECT name FROM projects WHERE id = NEW.project_id)',
  project: 'NEW.project_id',
} as const;

/** Newer too. */
const classRules: readonly Rule[] = [
  {
    ...projectOfClasses,
    on: 'INSERT ON class_changes',
    after: "json_object('classes', json(NEW.settings), 'change', NEW.id)",
  },
  {
    ...projectOfClasses,
    on: 'UPDATE OF undo_task_id ON class_changes',
    before: "json_object('classes', json(NEW.settings), 'change', NEW.id)",
    after: "json_object('undone', NEW.id)",
  },
];

/** A decision once more, with the same words, changes nothing. */
function decisionRule(verb: string, state: string): Rule {
  return {
    kind: 'image',
    on: 'UPDATE OF state ON annotation_job_images',
    verb,
    when: `NEW.state = '${state}' AND (OLD.state, OLD.comment) IS DISTINCT FROM (NEW.state, NEW.comment)`,
    id: 'NEW.image_id',
    name: nameOfImage('NEW'),
    project: projectOfImage('NEW'),
    before: "json_object('review', OLD.state)",
    after: "json_object('review', NEW.state, 'job', NEW.job_id, 'comment', NEW.comment)",
  };
}

const reviewRules: readonly Rule[] = [
  decisionRule('approved', 'approved'),
  decisionRule('sent back', 'rejected'),
];

const job = {
  kind: 'annotation_job',
  id: 'NEW.id',
  name: 'NEW.name',
  project: 'NEW.project_id',
} as const;

const projectThingRules: readonly Rule[] = [
  { ...job, on: 'INSERT ON annotation_jobs', verb: 'added' },
  {
    kind: 'deployment',
    on: 'INSERT ON deployments',
    verb: 'added',
    id: 'NEW.project_id',
    project: 'NEW.project_id',
    after: shownValues(['model'], 'NEW'),
  },
  changeRule('deployments', ['model'], {
    kind: 'deployment',
    id: 'NEW.project_id',
    project: 'NEW.project_id',
  }),
  {
    kind: 'active_learning',
    on: 'INSERT ON active_learning',
    verb: 'added',
    id: 'NEW.project_id',
    project: 'NEW.project_id',
    after: shownValues(['enabled'], 'NEW'),
  },
  changeRule('active_learning', ['enabled', 'settings'], {
    kind: 'active_learning',
    id: 'NEW.project_id',
    project: 'NEW.project_id',
  }),
];

const folder = { kind: 'folder', id: 'NEW.id', name: 'NEW.name', workspace: 'NEW.workspace_id' };
const key = { kind: 'api_key', id: 'NEW.id', name: 'NEW.name', workspace: 'NEW.workspace_id' };
const workflow = {
  kind: 'workflow',
  id: 'NEW.id',
  name: 'NEW.name',
  workspace: 'NEW.workspace_id',
};
const useCase = {
  kind: 'use_case',
  id: 'NEW.id',
  name: 'NEW.name',
  workspace: 'NEW.workspace_id',
};

const workspaceRules: readonly Rule[] = [
  { ...folder, on: 'INSERT ON folders', verb: 'added' },
  // A folder loses its name before it goes.
  changeRule('folders', ['name', 'parent_id'], { ...folder, when: "NEW.name <> ''" }),
  {
    ...folder,
    on: 'UPDATE OF name ON folders',
    verb: 'deleted',
    when: "OLD.name <> '' AND NEW.name = ''",
    name: 'OLD.name',
  },
  {
    ...key,
    on: 'INSERT ON api_keys',
    verb: 'added',
    // Never their hashes.
    after: shownValues(['scopes', 'folder_ids', 'protected'], 'NEW'),
  },
  changeRule('api_keys', ['name', 'scopes', 'folder_ids', 'protected', 'disabled'], key),
  {
    kind: 'api_key',
    on: 'DELETE ON api_keys',
    verb: 'deleted',
    id: 'OLD.id',
    name: 'OLD.name',
    workspace: 'OLD.workspace_id',
  },
  { ...workflow, on: 'INSERT ON workflows', verb: 'added' },
  changeRule('workflows', ['name', 'slug'], workflow),
  ...trashRules('workflows', 'workflow', workflow),
  { ...useCase, on: 'INSERT ON use_cases', verb: 'added' },
  changeRule('use_cases', ['name', 'archived_at'], useCase),
  {
    kind: 'task',
    on: 'INSERT ON work',
    verb: 'added',
    when: "NEW.payload ->> 'workspaceId' IS NOT NULL",
    id: 'NEW.id',
    name: 'NEW.kind',
    project: "NEW.payload ->> 'projectId'",
    workspace: "NEW.payload ->> 'workspaceId'",
  },
];

const rules: readonly Rule[] = [
  ...projectRules,
  ...versionRules,
  ...trainingRules,
  ...imageRules,
  ...reviewRules,
  ...projectThingRules,
  ...workspaceRules,
];

/** Newer still. The labels of the image itself stay as they are. */
const independentRule: Rule = {
  kind: 'image',
  on: 'UPDATE OF annotation ON independent_labels',
  verb: 'labelled',
  when: 'OLD.annotation IS DISTINCT FROM NEW.annotation',
  id: 'NEW.image_id',
  name: nameOfImage('NEW'),
  project: projectOfImage('NEW'),
  before: "json_object('objects', OLD.objects)",
  after: "json_object('objects', NEW.objects, 'job', NEW.job_id)",
};

const newerRules: readonly Rule[] = [refusalRule, ...classRules, independentRule];

/** For PostgreSQL: where the rules change, a step of the schema makes the triggers anew. */
export const serverNotes: string = [serverTables, ...rules.map(serverTriggerOf)].join('\n');

export const serverRefusalNote: string = serverTriggerOf(refusalRule, rules.length);

export const serverClassNotes: string = classRules
  .map((rule, index) => serverTriggerOf(rule, rules.length + 1 + index))
  .join('\n');

export const serverIndependentNote: string = serverTriggerOf(
  independentRule,
  rules.length + 1 + classRules.length,
);
