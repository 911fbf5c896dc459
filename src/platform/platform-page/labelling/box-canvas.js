// The picture on which boxes and outlines are drawn, chosen and changed, by mouse, pen or finger. It
// keeps none of its own: it shows those it is given, and says what the person wants changed.

import { labelFor } from '../../../http-server/page-assets/annotated-image.js';
import { colourOf, drawMany, pathOf } from '../../../http-server/page-assets/drawing.js';
import { element, svg } from '../../../http-server/page-assets/elements.js';
import { findingOf } from '../boxes-of-image.js';
import {
  boxAt,
  boxBetween,
  fitted,
  handleAt,
  handlePoints,
  moved,
  resized,
} from './box-geometry.js';
import { keepOutline, keptOutline } from './kept-outlines.js';
import { pointKindOf } from './movable-points.js';
import { OutlineDraft } from './outline-draft.js';
import { edgeAt, hasOutline, outlinePointAt, withNewPoint } from './outline-geometry.js';
import { PictureZoom } from './picture-zoom.js';

/** @import { Box, Outline, Point, Prediction, Rectangle, Shapes, Size } from '../boxes.ts' */

/** Pixels of the screen: a shorter drag is a click; and how near handles and points are met. */
const dragMin = 4;
const reachMax = 9;
const fingerReachMax = 22;

/**
 * What is shown with the boxes: those of somebody else, the chosen point of the chosen outline, and
 * what a model sees.
 * @typedef {{ theirs?: readonly Box[] | undefined, point?: number | undefined,
 *   predictions?: readonly Prediction[], prediction?: Prediction | undefined }} Beside
 */

/**
 * What a pointer that is down does. `box`: what is dragged, with `handle` the handle or point;
 * `isNew`: that point is one that the outline gets.
 * @typedef {{ kind: 'draw' | 'add' | 'scroll', box?: undefined, index?: undefined, handle: number, isNew?: boolean }
 *   | { kind: 'move' | 'resize' | 'point', box: Box, index: number, handle: number, isNew?: boolean }} Meant
 * @typedef {Meant & { from: Point, screen: Point, scroll: Point }} Gesture
 */

export class BoxCanvas {
  root;
  /** Whether the main button moves the picture, as while the space bar is down. */
  scrolls = false;
  /** Whether the next click places a keypoint of the chosen box. */
  places = false;
  #id;
  #size;
  #drawsOutlines;
  #points;
  #on;
  #stage;
  #zoom;
  #overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  #marks = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  #labels = element('span', { class: 'labels', 'aria-hidden': 'true' });
  /** @type {readonly Box[]} */
  #boxes = [];
  /** @type {number | undefined} */
  #selected;
  /** @type {Beside} */
  #beside = {};
  /** @type {OutlineDraft | undefined} */
  #draft;
  #reach = reachMax;
  /** @type {Gesture | undefined} */
  #gesture;
  /** @type {Point} */
  #pointer = { x: 0, y: 0 };
  #frame = 0;

  /**
   * @param {{ id: string, url: string, alt: string, size: Size, shapes: Shapes }} picture
   * @param {{
   *   mayBegin: () => boolean,
   *   draft: () => void,
   *   draw: (place: Rectangle) => void,
   *   outline: (points: Outline) => void,
   *   place: (at: Point) => void,
   *   change: (index: number, box: Box, point?: number) => void,
   *   select: (index: number | undefined, point?: number) => void,
   *   choosePrediction: (prediction: Prediction) => void,
   * }} on what the person wants; `draft` tells that an outline has other points now
   */
  constructor({ id, url, alt, size, shapes }, on) {
    this.#id = id;
    this.#size = size;
    this.#drawsOutlines = shapes === 'outlines';
    this.#points = pointKindOf(shapes);
    this.#on = on;
    const photo = element('img', { src: url, alt, draggable: 'false' });
    this.#stage = element('div', { class: 'stage' }, photo, this.#overlay, this.#marks);
    this.#stage.append(this.#labels);
    this.#stage.style.aspectRatio = `${size.width} / ${size.height}`;
    photo.addEventListener('error', () => this.#stage.classList.add('is-broken'));
    this.#marks.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    this.root = element('div', { class: 'canvas' });
    this.root.style.setProperty('--ratio', String(size.width / size.height));
    this.#zoom = new PictureZoom(this.root, this.#stage, size);
    this.#listen();
  }

  /**
   * @param {readonly Box[]} boxes
   * @param {number | undefined} selected
   * @param {Beside} beside
   */
  show(boxes, selected, beside) {
    this.#boxes = boxes;
    this.#selected = selected;
    this.#beside = beside;
    const { theirs = [], point, predictions = [], prediction } = beside;
    const findings = boxes.map(findingOf);
    drawMany(this.#overlay, findings, this.#size, selected);
    const seen = predictions.map((one) => ({ ...findingOf(one.box), confidence: one.score }));
    const labels = [...findings, ...seen].map((found, at) => labelFor(found, at, this.#size));
    this.#labels.replaceChildren(...labels);
    const others = theirs.map((box) => svg('path', { class: 'theirs', d: pathOf(findingOf(box)) }));
    const dashed = seen.map((found, at) => {
      const look = predictions[at] === prediction ? 'predicted current' : 'predicted';
      return svg('path', { class: `${look} c${colourOf(found.class)}`, d: pathOf(found) });
    });
    this.#marks.replaceChildren(...others, ...dashed);
    const box = selected === undefined ? undefined : boxes[selected];
    if (box !== undefined) this.#mark(box, point);
    this.#showDraft();
  }

  /** @param {number} zoom as a multiple of what fits */
  zoomTo(zoom) {
    this.#zoom.zoomTo(zoom);
  }

  /** @param {number} factor */
  zoomBy(factor) {
    this.#zoom.zoomBy(factor);
  }

  /** Whether the pointer drags something. */
  get isHeld() {
    return this.#gesture !== undefined;
  }

  get isDrawing() {
    return this.#draft !== undefined;
  }

  /** The next click is the first point of an outline, whatever it meets. */
  startOutline() {
    if (!this.#drawsOutlines || this.isDrawing || !this.#on.mayBegin()) return;
    this.#on.select(undefined);
    this.#setDraft(new OutlineDraft(this.#size));
  }

  /** Goes on with one that was not closed when the image was left. False: there is none. */
  resumeOutline() {
    const points = this.#drawsOutlines ? keptOutline(this.#id) : [];
    if (points.length === 0) return false;
    const draft = new OutlineDraft(this.#size);
    draft.points = points;
    this.#setDraft(draft);
    return true;
  }

  /** False: no outline has begun. */
  closeOutline() {
    const draft = this.#draft;
    if (draft === undefined || draft.points.length === 0) return false;
    if (!draft.isClosable || !this.#on.mayBegin()) return true;
    this.#setDraft(undefined);
    this.#on.outline(draft.points);
    return true;
  }

  /** Gives up what is drawn, of an outline its last point. False: nothing is drawn. */
  takeBack() {
    if (this.#gesture !== undefined) {
      this.#end();
      return true;
    }
    const draft = this.#draft;
    if (draft === undefined) return false;
    draft.takeBack();
    this.#setDraft(draft.points.length > 0 ? draft : undefined);
    return true;
  }

  /** @param {OutlineDraft | undefined} draft */
  #setDraft(draft) {
    this.#draft = draft;
    keepOutline(this.#id, draft?.points ?? []);
    this.#showDraft();
    this.#on.draft();
  }

  #showDraft() {
    this.#marks.querySelector('.draft')?.remove();
    if (this.#draft) this.#marks.append(this.#draft.shape(this.#pointAt(this.#pointer)));
  }

  #listen() {
    this.root.addEventListener('pointerdown', (event) => this.#begin(event));
    this.root.addEventListener('pointermove', (event) => {
      this.#pointer = { x: event.clientX, y: event.clientY };
      // Pointers tell of more moves than a screen shows.
      const follows = this.#gesture !== undefined || this.isDrawing;
      if (follows) this.#frame ||= requestAnimationFrame(() => this.#follow());
    });
    this.root.addEventListener('pointerup', (event) => this.#finish(event));
    this.root.addEventListener('pointercancel', () => this.#end());
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    const scrolls = event.button === 1 || (event.button === 0 && this.scrolls);
    // A second finger pinches: what the first one began was not meant.
    if (!event.isPrimary && this.#gesture !== undefined) this.#end();
    if (!event.isPrimary || this.#gesture !== undefined) return;
    if (!(event.button === 0 || scrolls)) return;
    event.preventDefault();
    this.#zoom.settle();
    // Keys that come next are meant for the picture.
    if (document.activeElement instanceof HTMLInputElement) document.activeElement.blur();
    const screen = { x: event.clientX, y: event.clientY };
    const scroll = { x: this.root.scrollLeft, y: this.root.scrollTop };
    const reach = event.pointerType === 'touch' ? fingerReachMax : reachMax;
    this.#reach = reach * this.#pixelsOfPicture;
    this.#pointer = screen;
    const from = this.#pointAt(screen);
    this.#gesture = { ...this.#meant(from, scrolls), from, screen, scroll };
    this.root.setPointerCapture(event.pointerId);
  }

  /** @param {Point} from @param {boolean} scrolls @returns {Meant} */
  #meant(from, scrolls) {
    if (scrolls) return { kind: 'scroll', handle: 0 };
    if (this.isDrawing || this.places) return { kind: 'add', handle: 0 };
    const index = this.#selected;
    const box = index === undefined ? undefined : this.#boxes[index];
    if (index === undefined || box === undefined) return { kind: 'draw', handle: 0 };
    const point = this.#pointOf(box, from, index);
    if (point !== undefined) return point;
    if (!this.#hasOutline(box)) {
      const handle = handleAt(box, from, this.#reach);
      if (handle !== undefined) return { kind: 'resize', box, index, handle };
    }
    if (boxAt([box], from) === 0) return { kind: 'move', box, index, handle: 0 };
    return { kind: 'draw', handle: 0 };
  }

  /** The point that is taken, or a new one of the edge that is. @param {Box} box @param {Point} from @param {number} index @returns {Meant | undefined} */
  #pointOf(box, from, index) {
    const dots = this.#points.dots(box);
    const places = /** @type {[number, number][]} */ (dots.map(({ x, y }) => [x, y]));
    const met = dots[outlinePointAt(places, from, this.#reach) ?? -1];
    if (met !== undefined) return { kind: 'point', box, index, handle: met.index };
    const edge = this.#hasOutline(box) ? edgeAt(places, from, this.#reach) : undefined;
    if (edge === undefined) return undefined;
    const longer = withNewPoint(box, edge, from, this.#size);
    return { kind: 'point', box: longer, index, handle: edge + 1, isNew: true };
  }

  /** Whether the points of an outline are dragged, in place of the handles of its box. */
  #hasOutline(/** @type {Box} */ box) {
    return this.#drawsOutlines && hasOutline(box);
  }

  #follow() {
    this.#frame = 0;
    const gesture = this.#gesture;
    if (gesture?.kind === 'scroll') {
      const { scroll, screen } = gesture;
      this.root.scrollLeft = scroll.x - (this.#pointer.x - screen.x);
      this.root.scrollTop = scroll.y - (this.#pointer.y - screen.y);
    } else if (this.isDrawing) this.#showDraft();
    else if (gesture !== undefined && gesture.kind !== 'add' && this.#isDrag(gesture)) {
      if (gesture.box === undefined) this.#paint(undefined, { class: '', ...this.#drawn(gesture) });
      else this.#paint(gesture.index, this.#changed(gesture));
    }
  }

  /** @param {PointerEvent} event */
  #finish(event) {
    const gesture = this.#gesture;
    if (gesture === undefined) return;
    this.#pointer = { x: event.clientX, y: event.clientY };
    if (gesture.kind === 'scroll') this.#follow();
    this.#end();
    const at = this.#pointAt(this.#pointer);
    if (gesture.kind === 'add' && this.places) this.#on.place(at);
    else if (gesture.kind === 'add') this.#addPoint(at);
    else if (gesture.kind !== 'scroll') this.#act(gesture);
  }

  /** @param {Gesture} gesture that has ended */
  #act(gesture) {
    const { kind, box, index, handle, isNew, from } = gesture;
    const isDrag = this.#isDrag(gesture);
    if (kind === 'point' && (isDrag || isNew)) {
      this.#on.change(index, isDrag ? this.#changed(gesture) : box, handle);
    } else if (kind === 'point') this.#on.select(index, handle);
    else if (!isDrag) this.#click(from);
    else if (box === undefined) this.#on.draw(this.#drawn(gesture));
    else this.#on.change(index, this.#changed(gesture));
  }

  /** Chooses what is there, or begins an outline where nothing is. @param {Point} at */
  #click(at) {
    const { predictions = [] } = this.#beside;
    const found = boxAt([...this.#boxes, ...predictions.map(({ box }) => box)], at);
    const prediction = predictions[(found ?? 0) - this.#boxes.length];
    if (prediction !== undefined) return this.#on.choosePrediction(prediction);
    if (found !== undefined || !this.#drawsOutlines) return this.#on.select(found);
    this.startOutline();
    if (this.isDrawing) this.#addPoint(at);
  }

  /** @param {Point} at */
  #addPoint(at) {
    if (this.#draft?.add(at, this.#reach)) this.closeOutline();
    else this.#setDraft(this.#draft);
  }

  /** Shows the boxes as they are. */
  #end() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#gesture = undefined;
    this.show(this.#boxes, this.#selected, this.#beside);
  }

  /** @param {Gesture} gesture */
  #isDrag({ screen }) {
    return Math.hypot(this.#pointer.x - screen.x, this.#pointer.y - screen.y) >= dragMin;
  }

  /** The new box of a gesture. @param {Gesture} gesture */
  #drawn({ from }) {
    return boxBetween(from, this.#pointAt(this.#pointer), this.#size);
  }

  /** The box that a gesture drags, as it leaves it. @param {Gesture & { box: Box }} gesture */
  #changed({ kind, box, handle, from }) {
    const to = this.#pointAt(this.#pointer);
    if (kind === 'point') return this.#points.moved(box, handle, to, this.#size);
    return fitted(
      box,
      kind === 'move'
        ? moved(box, to.x - from.x, to.y - from.y, this.#size)
        : resized(box, handle, to, this.#size),
    );
  }

  /** One box while it is dragged: all others stay as they are drawn. */
  #paint(/** @type {number | undefined} */ index, /** @type {Box} */ box) {
    for (const part of this.#stage.querySelectorAll(`[data-index="${index ?? 'new'}"]`)) {
      part.classList.add('is-off');
    }
    this.#mark(box);
  }

  /** The box that is chosen, with its handles or points. @param {Box} box @param {number} [point] */
  #mark(box, point) {
    for (const old of this.#marks.querySelectorAll('.chosen:not(.draft)')) old.remove();
    const handles = this.#hasOutline(box) ? [] : handlePoints(box);
    this.#marks.append(
      svg(
        'g',
        { class: `chosen c${colourOf(box.class)}` },
        svg('path', { class: 'shape', d: pathOf(findingOf(box)) }),
        !this.#hasOutline(box) &&
          svg('path', { class: 'frame', d: pathOf(findingOf({ ...box, points: [] })) }),
        ...handles.map(({ x, y }) => svg('path', { d: `M${x} ${y}h0` })),
        ...this.#points.dots(box).map(({ index, x, y, isHidden }) => {
          const look = `point${isHidden ? ' hidden' : ''}${index === point ? ' current' : ''}`;
          return svg('path', { class: look, d: `M${x} ${y}h0` });
        }),
      ),
    );
  }

  /** @param {Point} screen @returns {Point} in pixels of the picture */
  #pointAt({ x, y }) {
    const { left, top, width, height } = this.#stage.getBoundingClientRect();
    return {
      x: ((x - left) / (width || 1)) * this.#size.width,
      y: ((y - top) / (height || 1)) * this.#size.height,
    };
  }

  /** How many pixels of the picture one pixel of the screen is. */
  get #pixelsOfPicture() {
    return this.#size.width / (this.#stage.getBoundingClientRect().width || 1);
  }
}
