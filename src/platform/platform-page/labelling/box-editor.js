// Holds the boxes of one image, and brings picture, panel, keys and platform together: what is drawn,
// moved or named is saved as it changes.

import { element } from '../../../http-server/page-assets/elements.js';
import { boxesOf, sizeOf } from '../boxes-of-image.js';
import { AnnotateKeys } from './annotate-keys.js';
import { AnnotatePanel } from './annotate-panel.js';
import { BoxCanvas } from './box-canvas.js';
import { boxInMiddle, enlarged, fitted, isBox, isSame, moved } from './box-geometry.js';
import { renamedBoxes } from './class-numbers.js';
import { cocoFileOf } from './coco-file.js';
import { EditHistory } from './edit-history.js';
import { FrameInterpolation, followFill } from './frame-interpolation.js';
import { sayState } from './image-labels.js';
import { KeypointEditor } from './keypoint-editor.js';
import { pointKindOf } from './movable-points.js';
import { NearbyLabels } from './nearby-labels.js';
import { cornersOf, hasOutline, middleAfter, outlined, withNewPoint } from './outline-geometry.js';
import { PredictionDecisions } from './prediction-decisions.js';
import { nothingDecided } from './predictions.js';
import { reviewOf, startReview } from './review.js';
import { SavedLabels } from './saved-labels.js';

/** @import { Box, Outline, Shapes } from '../boxes.ts' */
/** @import { Image, Place, SaveState } from '../types.ts' */

export class BoxEditor {
  root;
  /** Undefined: the images do not belong to an annotation job. */
  review;
  /** Undefined: objects have no keypoints. @type {KeypointEditor | undefined} */
  keypoints;
  #size;
  #points;
  #nearby;
  #frames;
  #startReview;
  #history;
  saved;
  /** @type {BoxCanvas} */
  #canvas;
  #panel;
  /** @type {number | undefined} */
  #selected;
  /** The chosen point of the chosen outline. @type {number | undefined} */
  #point;
  /** Where a box was deleted last, until something is chosen: its neighbours are the next ones. @type {number | undefined} */
  #gap;
  predictions;

  /**
   * @param {{ slug: string, image: Image, shapes: Shapes }} shown
   * @param {Place} place
   */
  constructor({ slug, image, shapes }, place) {
    this.#startReview = () => startReview(slug, place);
    const name = String(image.name ?? image.id);
    const size = sizeOf(image);
    this.#size = size;
    this.#nearby = new NearbyLabels(place.labels, image.id, place.ids, size);
    this.#frames = new FrameInterpolation(place.labels, image.id, place.ids);
    this.#points = pointKindOf(shapes);
    this.#history = new EditHistory({ boxes: boxesOf(image), ...nothingDecided });
    this.predictions = new PredictionDecisions(this.#history, size, {
      chooseNone: () => this.#chooseNone(),
      changed: () => this.#changed(),
      show: () => this.#show(),
      say: (words, look) => this.#panel.showState(words, look),
    });
    const fileOf = (/** @type {readonly Box[]} */ boxes) => cocoFileOf(boxes, { name, ...size });
    this.saved = new SavedLabels(
      image,
      place,
      { labelsOf: boxesOf, fileOf, isOne: isBox, isSame },
      {
        labels: () => this.boxes,
        replace: (boxes) => this.#showOthers(boxes),
        isShown: () => this.root.isConnected,
        isBusy: () => this.#canvas.isDrawing || this.#canvas.isHeld,
        say: (state) => this.#say(state),
        rename: (renamed) => this.#rename(renamed),
        tell: (words, look = '') => this.#panel.showState(words, look),
        tellNewer: (words, take) => this.#panel.tellNewer(words, take),
      },
    );
    this.#canvas = new BoxCanvas(
      { id: image.id, url: String(image.urls?.original ?? ''), alt: name, size, shapes },
      {
        mayBegin: () => this.#hasClass(),
        draft: () => this.#showPanel(),
        draw: (place) => this.#add({ class: this.#panel.chosen, ...place }),
        outline: (points) => this.#addOutline(points),
        place: (at) => this.keypoints?.place(at),
        change: (index, box, point) => this.#replace(index, box, { point }),
        select: (index, point) => this.select(index, point),
        choosePrediction: (prediction) => this.predictions.choose(prediction),
      },
    );
    this.#panel = new AnnotatePanel(this, shapes, place);
    if (shapes === 'keypoints') this.keypoints = this.#keypointEditor(slug, image.id);
    if (this.keypoints !== undefined) this.#panel.add(this.keypoints.root);
    this.#panel.showState(sayState(image, place.labels), '');
    this.review = reviewOf({ ...place, slug, image: image.id }, this.saved.saver, {
      lookAgain: () => this.#lookAgain(),
      allDecided: () => this.#panel.showState('Every image of this job is decided.', ''),
    });
    if (this.review !== undefined) this.#panel.root.prepend(this.review.root);
    this.root = element('div', { class: 'annotate' }, this.#canvas.root, this.#panel.root);
    new AnnotateKeys(this, this.root, { before: place.before, after: place.after, shapes });
    this.#show();
    this.saved.resume();
    if (this.#canvas.resumeOutline()) this.#panel.tellUnclosed();
    if (place.labels.areApart) return;
    void this.predictions.load(slug, image.id, place, () => {
      const isIdle = this.#selected === undefined && !this.#canvas.isDrawing;
      // In a review the key that accepts also approves: there the person chooses.
      return isIdle && this.review === undefined;
    });
  }

  /** @param {ReadonlyMap<string, string>} renamed classes of the project */
  followClasses(renamed) {
    this.#panel.followClasses(renamed);
    this.#show();
  }

  /** @param {ReadonlyMap<string, string>} renamed */
  #rename(renamed) {
    this.#history.amend((labels) => ({ ...labels, boxes: renamedBoxes(labels.boxes, renamed) }));
    this.followClasses(renamed);
  }

  get boxes() {
    return this.#history.labels.boxes;
  }

  get canvas() {
    return this.#canvas;
  }

  get panel() {
    return this.#panel;
  }

  /** @param {number | undefined} index @param {number} [point] of its outline */
  select(index, point) {
    this.#chooseNone();
    this.#selected = index;
    this.#point = point;
    const box = index === undefined ? undefined : this.boxes[index];
    if (box !== undefined) this.#panel.choose(box.class);
    this.#show();
  }

  /** The next box or prediction, in the order of the lists, or the one before. @param {1 | -1} by */
  selectNext(by) {
    const { open, chosen: predicted } = this.predictions;
    const boxes = this.boxes.length;
    const all = boxes + open.length;
    if (all === 0) return;
    const chosen = predicted ? boxes + open.indexOf(predicted) : this.#selected;
    const gap = this.#gap ?? (by === 1 ? 0 : all);
    const next = ((chosen ?? (by === 1 ? gap - 1 : gap)) + by + all) % all;
    const prediction = open[next - boxes];
    if (prediction === undefined) this.select(next);
    else this.predictions.choose(prediction);
  }

  /** New boxes have this class from now on, and the chosen one has it too. @param {string} name */
  useClass(name) {
    this.#panel.choose(name);
    const [index, box] = [this.#selected, this.#box];
    if (index !== undefined && box && box.class !== name) {
      this.#replace(index, { ...box, class: name }, { point: this.#point });
    } else this.#show();
  }

  /** A box in the middle, for those who use no pointer. */
  addInMiddle() {
    this.#add({ class: this.#panel.chosen, ...boxInMiddle(this.#size) });
  }

  /** Moves the chosen point, or the chosen box, or its lower right corner. */
  nudge(/** @type {number} */ right, /** @type {number} */ down, /** @type {boolean} */ resizes) {
    const [index, box, point] = [this.#selected, this.#box, this.#point];
    if (index === undefined || box === undefined) return false;
    const dot = this.#points.dots(box).find(({ index: at }) => at === point);
    if (dot !== undefined) {
      const at = { x: dot.x + right, y: dot.y + down };
      const changed = this.#points.moved(box, dot.index, at, this.#size);
      this.#replace(index, changed, { point, step: `nudge ${index} point ${point}` });
      return true;
    }
    // One that is not placed has no place from where it could be moved.
    if (point !== undefined) return true;
    const to = (resizes ? enlarged : moved)(box, right, down, this.#size);
    this.#replace(index, fitted(box, to), { step: `nudge ${index} ${resizes}` });
    return true;
  }

  /** The next point of the chosen object, or the one before. @param {1 | -1} by */
  selectNextPoint(by) {
    const length = this.#box === undefined ? 0 : this.#points.count(this.#box);
    if (length === 0) return;
    const from = this.#point ?? (by === 1 ? -1 : length);
    this.select(this.#selected, (from + by + length) % length);
  }

  /** A point in the middle between the chosen one and the next one. */
  addPoint() {
    const [index, box, point] = [this.#selected, this.#box, this.#point];
    if (index === undefined || box === undefined || point === undefined) return;
    const middle = middleAfter(box.points ?? [], point);
    this.#replace(index, withNewPoint(box, point, middle, this.#size), { point: point + 1 });
  }

  /** The chosen box gets an outline of its corners, which can be moved then. */
  outlineBox() {
    const [index, box] = [this.#selected, this.#box];
    if (index === undefined || box === undefined || hasOutline(box)) return;
    this.#replace(index, outlined(box, cornersOf(box)), { point: 0 });
  }

  /** Deletes the chosen point or box, or refuses the chosen prediction. */
  remove() {
    if (this.predictions.chosen !== undefined) return this.predictions.refuse();
    const [index, box, point] = [this.#selected, this.#box, this.#point];
    if (index === undefined || box === undefined) return;
    if (point !== undefined) return this.#removePoint(index, box, point);
    this.#chooseNone();
    this.#gap = index;
    this.#change(this.boxes.toSpliced(index, 1));
  }

  /** Gives up what is drawn, then the choice of a point, then that of a box. */
  giveUp() {
    if (this.#canvas.takeBack()) return;
    if (this.#canvas.places) {
      this.#canvas.places = false;
      this.keypoints?.show();
    } else this.select(this.#point === undefined ? undefined : this.#selected);
  }

  /** Somebody looked, and there is nothing to label. */
  markAsEmpty() {
    this.#chooseNone();
    this.#change([]);
  }

  async copyFromBefore() {
    this.#addAll(await this.#nearby.ofBefore());
  }

  /** Adds what is on its way between the labelled images before and after. */
  async addFromBetween() {
    this.#addAll(await this.#nearby.between(this.boxes));
  }

  /** Fills all frames between labelled ones; undo takes them back. */
  async fillFrames() {
    const fill = await this.#frames.fill(this.boxes, this.#panel);
    if (fill === undefined) return;
    this.#history.change({ ...this.#history.labels, boxes: fill.boxes, fill });
    this.#changed();
    this.#tell(fill.words);
  }

  /** While an outline is drawn, its last point is taken back. */
  undo() {
    if (!this.#canvas.takeBack()) this.#go('undo');
  }

  redo() {
    this.#go('redo');
  }

  /** @param {'undo' | 'redo'} way */
  #go(way) {
    this.#point = undefined;
    const { fill } = this.#history.labels;
    if (!this.#history[way]()) return;
    this.#changed();
    void followFill(way, fill, this.#history.labels.fill)?.then(this.#tell);
  }

  #tell = (/** @type {string} */ words) => this.#panel.tellElsewhere(words);

  /** From now on the images of this search are an annotation job, to be decided about. */
  async startReview() {
    const problem = await this.#startReview();
    if (problem !== undefined) this.#panel.showState(problem, 'bad');
  }

  keepMine() {
    this.saved.keepMine();
    this.review?.dismissProblem();
    this.#show();
  }

  /** After a conflict; what was drawn here can be had back by undo. */
  async takeTheirs() {
    await this.saved.takeTheirs();
    this.review?.dismissProblem();
  }

  /** Whether others changed the labels, which are shown then; undo has those that were here. */
  async #lookAgain() {
    const isOther = await this.saved.lookAgain();
    if (isOther) this.#panel.showState('Somebody else changed this image.', '');
    return isOther;
  }

  /** @param {readonly Box[]} boxes */
  #showOthers(boxes) {
    this.#changeHistory(boxes);
    this.#chooseNone();
    this.#show();
  }

  #chooseNone() {
    this.#selected = undefined;
    this.#point = undefined;
    this.#gap = undefined;
    this.predictions.chooseNone();
  }

  get #box() {
    return this.#selected === undefined ? undefined : this.boxes[this.#selected];
  }

  /** @param {string} slug @param {string} id */
  #keypointEditor(slug, id) {
    const host = {
      canvas: this.#canvas,
      chosen: () => ({ box: this.#box, point: this.#point }),
      replace: (/** @type {Box} */ box, /** @type {number | undefined} */ point) => {
        if (this.#selected !== undefined) this.#replace(this.#selected, box, { point });
      },
      choosePoint: (/** @type {number} */ point) => this.select(this.#selected, point),
    };
    return new KeypointEditor(host, { slug, id, size: this.#size, boxes: this.boxes });
  }

  /** Whether there is a class that something new can have; else it is asked for. */
  #hasClass() {
    if (this.#panel.chosen !== '') return true;
    this.#panel.askForClass();
    return false;
  }

  /** @param {Box} box */
  #add(box) {
    if (!this.#hasClass()) return;
    this.#chooseNone();
    this.#selected = this.boxes.length;
    this.#change([...this.boxes, box]);
    void this.keypoints?.start();
  }

  /** @param {import('./nearby-labels.js').Nearby} nearby */
  #addAll({ boxes, problem }) {
    // The person went on meanwhile.
    if (!this.root.isConnected) return;
    if (boxes.length === 0) return this.#panel.showState(problem, 'bad');
    this.#chooseNone();
    this.#change([...this.boxes, ...boxes]);
  }

  /** @param {Outline} points */
  #addOutline(points) {
    const nowhere = { left: 0, top: 0, width: 0, height: 0 };
    this.#add(outlined({ class: this.#panel.chosen, ...nowhere }, points));
  }

  /** @param {number} index @param {Box} box @param {number} point */
  #removePoint(index, box, point) {
    const shorter = this.#points.removed(box, point);
    if (shorter === undefined) {
      this.#panel.showState('An outline has three points at least: Escape, then delete it.', 'bad');
    } else this.#replace(index, shorter, { point: undefined });
  }

  /** @param {number} index @param {Box} box @param {{ point?: number | undefined, step?: string }} [how] */
  #replace(index, box, { point, step } = {}) {
    this.#selected = index;
    this.#point = point;
    this.#change(this.boxes.with(index, box), step);
  }

  /** @param {readonly Box[]} boxes @param {string} [step] */
  #change(boxes, step) {
    this.#changeHistory(boxes, step);
    this.#changed();
  }

  /** @param {readonly Box[]} boxes @param {string} [step] */
  #changeHistory(boxes, step) {
    this.#history.change({ ...this.#history.labels, boxes }, step);
  }

  #changed() {
    if ((this.#selected ?? -1) >= this.boxes.length) this.#chooseNone();
    // A prediction that is refused changes no label.
    this.saved.save(this.boxes);
    this.predictions.follow();
    this.#show();
  }

  /** @param {SaveState<readonly Box[]>} state */
  #say(state) {
    if (state.name === 'saved' || state.name === 'conflict') void this.review?.labelsChanged();
    this.#panel.showSaved(state);
    if (state.name === 'conflict') this.#show();
  }

  #show() {
    const { shown } = this.predictions;
    const { open: predictions, chosen: prediction } = shown;
    const beside = { theirs: this.saved.theirs, point: this.#point, predictions, prediction };
    this.#canvas.show(this.boxes, this.#selected, beside);
    if (this.#box === undefined) this.#canvas.places = false;
    this.keypoints?.show();
    this.#panel.showPredictions(shown);
    this.#showPanel();
  }

  #showPanel() {
    const { canUndo, canRedo } = this.#history;
    const isDrawing = this.#canvas.isDrawing;
    const chosen = { index: this.#selected, point: this.#point, gap: this.#gap };
    this.#panel.show(this.boxes, chosen, { canUndo: canUndo || isDrawing, canRedo, isDrawing });
  }
}
