// Tables of a loop: what was found and mended of the damage, and both models side by side.

import { type LabelMistakeKind, labelMistakeKinds } from '../../src/contract/evaluations.ts';
import { damageBehind, isRightMend } from './found-mistakes.ts';
import { type LoopResult, mendedFrom, type TestSet } from './loop.ts';

type Row = readonly string[];
type Table = readonly Row[];

/** A row for each kind, and one for copies of images; recall and precision are of all told. */
export function foundTable(result: LoopResult): Table {
  return [
    ['damage', 'made', 'told', 'recall', 'precision', 'by rule', 'mended', 'right'],
    ...labelMistakeKinds.map((kind) => rowOfKind(result, kind)),
    rowOfCopies(result),
  ];
}

function rowOfKind({ folder, told, mended }: LoopResult, kind: LabelMistakeKind): Row {
  const made = [...folder.images.values()].flatMap(({ damages }) =>
    damages.filter((damage) => damage.kind === kind),
  ).length;
  const known = told[kind].flatMap((one) => damageBehind(one, folder) ?? []);
  const from = mendedFrom[kind];
  const taken = told[kind].filter(({ score }) => score >= from);
  const right = taken.filter((one) => isRightMend(one, folder)).length;
  return [
    kind.replace('_', ' '),
    String(made),
    String(told[kind].length),
    share(new Set(known).size, made),
    share(known.length, told[kind].length),
    from === 0 ? 'all' : `score ${from} or more`,
    String(mended[kind]),
    String(right),
  ];
}

function rowOfCopies({ folder: { copies }, deleted }: LoopResult): Row {
  const [made, told] = [copies.size, deleted.length];
  const right = deleted.filter((name) => copies.has(name)).length;
  const shares = [share(right, made), share(right, told)];
  return ['copy in train', `${made}`, `${told}`, ...shares, 'all', `${told}`, `${right}`];
}

/** How many of the surest that are told of a kind are right. */
export function rankTable({ folder, told }: LoopResult): Table {
  const rows = labelMistakeKinds.map((kind) => {
    const shares = ranks.map((rank) => {
      const first = told[kind].slice(0, rank);
      return share(first.filter((one) => damageBehind(one, folder)).length, first.length);
    });
    return [kind.replace('_', ' '), ...shares];
  });
  return [['right of the first', ...ranks.map(String)], ...rows];
}

const ranks = [20, 50, 100];

/** Both models by the same test images, and three kinds of labels. */
export function modelTable({ before, after }: LoopResult): Table {
  const names: Readonly<Record<TestSet, string>> = {
    clean: 'as they were',
    damaged: 'damaged',
    mended: 'mended',
  };
  const sets: readonly TestSet[] = ['clean', 'damaged', 'mended'];
  return [
    ['test labels', 'AP50 before', 'after', 'AP before', 'after', 'F1 before', 'after'],
    ...sets.map((set) => {
      const [one, other] = [before[set], after[set]];
      const figures = [one.ap50, other.ap50, one.ap, other.ap, one.f1, other.f1];
      return [names[set], ...figures.map((figure) => figure?.toFixed(3) ?? '-')];
    }),
  ];
}

function share(part: number, all: number): string {
  return all === 0 ? '-' : (part / all).toFixed(2);
}
