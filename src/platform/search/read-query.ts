// Reads the text of a search for what a caller may see: names of projects and of evaluations, with
// their classes, are known here.

import type { FoveaError } from '../../errors.ts';
import { type ParsedQuery, parseQuery } from '../../query-language/parse-query.ts';
import type { FindProjectId } from '../../query-language/query-fields.ts';
import { queryTextOf } from '../../query-language/query-lexer.ts';
import {
  type JudgedCondition,
  newestFirst,
  type Query,
  type SearchRequest,
  type WorstFirst,
} from '../../query-language/query-syntax-tree.ts';
import { quotedName, quotedNames } from '../../quoted-name.ts';
import { suggestSpelling } from '../../spelling-suggestion.ts';
import { isAccessible } from '../access-control/accessible-projects.ts';
import type { KeptFigures } from '../evaluations/describe-evaluation.ts';
import { figuresOf } from '../evaluations/finished-evaluation.ts';
import type { AccessibleProjects } from '../store/search.ts';
import type { Store } from '../store/store.ts';

type Stored = Pick<Store, 'projects' | 'evaluations'>;

/**
 * Throws `invalid_input`, which names the character, also for an evaluation that is not there and
 * for a class that it does not know: to find nothing would look like a model without errors.
 */
export async function readQuery(
  store: Stored,
  accessible: AccessibleProjects,
  text: string,
): Promise<ParsedQuery> {
  const reachable = await projectsInReach(store, accessible);
  const parsed = parseQuery(text, finderOf(reachable));
  const inReach = new Set(reachable.map(({ id }) => id));
  const known = new Map<string, Judged>();
  for (const { condition, at } of parsed.judged) {
    const { evaluationId: id } = condition;
    const judged = known.get(id) ?? (await readJudged(store, inReach, id));
    known.set(id, judged);
    const wrong = (message: string, hint?: string) =>
      queryTextOf(text, 'query').error(at, message, hint);
    if (judged === 'unknown') {
      const hint = 'evaluations_list names the evaluations.';
      throw wrong(`there is no evaluation ${quotedName(id)}`, hint);
    }
    checkJudged(condition, judged, wrong);
  }
  return parsed;
}

/** Ids of the live projects in reach, by their slugs. */
export async function projectFinder(
  store: Pick<Store, 'projects'>,
  accessible: AccessibleProjects,
): Promise<FindProjectId> {
  return finderOf(await projectsInReach(store, accessible));
}

async function projectsInReach(
  { projects }: Pick<Store, 'projects'>,
  accessible: AccessibleProjects,
) {
  const all = await projects.list(accessible.workspaceId);
  return all.filter(({ id }) => isAccessible(accessible, id));
}

/** `sort:`; else what an evaluation is asked for, the worst first; else the newest first. */
export function orderOf({ query, sort }: ParsedQuery): SearchRequest['sort'] {
  if (sort !== undefined) return sort;
  return worstFirst(query) ?? newestFirst;
}

/** Whether images are asked for as evaluations judged them, and the worst come first by none. */
export function isJudgedWithoutOrder({ query, sort }: ParsedQuery): boolean {
  return sort === undefined && worstFirst(query) === undefined && asksForJudged(query);
}

function asksForJudged(query: Query): boolean {
  if (query.kind === 'and' || query.kind === 'or') return query.parts.some(asksForJudged);
  return query.kind === 'evaluation';
}

/** Of the orders of a query the first one by errors, which all images of an evaluation have not. */
function worstFirst(query: Query): WorstFirst | undefined {
  const orders = worstFirstOrders(query);
  const byErrors = orders.find(({ judged }) => judged.some(({ only, pair }) => only ?? pair));
  return byErrors ?? orders[0];
}

/** Of all conditions that must hold; of alternatives one, where all of them ask one evaluation. */
function worstFirstOrders(query: Query): readonly WorstFirst[] {
  if (query.kind === 'and') return query.parts.flatMap(worstFirstOrders);
  if (query.kind === 'evaluation') {
    return [{ key: 'worst', evaluationId: query.evaluationId, judged: [query] }];
  }
  if (query.kind !== 'or') return [];
  const orders = query.parts.map(worstFirst).filter((order) => order !== undefined);
  const [first] = orders;
  const isOne = orders.every(({ evaluationId }) => evaluationId === first?.evaluationId);
  if (first === undefined || orders.length < query.parts.length || !isOne) return [];
  return [{ ...first, judged: orders.flatMap(({ judged }) => judged) }];
}

function finderOf(
  projects: readonly { readonly id: string; readonly slug: string }[],
): FindProjectId {
  const ids = new Map(projects.map(({ id, slug }) => [slug, id]));
  return (slug) => ids.get(slug);
}

/** `unfinished` or failed: there are no figures. */
type Judged = KeptFigures | 'unknown' | 'unfinished';

async function readJudged(
  { evaluations }: Stored,
  inReach: ReadonlySet<string>,
  id: string,
): Promise<Judged> {
  const evaluation = await evaluations.get(id);
  if (evaluation === undefined || !inReach.has(evaluation.projectId)) return 'unknown';
  return figuresOf(evaluation) ?? 'unfinished';
}

function checkJudged(
  { only, label, pair }: JudgedCondition,
  figures: KeptFigures | 'unfinished',
  wrong: (message: string, hint?: string) => FoveaError,
): void {
  if (figures === 'unfinished') {
    const hint = 'evaluations_get says which; tasks_wait waits for it.';
    throw wrong('this evaluation has no figures yet, or it failed', hint);
  }
  const { classes } = figures;
  const asked = [label, pair?.truth, pair?.found].filter((name) => name !== undefined);
  const unknown = asked.find((name) => name !== '' && !classes.includes(name));
  if (unknown !== undefined) {
    const guess = suggestSpelling(unknown, classes);
    const meant = guess === undefined ? '' : `did you mean ${quotedName(guess)}? `;
    const known =
      classes.length === 0 ? 'It has no class.' : `Its classes: ${quotedNames(classes)}.`;
    throw wrong(`this evaluation has no class ${quotedName(unknown)}`, `${meant}${known}`);
  }
  const isOfLabels = only !== undefined && !errorsAlone.some((one) => one === only);
  const isKept = pair === undefined || figures.hasConfusionsOfImages === true;
  if (isKept && (!isOfLabels || figures.mistakes !== undefined)) return;
  const what = isKept ? 'did not look for mistakes of labels' : 'did not keep which images are so';
  throw wrong(
    `this evaluation ${what}`,
    'evaluations_create with its arguments makes one that does.',
  );
}

const errorsAlone = ['errors', 'misses', 'false_positives'];
