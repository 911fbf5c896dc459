// One training: how far it is, its metrics after each epoch as curves, and its models.

import { element } from '../../../http-server/page-assets/elements.js';
import { duration } from '../../../http-server/page-assets/format.js';
import { getProject, getTraining } from '../api.js';
import { bar } from '../chart.js';
import { curve, figure } from '../curve.js';
import { fact } from '../facts.js';
import { projectTabs } from '../project-tabs.js';
import { epochWords, isRunning, startOf, toneOf } from './trainings.js';

/** @import { CurvePoint } from '../curve.js' */
/** @import { TrainingAnswer, View } from '../types.ts' */

/** A trainer may report a hundred; the table of the last ones has all. */
const curvesMax = 24;

/** @param {string} slug @param {string} version @param {string} id @returns {Promise<View>} */
export async function trainingView(slug, version, id) {
  const [{ project }, first] = await Promise.all([
    getProject(slug),
    getTraining(slug, version, id),
  ]);
  const place = element('div', { class: 'stack' }, ...parts(first, version));
  let training = first;
  return {
    title: `${project.name}: training of version ${version}`,
    content: element('div', { class: 'stack' }, projectTabs(slug, 'trainings'), place),
    refresh: async () => {
      if (!isRunning(training)) return;
      training = await getTraining(slug, version, id);
      place.replaceChildren(...parts(training, version));
    },
  };
}

/** @param {TrainingAnswer} training @param {string} version */
function parts(training, version) {
  const { status, error, log, metrics, models, modelIds = [] } = training;
  const shown = modelIds.length > 0 ? modelIds : models.map(({ modelId }) => modelId);
  return [
    element(
      'dl',
      { class: 'facts' },
      fact('Status', element('span', { class: toneOf(status) }, status)),
      fact('Model type', training.modelType ?? ''),
      fact('Version', version),
      fact('Epochs', epochWords(training)),
      fact('Started', startOf(training)),
      ...took(training),
      fact('Model', shown.join(', ') || 'none yet'),
      fact('Training', training.trainingId),
    ),
    ...(isRunning(training) ? [bar(training.progress ?? 0)] : []),
    ...(error === undefined ? [] : [element('p', { class: 'bad' }, error)]),
    ...(log === undefined ? [] : [element('pre', { class: 'log', tabindex: 0 }, log)]),
    ...curves(training),
    ...lastMetrics(metrics ?? {}),
  ];
}

/** @param {TrainingAnswer} training */
function took({ started, ended }) {
  const isKnown = typeof started === 'number' && typeof ended === 'number';
  return isKnown ? [fact('Took', duration(ended - started))] : [];
}

/** @param {TrainingAnswer} training */
function curves({ history = [] }) {
  /** @type {Map<string, CurvePoint[]>} */
  const points = new Map();
  for (const { epoch, metrics } of history) {
    for (const [name, value] of Object.entries(metrics)) {
      const known = points.get(name) ?? [];
      known.push([epoch, value]);
      points.set(name, known);
    }
  }
  const head = element('h3', {}, 'Metrics by epoch');
  if (points.size === 0) {
    return [head, element('p', { class: 'empty' }, 'No epoch has been reported yet.')];
  }
  const drawn = [...points].slice(0, curvesMax);
  const left = points.size - drawn.length;
  return [
    head,
    element('div', { class: 'cards' }, ...drawn.map(([name, all]) => curve(name, all, 'epoch'))),
    ...(left > 0
      ? [
          element(
            'p',
            { class: 'quiet' },
            `${left} more have no curve here: their last values follow.`,
          ),
        ]
      : []),
  ];
}

/** @param {Readonly<Record<string, number>>} metrics */
function lastMetrics(metrics) {
  const names = Object.keys(metrics);
  if (names.length === 0) return [];
  const facts = names.map((name) => fact(name, figure(metrics[name] ?? 0)));
  return [element('h3', {}, 'Last metrics'), element('dl', { class: 'facts' }, ...facts)];
}
