// The trainings of all versions of a project.

import { element } from '../../../http-server/page-assets/elements.js';
import { count } from '../../../http-server/page-assets/format.js';
import { projectAddress, trainingAddress } from '../addresses.js';
import { getProject, listTrainings } from '../api.js';
import { bar } from '../chart.js';
import { figure } from '../curve.js';
import { listPage } from '../list-page.js';
import { projectTabs } from '../project-tabs.js';
import { timeElement } from '../time-element.js';

/** @import { Training, View } from '../types.ts' */

/** So many are read at once. */
const versionsAtOnce = 6;

const heads = ['Training', 'Status', 'Version', 'Progress', 'Metrics', 'Started'];

/** @param {string} slug @param {URLSearchParams} query @returns {Promise<View>} */
export async function trainingsView(slug, query) {
  const { project, versions } = await getProject(slug);
  const numbers = versions.map(({ id }) => String(id).slice(String(id).lastIndexOf('/') + 1));
  /** @type {Map<string, readonly Training[] | undefined>} */
  const known = new Map(numbers.map((number) => [number, undefined]));
  const read = async () => {
    await readTrainings(slug, known);
    return {
      items: [...known].flatMap(([version, trainings]) =>
        (trainings ?? []).map((training) => ({ training, version })),
      ),
    };
  };
  const example = `{"project": ${JSON.stringify(slug)}, "version": ${numbers[0] ?? 1}}`;
  const list = await listPage({
    place: `${projectAddress(slug)}/trainings`,
    query,
    heads,
    read,
    row: ({ training, version }) => row(slug, version, training),
    nothing:
      numbers.length > 0
        ? [
            'No training yet. An agent starts one by ',
            element('code', {}, 'trainings_start'),
            ` ${example}.`,
          ]
        : ['A training needs a version, and there is none yet: versions_generate makes one.'],
  });
  return {
    title: `${project.name}: trainings`,
    content: element('div', { class: 'stack' }, projectTabs(slug, 'trainings'), list.content),
    refresh: async () => {
      if ([...known.values()].some((trainings) => trainings?.some(isRunning))) await list.refresh();
    },
  };
}

/**
 * Reads those of versions that were not read yet, or where one runs.
 * @param {string} slug
 * @param {Map<string, readonly Training[] | undefined>} known by version
 */
async function readTrainings(slug, known) {
  const open = [...known].filter(([, trainings]) => trainings?.some(isRunning) ?? true);
  for (let at = 0; at < open.length; at += versionsAtOnce) {
    const some = open.slice(at, at + versionsAtOnce).map(async ([version]) => {
      known.set(version, await listTrainings(slug, version));
    });
    await Promise.all(some);
  }
}

/** @param {string} slug @param {string} version @param {Training} training */
function row(slug, version, training) {
  const { trainingId, status, modelType = '', progress, metrics } = training;
  const href = trainingAddress(slug, version, trainingId);
  return element(
    'tr',
    {},
    element(
      'th',
      { scope: 'row', title: trainingId },
      element('a', { href }, modelType || 'model'),
    ),
    element('td', { class: `${toneOf(status)} short` }, status),
    element('td', {}, version),
    element(
      'td',
      {},
      isRunning(training) && bar(progress ?? 0),
      element('small', {}, epochWords(training)),
    ),
    element('td', {}, metricWords(metrics ?? {})),
    element('td', { class: 'short' }, startOf(training)),
  );
}

/** @param {Training} training */
export function epochWords({ epoch, epochs }) {
  return `${count(epoch ?? 0)} of ${count(epochs ?? 0)} epochs`;
}

/** @param {Training} training */
export function isRunning({ status }) {
  return status === 'queued' || status === 'running' || status === 'stopping';
}

const tones = new Map([
  ['finished', 'good'],
  ['failed', 'bad'],
  ['running', 'info'],
]);

/** @param {string} status */
export function toneOf(status) {
  return tones.get(status) ?? 'plain';
}

/** When it began, or was asked for. @param {Training} training */
export function startOf({ started, created }) {
  const seconds = started ?? created;
  return typeof seconds === 'number' ? timeElement(seconds) : '';
}

/** Those that people compare trainings by; else the first ones. */
const known = ['map50', 'map', 'accuracy', 'f1', 'precision', 'recall', 'iou'];

/** @param {Readonly<Record<string, number>>} metrics */
function metricWords(metrics) {
  const names = Object.keys(metrics);
  const chosen = known.filter((name) => names.includes(name));
  return (chosen.length > 0 ? chosen : names)
    .slice(0, 3)
    .map((name) => `${name} ${figure(metrics[name] ?? 0)}`)
    .join(', ');
}
