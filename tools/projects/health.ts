// projects_health: what a dataset has, and what is wrong with it.

import type { Answer, Input } from '../../src/contract/operation.ts';
import { projects } from '../../src/contract/projects.ts';
import { fromOperation } from '../../src/mcp/operation-tool.ts';
import type { NextCall, Tool } from '../../src/mcp/tool.ts';
import { bare, count, lastPart, nameList, quoted, splitList, tally } from '../format.ts';

export const projectsHealth: Tool = fromOperation(projects.projects_health, {
  title: 'Check dataset health',
  description:
    'Counts images, boxes per class, splits, images without annotation or marked empty. Use it after an upload and before versions_generate. It names odd boxes, near-duplicates, leaks between splits and classes spelled in two ways.',
  summarize: ({ stats, splits, boxes, nearDuplicates, leaks, conflicts, refused, unreadable }) =>
    `${count(stats.numImages, 'image')}, ${count(stats.numAnnotations, 'annotation')}` +
    ` (${tally(stats.classDistribution) || 'no classes'});` +
    ` ${stats.missingAnnotations} without annotation, ${stats.nullAnnotations} marked empty` +
    `${splits ? `; ${splitList(splits)}` : ''}.${doubleWords(stats.classDistribution)}` +
    `${emptySplits(splits)}${oddBoxes(boxes)}${samePictures(nearDuplicates, leaks)}` +
    conflictsOf(conflicts) +
    refusedFiles(refused) +
    unreadableImages(unreadable),
  next: healthCalls,
  meanwhile: 'Comparing images',
});

type Health = Answer<typeof projects.projects_health>;

/** Calls that show or fix the problems in the figures. */
function healthCalls(
  health: Health,
  { workspace, project }: Input<typeof projects.projects_health>,
): readonly NextCall[] {
  const { stats, splits } = health;
  const query = `project:${lastPart(project)} annotated:false`;
  const { train = 0, valid = 0, test = 0 } = splits ?? {};
  const shares = { train: 70, valid: 20, test: 10 };
  const finding = worstFinding(health);
  const rename = misspelt(stats.classDistribution);
  const calls = [
    Object.keys(rename).length > 0 && {
      tool: 'classes_change',
      arguments: { workspace, project, rename, dry_run: true },
      why: 'Says what it would be to give each of these classes its most frequent spelling.',
    },
    finding !== undefined && {
      tool: 'projects_findings',
      arguments: { workspace, project, finding, picture: true },
      why: 'Shows them; other findings likewise.',
    },
    stats.missingAnnotations > 0 && {
      tool: 'workspace_search',
      arguments: { workspace, query },
      why: 'Finds the images without annotation.',
    },
    train > 0 &&
      valid + test === 0 && {
        tool: 'projects_rebalance_splits',
        arguments: { workspace, project, splits: shares },
        why: 'Gives the project images to judge a model by.',
      },
  ];
  return calls.filter((call) => call !== false);
}

/** That of which a picture says most about the figures of a model. */
function worstFinding({ boxes, leaks, conflicts, nearDuplicates, unreadable }: Health) {
  const figures = {
    'unreadable-images': unreadable?.total,
    leaks: leaks?.groups,
    'conflicting-labels': conflicts?.groups,
    'boxes-without-area': boxes?.withoutArea.count,
    'boxes-over-edge': boxes?.overEdge.count,
    'duplicate-boxes': boxes?.duplicate?.count,
    'tiny-boxes': boxes?.tiny.count,
    'near-duplicates': nearDuplicates?.groups,
  };
  const [worst] = Object.entries(figures).find(([, figure = 0]) => figure > 0) ?? [];
  return worst;
}

type Classes = Health['stats']['classDistribution'];

function doubleWords(classes: Classes): string {
  const doubles = spelledTwice(classes);
  if (doubles.length === 0) return '';
  return ` Probably one class each: ${doubles.map(nameList).join('; ')}.`;
}

/** Classes that are written in two ways: in case, in doubled letters, in the plural. */
function spelledTwice(classes: Classes): readonly (readonly string[])[] {
  const groups = Map.groupBy(Object.keys(classes), spelling);
  return [...groups.values()].filter(({ length }) => length > 1);
}

/** The spelling of most labels by each of the others, of classes that are written in two ways. */
function misspelt(classes: Classes): Readonly<Record<string, string>> {
  const pairs = spelledTwice(classes).flatMap((names) => {
    const [usual = '', ...others] = names.toSorted(
      (one, other) => (classes[other] ?? 0) - (classes[one] ?? 0),
    );
    return others.map((name) => [name, usual]);
  });
  return Object.fromEntries(pairs);
}

function emptySplits(splits: Health['splits']): string {
  const { train = 0, valid = 0, test = 0 } = splits ?? {};
  const empty = Object.entries({ train, valid, test }).filter(([, images]) => images === 0);
  if (empty.length === 0 || empty.length === 3) return '';
  return ` No images in ${empty.map(([name]) => name).join(' and ')}.`;
}

function oddBoxes(boxes: Health['boxes']): string {
  if (!boxes) return '';
  const { withoutArea, tiny, atEdge, overEdge, duplicate, checked, complete } = boxes;
  const kinds = [
    { ...withoutArea, what: 'without area' },
    { ...tiny, what: 'tiny' },
    { ...overEdge, what: 'over the edge' },
    { ...atEdge, what: 'at the edge' },
    ...(duplicate ? [{ ...duplicate, what: 'there twice' }] : []),
  ].filter(({ count: boxesOdd }) => boxesOdd > 0);
  const said = kinds.map(({ count: n, what, images }) => `${n} ${what} (in ${nameList(images)})`);
  const rest = complete ? '' : ` Only the first ${count(checked, 'box', 'boxes')} were checked.`;
  return `${said.length > 0 ? ` Boxes: ${said.join(', ')}.` : ''}${rest}`;
}

function spelling(label: string): string {
  const letters = label.toLowerCase().replaceAll(/[^\p{L}\p{N}]/gu, '');
  return letters.replaceAll(/(\p{L})\1+/gu, '$1').replace(/s$/, '');
}

/** `2 files were refused: "a.jpg" ("is empty") and 1 more.` */
function refusedFiles(refused: Health['refused']): string {
  const [first] = refused?.files ?? [];
  if (!refused || !first) return '';
  const more = refused.total > 1 ? ` and ${refused.total - 1} more` : '';
  const named = `${quoted(first.file)} (${quoted(first.reason)})${more}`;
  const least = refused.complete ? '' : 'At least ';
  return ` ${least}${count(refused.total, 'file was', 'files were')} refused at upload: ${named}.`;
}

/** ` 2 images cannot be read, and should be deleted or replaced: "a.jpg" ("…") and 1 more.` */
function unreadableImages(unreadable: Health['unreadable']): string {
  const [first] = unreadable?.images ?? [];
  if (!unreadable || !first) return '';
  const more = unreadable.total > 1 ? ` and ${unreadable.total - 1} more` : '';
  const named = `${quoted(first.name)} (${quoted(first.reason)})${more}`;
  const cannot = `${count(unreadable.total, 'image')} cannot be read`;
  return ` ${cannot}, and should be deleted or replaced: ${named}.`;
}

/** `Near-duplicates: 3 groups of 7 images; leaks between splits: 1 group of 2 images (…).` */
function samePictures(found: Health['nearDuplicates'], leaks: Health['leaks']): string {
  if (!found) return '';
  const { groups, images, compared, plain, complete } = found;
  const even = plain > 0 ? ` ${count(plain, 'image')} too even to be compared.` : '';
  const rest = complete ? even : ` Only ${count(compared, 'image')} were compared.${even}`;
  if (groups === 0) return rest;
  if (!leaks || leaks.groups === 0) return ` Near-duplicates: ${groupsOf(found)}.${rest}`;
  const all = `${count(groups, 'group')} of ${count(images, 'image')}`;
  return ` Near-duplicates: ${all}; leaks between splits: ${groupsOf(leaks)}.${rest}`;
}

function conflictsOf(conflicts: Health['conflicts']): string {
  if (!conflicts || conflicts.groups === 0) return '';
  return ` Of these labelled in different ways: ${groupsOf(conflicts)}.`;
}

/** With the first of them. */
function groupsOf({ groups, images, examples }: NonNullable<Health['leaks']>): string {
  const [example] = examples;
  const named = example?.images.map(({ name, split }) => `${quoted(name)} ${bare(split)}`) ?? [];
  const first = groups > 1 ? 'first: ' : '';
  return `${count(groups, 'group')} of ${count(images, 'image')} (${first}${named.join(', ')})`;
}
