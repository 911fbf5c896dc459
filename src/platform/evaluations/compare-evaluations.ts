// Handler of evaluations_compare: what got better and what worse, by the same images.

import type { evaluations } from '../../contract/evaluations.ts';
import type { Answer } from '../../contract/operation.ts';
import { invalidArgument } from '../../errors.ts';
import { rounded } from '../../evaluation/average-precision.ts';
import { pointAt } from '../../evaluation/confidence-sweep.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { quotedNames } from '../../quoted-name.ts';
import { findProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Evaluation } from '../store/evaluations.ts';
import { describeFigures, type KeptFigures } from './describe-evaluation.ts';
import { pixelsOf, sharesOf } from './describe-pixels.ts';
import { finishedEvaluation } from './finished-evaluation.ts';

const rowsDefault = 20;

export function evaluationComparisonHandlers(
  dependencies: PlatformDependencies,
): Handlers<Pick<typeof evaluations, 'evaluations_compare'>, Principal> {
  const { store } = dependencies;
  return {
    evaluations_compare: async (input, { principal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const after = await finishedEvaluation(store, project, input.evaluationId);
      const before = await finishedEvaluation(store, project, input.baseline);
      checkClasses(before.figures, after.figures);
      const ids = { before: before.evaluation.id, after: after.evaluation.id };
      const apart = await store.evaluations.imagesApart(ids);
      if (apart.before + apart.after > 0) {
        const only = `${apart.before} images are in the baseline alone, ${apart.after} in the other`;
        throw invalidArgument('baseline', `has other images: ${only}`, sameImages);
      }
      const { limit = rowsDefault, offset = 0 } = input;
      const { total, better, worse, changed } = await store.evaluations.changes(ids, {
        limit,
        offset,
      });
      return {
        baseline: describe(before),
        compared: describe(after),
        ...labelsDiffer(before.figures, after.figures),
        classes: classChanges(before.figures, after.figures),
        images: { better, worse, same: apart.both - better - worse },
        total,
        changed: changed.map((one) => ({
          ...one,
          before: { ...one.before },
          after: { ...one.after },
        })),
      };
    },
  };
}

const sameImages = 'Evaluate both on the same split of a version, or by the same query.';

/** Throws `invalid_input` where the classes are others. */
function checkClasses(before: KeptFigures, after: KeptFigures): void {
  const missing = before.classes.filter((name) => !after.classes.includes(name));
  const added = after.classes.filter((name) => !before.classes.includes(name));
  if (missing.length + added.length === 0) return;
  const which = quotedNames([...missing, ...added]);
  throw invalidArgument('baseline', `has other classes: ${which} are in one alone`, sameImages);
}

function describe(one: { readonly evaluation: Evaluation; readonly figures: KeptFigures }) {
  const { id, settings } = one.evaluation;
  const { modelId, predictions } = settings;
  return {
    evaluationId: id,
    ...(modelId !== undefined && { model: modelId }),
    ...(predictions !== undefined && { predictions }),
    ...describeFigures(one.figures),
  };
}

/** Where somebody changed labels between the two, figures differ by that too. */
function labelsDiffer(before: KeptFigures, after: KeptFigures) {
  const counts = (kept: KeptFigures) =>
    Object.fromEntries(
      kept.classes.map((name, place) => [name, kept.each[place]?.figures.groundTruths ?? 0]),
    );
  const [one, other] = [counts(before), counts(after)];
  const differ = before.classes.some((name) => one[name] !== other[name]);
  return differ ? { labelsDiffer: true } : {};
}

/** The largest change of the main figure first. */
function classChanges(before: KeptFigures, after: KeptFigures) {
  const rows = before.classes.map((name, place) => {
    const one = figuresOf(before, place);
    const other = figuresOf(after, after.classes.indexOf(name));
    const [from = null, to = null] = [mainOf(before, one), mainOf(after, other)];
    const change = from === null || to === null ? null : rounded(to - from);
    return { class: name, change, before: one, after: other };
  });
  const size = ({ change }: { readonly change: number | null }) => Math.abs(change ?? 0);
  return rows.toSorted((one, other) => size(other) - size(one));
}

function mainOf({ classification, modelTask }: KeptFigures, { ap, f1, iou }: ComparedFigures) {
  if (modelTask === 'semantic') return iou;
  return classification === undefined ? ap : f1;
}

type ComparedFigures = Answer<typeof evaluations.evaluations_compare>['classes'][number]['before'];

function figuresOf(kept: KeptFigures, place: number): ComparedFigures {
  const { each, confidence, classification } = kept;
  if (kept.modelTask === 'semantic') {
    const { iou, precision: right, recall: found, f1: dice } = sharesOf(pixelsOf(kept).each[place]);
    return { iou, precision: right, recall: found, f1: dice };
  }
  const one = each[place];
  if (one === undefined) return { precision: null, recall: null };
  const { precision, recall, f1 } = pointAt(one.sweep, confidence);
  const { ap, ap50 } = one.figures;
  const shares = { precision: rounded(precision), recall: rounded(recall) };
  if (classification !== undefined) return { ...shares, f1: rounded(f1) };
  return { ap: rounded(ap), ap50: rounded(ap50), ...shares };
}
