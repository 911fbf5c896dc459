// Beside the picture: the classes, the boxes as a list, what can be done, and how far it is saved.

import { colourOf } from '../../../http-server/page-assets/drawing.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { boxCount } from '../boxes-of-image.js';
import { keysOf } from './annotate-keys.js';
import { hasOutline } from './outline-geometry.js';
import {
  button,
  classForm,
  imageLinks,
  keyDialog,
  reviewButton,
  StateLine,
  showClasses,
} from './panel-parts.js';
import { PredictionPanel } from './prediction-panel.js';

/** @import { Box, Shapes } from '../boxes.ts' */
/** @import { ShownPredictions } from './prediction-decisions.js' */
/** @import { Place, SaveState } from '../types.ts' */

/**
 * @typedef {{
 *   select: (index: number | undefined) => void,
 *   useClass: (name: string) => void,
 *   addInMiddle: () => void,
 *   remove: () => void,
 *   markAsEmpty: () => void,
 *   copyFromBefore: () => void,
 *   addFromBetween: () => void,
 *   fillFrames: () => void,
 *   outlineBox: () => void,
 *   undo: () => void,
 *   redo: () => void,
 *   predictions: import('./prediction-decisions.js').PredictionDecisions,
 *   startReview: () => void,
 *   keepMine: () => void,
 *   takeTheirs: () => Promise<void>,
 *   canvas: { startOutline: () => void, closeOutline: () => void, zoomBy: (factor: number) => void, zoomTo: (zoom: number) => void },
 * }} Commands
 */

/** The class that was chosen last, which the next image begins with. */
let lastChosen = '';

/** As many lines as a list of boxes bears; the picture shows all. */
const listedMax = 500;

export class AnnotatePanel {
  root;
  /** The class of new boxes; empty: there is none yet. */
  chosen = '';
  #commands;
  #classes;
  #chips = element('div', { class: 'chips', role: 'group', 'aria-label': 'Classes' });
  #list = element('ol', { class: 'boxes', 'aria-label': 'Boxes' });
  #state = new StateLine();
  #newClass = classForm((name) => this.#commands.useClass(name));
  #predictions;
  #undo;
  #redo;
  #remove;
  #draw;
  #outline;
  #isDrawing = false;
  /** What others have saved meanwhile. @type {Extract<SaveState<readonly Box[]>, { name: 'conflict' }> | undefined} */
  #conflict;
  #help;

  /**
   * @param {Commands} commands
   * @param {Shapes} shapes
   * @param {Place} place
   */
  constructor(commands, shapes, place) {
    const drawsOutlines = shapes === 'outlines';
    this.#commands = commands;
    this.#classes = place.classes;
    const { names } = place.classes;
    this.chosen = names.includes(lastChosen) ? lastChosen : (names[0] ?? '');
    this.#undo = button('Undo', () => commands.undo());
    this.#redo = button('Redo', () => commands.redo());
    this.#remove = button('Delete box', () => commands.remove());
    this.#draw = button('Draw outline', () => {
      if (this.#isDrawing) commands.canvas.closeOutline();
      else commands.canvas.startOutline();
    });
    this.#outline = button('Box to outline', () => commands.outlineBox());
    this.#help = keyDialog(keysOf(shapes));
    this.#predictions = new PredictionPanel(commands.predictions);
    this.root = element(
      'section',
      { class: 'stack', 'aria-label': 'Annotation' },
      imageLinks(place),
      ...this.#state.parts,
      this.#predictions.root,
      this.#chips,
      this.#newClass.form,
      element(
        'div',
        { class: 'row' },
        this.#undo,
        this.#redo,
        this.#remove,
        button('Add box', () => commands.addInMiddle()),
        drawsOutlines && this.#draw,
        drawsOutlines && this.#outline,
        button('Mark as empty', () => commands.markAsEmpty()),
        place.before !== undefined && button('Copy from before', () => commands.copyFromBefore()),
        place.before !== undefined &&
          place.after !== undefined &&
          button('Fill in between', () => commands.addFromBetween()),
        place.ids.length > 2 &&
          place.areFrames &&
          !place.labels.areApart &&
          button('Fill all frames', () => commands.fillFrames()),
      ),
      element(
        'div',
        { class: 'row' },
        button('Zoom in', () => commands.canvas.zoomBy(1.5)),
        button('Zoom out', () => commands.canvas.zoomBy(1 / 1.5)),
        button('Whole picture', () => commands.canvas.zoomTo(1)),
        button('Keys', () => this.showHelp()),
        reviewButton(place, () => commands.startReview()),
      ),
      this.#list,
      this.#help,
    );
  }

  /** A part before the list of boxes. @param {HTMLElement} part */
  add(part) {
    this.#list.before(part);
  }

  /**
   * @param {readonly Box[]} boxes
   * @param {{ index: number | undefined, point: number | undefined, gap: number | undefined }} chosen
   *   `gap`: where a box was deleted
   * @param {{ canUndo: boolean, canRedo: boolean, isDrawing: boolean }} state
   */
  show(boxes, { index: selected, point, gap = 0 }, { canUndo, canRedo, isDrawing }) {
    this.#classes.meet(boxes.map((box) => box.class));
    showClasses(this.#chips, this.#classes.names, {
      choose: (name) => this.#commands.useClass(name),
      mark: (chip, name) => chip.setAttribute('aria-current', String(name === this.chosen)),
    });
    const hadFocus = this.#list.contains(document.activeElement);
    const listed = boxes.slice(0, listedMax).map((box, index) => this.#row(box, index, selected));
    this.#list.replaceChildren(...listed);
    const focused = Math.min(selected ?? gap, listed.length - 1);
    if (hadFocus) this.#list.querySelectorAll('button')[focused]?.focus();
    this.#undo.disabled = !canUndo;
    this.#redo.disabled = !canRedo;
    this.#remove.disabled = selected === undefined;
    this.#remove.textContent = point === undefined ? 'Delete box' : 'Delete point';
    this.#isDrawing = isDrawing;
    this.#draw.textContent = isDrawing ? 'Close outline' : 'Draw outline';
    const box = selected === undefined ? undefined : boxes[selected];
    this.#outline.disabled = box === undefined || hasOutline(box);
    this.#ask(boxes.length);
  }

  /** The class with that number, as the keys 1 to 9 have it. @param {number} number */
  classAt(number) {
    return this.#classes.names[number - 1];
  }

  /** @param {string} name */
  choose(name) {
    this.chosen = name;
    lastChosen = name;
    this.#classes.add(name);
  }

  /** What classes are called since. @param {ReadonlyMap<string, string>} renamed */
  followClasses(renamed) {
    const before = this.chosen;
    const after = renamed.get(before);
    if (after === undefined) return;
    this.choose(after);
    this.showState(`Somebody renamed ${before}: it is ${after} now, and new boxes have that.`, '');
  }

  /** There is no class that a new box could have. */
  askForClass() {
    this.showState('Name a class first.', 'bad');
    this.#newClass.field.focus();
  }

  /** The outline of before is drawn further. */
  tellUnclosed() {
    this.showState('An outline is not closed yet: Enter closes it, Escape takes it back.', '');
  }

  /** @param {string} words @param {'' | 'bad'} look */
  showState(words, look) {
    this.#state.tell(words, look);
  }

  /** Others have saved a version that is not shown. @param {string} words @param {() => Promise<void>} take */
  tellNewer(words, take) {
    this.#state.tellNewer(words, take);
  }

  /** What was done to other images. @param {string} words */
  tellElsewhere(words) {
    this.#state.tellElsewhere(words);
  }

  /** After a conflict the next `show` asks which boxes are kept. @param {SaveState<readonly Box[]>} state */
  showSaved(state) {
    this.#conflict = state.name === 'conflict' ? state : undefined;
    if (state.name !== 'conflict') this.#state.tellSaved(state);
  }

  /** @param {number} mine how many boxes are here */
  #ask(mine) {
    if (this.#conflict === undefined) return;
    const { theirs: boxes, by, classNews = '' } = this.#conflict;
    const theirs = `they have ${boxCount(boxes)} (dashed), you have ${mine}`;
    this.#state.askAfterConflict(by, theirs, classNews, {
      keepMine: () => this.#commands.keepMine(),
      takeTheirs: () => this.#commands.takeTheirs(),
    });
  }

  /** @param {ShownPredictions} shown */
  showPredictions(shown) {
    this.#predictions.show(shown);
  }

  showHelp() {
    this.#help.showModal();
  }

  /** @param {Box} box @param {number} index @param {number | undefined} selected */
  #row({ class: name, left, top, width, height, points = [] }, index, selected) {
    const numbers = [width, height, left, top].map((value) => Math.round(value));
    const place = `${name} ${numbers[0]} × ${numbers[1]} at ${numbers[2]}, ${numbers[3]}`;
    const words = points.length > 0 ? `${place}, ${points.length} points` : place;
    const choice = button(words, () => this.#commands.select(index));
    choice.className = `box-row c${colourOf(name)}`;
    choice.setAttribute('aria-pressed', String(index === selected));
    return element('li', {}, choice);
  }
}
