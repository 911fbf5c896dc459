// The keys of the page that annotates.

import { goTo, listenToKeys } from './keys.js';

/** @import { Shapes } from '../boxes.ts' */

/**
 * @typedef {{
 *   selectNext: (by: 1 | -1) => void,
 *   useClass: (name: string) => void,
 *   addInMiddle: () => void,
 *   nudge: (right: number, down: number, resizes: boolean) => boolean,
 *   selectNextPoint: (by: 1 | -1) => void,
 *   addPoint: () => void,
 *   outlineBox: () => void,
 *   remove: () => void,
 *   keypoints: { start: () => void, placeInMiddle: () => boolean, toggleHidden: () => void } | undefined,
 *   predictions: import('./prediction-decisions.js').PredictionDecisions,
 *   giveUp: () => void,
 *   markAsEmpty: () => void,
 *   copyFromBefore: () => void,
 *   addFromBetween: () => void,
 *   fillFrames: () => void,
 *   undo: () => void,
 *   redo: () => void,
 *   review: { approve: () => void, askWhy: () => void } | undefined,
 *   canvas: { scrolls: boolean, startOutline: () => void, closeOutline: () => boolean, takeBack: () => boolean, zoomBy: (factor: number) => void, zoomTo: (zoom: number) => void },
 *   panel: { classAt: (number: number) => string | undefined, showHelp: () => void },
 * }} Commands
 */

/** @type {import('./panel-parts.js').DescribedKeys} */
const boxKeys = [
  ['1 to 9', 'Class of new boxes, and of the chosen one'],
  ['Drag', 'Draw a box; on the chosen box: move or resize it'],
  ['Click', 'Choose the box below the pointer'],
  ['J, K', 'Choose the next box or prediction, the one before'],
  ['Arrows', 'Move the chosen box; with Shift by ten pixels, with Alt its lower right corner'],
  ['B', 'Add a box in the middle'],
  ['Delete', 'Delete the chosen box'],
  ['E', 'Mark the image as empty: no boxes'],
  ['C', 'Add the boxes of the image before'],
  ['F', 'Add what the labelled images before and after both have, on its way: frames of a video'],
  [
    'Shift+F',
    'Fill all frames between the labelled ones around, or up to this one if it is labelled',
  ],
  ['Ctrl+Z, Ctrl+Y', 'Undo, redo'],
  ['Escape', 'Give up what is drawn; choose no box'],
  ['+, −, 0', 'Zoom in, out, the whole picture; or Ctrl and the wheel'],
  ['Space and drag', 'Move the picture'],
  ['N, P', 'Next image, the one before'],
  ['A', 'Accept the chosen prediction: it becomes a label; else, in a review: approve the image'],
  ['R, Delete', 'Refuse the chosen prediction'],
  ['Shift+A', 'Accept all predictions that are shown'],
  ['U', 'Show the refused predictions again'],
  ['[ and ]', 'Show predictions from a lower percentage on, from a higher one'],
  ['S', 'In a review: say why it is sent back; Ctrl+Enter sends it back'],
  ['?', 'These keys'],
];

/** @type {import('./panel-parts.js').DescribedKeys} */
const outlineKeys = [
  ['Click', 'Where nothing is: the first point of an outline, and then one after the other'],
  ['O', 'Draw an outline: the next click is its first point, whatever is there'],
  ['Enter', 'Close the outline; or click its first point'],
  ['Escape, Delete', 'While an outline is drawn: take back its last point'],
  ['Drag a point', 'Move it; an edge: add a point there, as a click on the edge does'],
  ['. and ,', 'Choose the next point of the chosen outline, the one before'],
  ['Arrows', 'Move the chosen point; with Shift by ten pixels'],
  ['I', 'Add a point between the chosen one and the next one'],
  ['Delete', 'Delete the chosen point'],
  ['V', 'Give the chosen box an outline of its corners'],
];

/** @type {import('./panel-parts.js').DescribedKeys} */
const keypointKeys = [
  ['O', 'Place the keypoints of the chosen box: each click is the next one'],
  ['Enter', 'Place the next one in the middle of the box, to be moved by the arrows'],
  ['Escape', 'Place no more'],
  ['Drag a point', 'Move it; a click chooses it'],
  ['. and ,', 'Choose the next keypoint of the chosen box, the one before'],
  ['Arrows', 'Move the chosen keypoint; with Shift by ten pixels'],
  ['H', 'The chosen keypoint is hidden, or not any more'],
  ['Delete', 'Delete the chosen keypoint'],
];

const shapeKeys = { boxes: [], outlines: outlineKeys, keypoints: keypointKeys };

/** The keys that there are. @param {Shapes} shapes */
export function keysOf(shapes) {
  return [...shapeKeys[shapes], ...boxKeys];
}

const arrows = new Map([
  ['ArrowLeft', { right: -1, down: 0 }],
  ['ArrowRight', { right: 1, down: 0 }],
  ['ArrowUp', { right: 0, down: -1 }],
  ['ArrowDown', { right: 0, down: 1 }],
]);

export class AnnotateKeys {
  #commands;
  #plain;

  /**
   * Listens as long as the view is shown.
   * @param {Commands} commands
   * @param {HTMLElement} view
   * @param {{ before: string | undefined, after: string | undefined, shapes: Shapes }} here
   */
  constructor(commands, view, { before, after, shapes }) {
    this.#commands = commands;
    const { canvas, panel, predictions } = commands;
    const approve = () => commands.review?.approve();
    /** @type {ReadonlyMap<string, () => void>} */
    this.#plain = new Map([
      ['j', () => commands.selectNext(1)],
      ['k', () => commands.selectNext(-1)],
      ['b', () => commands.addInMiddle()],
      ['e', () => commands.markAsEmpty()],
      ['c', () => commands.copyFromBefore()],
      ['f', () => commands.addFromBetween()],
      ['delete', () => canvas.takeBack() || commands.remove()],
      ['backspace', () => canvas.takeBack() || commands.remove()],
      ['escape', () => commands.giveUp()],
      ['+', () => canvas.zoomBy(1.5)],
      ['-', () => canvas.zoomBy(1 / 1.5)],
      ['0', () => canvas.zoomTo(1)],
      // Of a prediction that is chosen, the decision about the image comes later.
      ['a', () => (predictions.chosen === undefined ? approve() : predictions.accept())],
      ['r', () => predictions.refuse()],
      ['u', () => predictions.restore()],
      ['[', () => predictions.changeThreshold(-0.05)],
      [']', () => predictions.changeThreshold(0.05)],
      ['s', () => commands.review?.askWhy()],
      ['n', () => goTo(after)],
      ['p', () => goTo(before)],
      ['?', () => panel.showHelp()],
      ...shapeActs[shapes](commands),
    ]);
    listenToKeys(view, {
      down: (event) => this.#act(event, event.key),
      up: (key) => this.#up(key),
    });
  }

  /** @type {ReadonlyMap<string, () => void>} */
  #shifted = new Map([
    ['A', () => this.#commands.predictions.acceptAll()],
    ['F', () => this.#commands.fillFrames()],
  ]);

  /** False: the key means nothing here. @param {KeyboardEvent} event @param {string} key */
  #act(event, key) {
    const { ctrlKey, metaKey, shiftKey, altKey } = event;
    if (ctrlKey || metaKey) return this.#actWithControl(key.toLowerCase(), shiftKey);
    const arrow = arrows.get(key);
    if (arrow !== undefined) {
      const by = shiftKey ? 10 : 1;
      return this.#commands.nudge(arrow.right * by, arrow.down * by, altKey);
    }
    if (altKey) return false;
    // On a button the space bar presses it.
    if (key === ' ' && !(event.target instanceof HTMLButtonElement)) {
      this.#commands.canvas.scrolls = true;
      return true;
    }
    if (key === 'Enter') return this.#enter();
    const name = /^[1-9]$/.test(key) ? this.#commands.panel.classAt(Number(key)) : undefined;
    if (name !== undefined) this.#commands.useClass(name);
    const shifted = shiftKey ? this.#shifted.get(key) : undefined;
    const act = shifted ?? this.#plain.get(key.toLowerCase());
    act?.();
    return name !== undefined || act !== undefined;
  }

  #enter() {
    const { canvas, keypoints } = this.#commands;
    return canvas.closeOutline() || keypoints?.placeInMiddle() === true;
  }

  /** @param {string} key @param {boolean} shift */
  #actWithControl(key, shift) {
    if (key === 'z' && !shift) this.#commands.undo();
    else if (key === 'y' || key === 'z') this.#commands.redo();
    else return false;
    return true;
  }

  /** @param {string} key */
  #up(key) {
    if (key === ' ') this.#commands.canvas.scrolls = false;
  }
}

/** @param {Commands} commands @returns {[string, () => void][]} */
function outlineActs(commands) {
  return [
    ['o', () => commands.canvas.startOutline()],
    ['.', () => commands.selectNextPoint(1)],
    [',', () => commands.selectNextPoint(-1)],
    ['i', () => commands.addPoint()],
    ['v', () => commands.outlineBox()],
  ];
}

/** @param {Commands} commands @returns {[string, () => void][]} */
function keypointActs(commands) {
  return [
    ['o', () => commands.keypoints?.start()],
    ['.', () => commands.selectNextPoint(1)],
    [',', () => commands.selectNextPoint(-1)],
    ['h', () => commands.keypoints?.toggleHidden()],
  ];
}

/** @type {Readonly<Record<Shapes, (commands: Commands) => [string, () => void][]>>} */
const shapeActs = { boxes: () => [], outlines: outlineActs, keypoints: keypointActs };
