// The picture on which boxes are drawn, chosen, moved and resized, by mouse, pen or finger. It keeps
// no boxes of its own: it shows those it is given, and says what the person wants changed.

import { labelFor } from '../../http-server/page-assets/annotated-image.js';
import { colourOf, drawFindings, pathOf } from '../../http-server/page-assets/drawing.js';
import { element, svg } from '../../http-server/page-assets/elements.js';
import {
  boxAt,
  boxBetween,
  fitted,
  handleAt,
  handlePoints,
  isInside,
  moved,
  resized,
} from './box-geometry.js';
import { findingOf } from './image.js';

/** @import { Box, Point, Rectangle, Size } from './boxes.ts' */

/** Pixels of the screen: a shorter drag is a click; and how near a handle is met. */
const dragMin = 4;
const reachMax = 9;
const zoomMax = 40;

/** @typedef {{ kind: 'draw' | 'move' | 'resize' | 'scroll', index: number | undefined, handle: number, from: Point, screen: Point, scroll: Point }} Gesture */

export class BoxCanvas {
  root;
  /** Whether the main button moves the picture, as while the space bar is down. */
  scrolls = false;
  #size;
  #on;
  #stage;
  #overlay = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  #marks = svg('svg', { class: 'overlay', 'aria-hidden': 'true' });
  #labels = element('span', { class: 'labels', 'aria-hidden': 'true' });
  /** @type {readonly Box[]} */
  #boxes = [];
  /** @type {number | undefined} */
  #selected;
  #zoom = 1;
  /** @type {Gesture | undefined} */
  #gesture;
  /** @type {Point} */
  #pointer = { x: 0, y: 0 };
  #frame = 0;

  /**
   * @param {{ url: string, alt: string, size: Size }} picture
   * @param {{
   *   draw: (place: Rectangle) => void,
   *   change: (index: number, box: Box) => void,
   *   select: (index: number | undefined) => void,
   * }} on what the person wants
   */
  constructor({ url, alt, size }, on) {
    this.#size = size;
    this.#on = on;
    const photo = element('img', { src: url, alt, draggable: 'false' });
    this.#stage = element('div', { class: 'stage' }, photo, this.#overlay, this.#marks);
    this.#stage.append(this.#labels);
    this.#stage.style.aspectRatio = `${size.width} / ${size.height}`;
    photo.addEventListener('error', () => this.#stage.classList.add('is-broken'));
    this.root = element('div', { class: 'canvas' }, this.#stage);
    this.#marks.setAttribute('viewBox', `0 0 ${size.width} ${size.height}`);
    this.#listen();
    this.zoomTo(1);
  }

  /**
   * `theirs`: boxes of somebody else, beside these.
   * @param {readonly Box[]} boxes
   * @param {number | undefined} selected
   * @param {readonly Box[]} [theirs]
   */
  show(boxes, selected, theirs = []) {
    this.#boxes = boxes;
    this.#selected = selected;
    const findings = boxes.map(findingOf);
    drawFindings(this.#overlay, findings, this.#size);
    this.#labels.replaceChildren(...findings.map((found, at) => labelFor(found, at, this.#size)));
    const others = theirs.map((box) => svg('path', { class: 'theirs', d: pathOf(findingOf(box)) }));
    this.#marks.replaceChildren(...others);
    const box = selected === undefined ? undefined : boxes[selected];
    if (box !== undefined) this.#mark(box);
  }

  /**
   * How large the picture is, as a multiple of what fits.
   * @param {number} zoom
   * @param {Point} [screen] what stays where it is; else the middle
   */
  zoomTo(zoom, screen) {
    const view = this.root.getBoundingClientRect();
    const { x, y } = screen ?? { x: view.x + view.width / 2, y: view.y + view.height / 2 };
    const before = this.#pointAt({ x, y });
    this.#zoom = Math.max(1, Math.min(zoom, zoomMax));
    const { width, height } = this.#size;
    this.#stage.style.width = `calc(min(100cqw, 100cqh * ${width / height}) * ${this.#zoom})`;
    const after = this.#stage.getBoundingClientRect();
    this.root.scrollLeft += after.x + (before.x / width) * after.width - x;
    this.root.scrollTop += after.y + (before.y / height) * after.height - y;
  }

  /** @param {number} factor @param {Point} [screen] */
  zoomBy(factor, screen) {
    this.zoomTo(this.#zoom * factor, screen);
  }

  /** False: no gesture was under way. */
  cancelGesture() {
    if (this.#gesture === undefined) return false;
    this.#end();
    return true;
  }

  #listen() {
    this.root.addEventListener('pointerdown', (event) => this.#begin(event));
    this.root.addEventListener('pointermove', (event) => {
      this.#pointer = { x: event.clientX, y: event.clientY };
      // Pointers tell of more moves than a screen shows.
      if (this.#gesture !== undefined) this.#frame ||= requestAnimationFrame(() => this.#follow());
    });
    this.root.addEventListener('pointerup', (event) => this.#finish(event));
    this.root.addEventListener('pointercancel', () => this.#end());
    this.root.addEventListener(
      'wheel',
      (event) => {
        if (!(event.ctrlKey || event.metaKey)) return;
        event.preventDefault();
        this.zoomBy(Math.exp(-event.deltaY / 200), { x: event.clientX, y: event.clientY });
      },
      { passive: false },
    );
  }

  /** @param {PointerEvent} event */
  #begin(event) {
    const scrolls = event.button === 1 || (event.button === 0 && this.scrolls);
    if (!event.isPrimary || this.#gesture !== undefined) return;
    if (!(event.button === 0 || scrolls)) return;
    event.preventDefault();
    const screen = { x: event.clientX, y: event.clientY };
    const from = this.#pointAt(screen);
    const scroll = { x: this.root.scrollLeft, y: this.root.scrollTop };
    this.#pointer = screen;
    this.#gesture = { ...this.#meant(from, scrolls), from, screen, scroll };
    this.root.setPointerCapture(event.pointerId);
  }

  /** @param {Point} from @param {boolean} scrolls */
  #meant(from, scrolls) {
    const index = this.#selected;
    const box = index === undefined ? undefined : this.#boxes[index];
    const none = /** @type {const} */ ({ index: undefined, handle: 0 });
    if (scrolls) return { kind: /** @type {const} */ ('scroll'), ...none };
    if (box === undefined) return { kind: /** @type {const} */ ('draw'), ...none };
    const handle = handleAt(box, from, reachMax * this.#pixelsOfPicture);
    if (handle !== undefined) return { kind: /** @type {const} */ ('resize'), index, handle };
    if (isInside(box, from)) return { kind: /** @type {const} */ ('move'), index, handle: 0 };
    return { kind: /** @type {const} */ ('draw'), ...none };
  }

  #follow() {
    this.#frame = 0;
    const gesture = this.#gesture;
    if (gesture?.kind === 'scroll') {
      const { scroll, screen } = gesture;
      this.root.scrollLeft = scroll.x - (this.#pointer.x - screen.x);
      this.root.scrollTop = scroll.y - (this.#pointer.y - screen.y);
    } else if (gesture !== undefined && this.#isDrag(gesture)) {
      const box = gesture.index === undefined ? undefined : this.#boxes[gesture.index];
      const to = this.#placeOf(gesture);
      this.#paint(gesture.index, box === undefined ? { class: '', ...to } : fitted(box, to));
    }
  }

  /** @param {PointerEvent} event */
  #finish(event) {
    const gesture = this.#gesture;
    if (gesture === undefined) return;
    this.#pointer = { x: event.clientX, y: event.clientY };
    if (gesture.kind === 'scroll') this.#follow();
    this.#end();
    if (gesture.kind === 'scroll') return;
    if (!this.#isDrag(gesture)) return this.#on.select(boxAt(this.#boxes, gesture.from));
    const to = this.#placeOf(gesture);
    const box = gesture.index === undefined ? undefined : this.#boxes[gesture.index];
    if (gesture.index === undefined || box === undefined) return this.#on.draw(to);
    this.#on.change(gesture.index, fitted(box, to));
  }

  /** Shows the boxes as they are. */
  #end() {
    cancelAnimationFrame(this.#frame);
    this.#frame = 0;
    this.#gesture = undefined;
    this.show(this.#boxes, this.#selected);
  }

  /** @param {Gesture} gesture */
  #isDrag({ screen }) {
    return Math.hypot(this.#pointer.x - screen.x, this.#pointer.y - screen.y) >= dragMin;
  }

  /** Where a gesture puts its box. @param {Gesture} gesture */
  #placeOf({ kind, index, handle, from }) {
    const to = this.#pointAt(this.#pointer);
    const box = index === undefined ? undefined : this.#boxes[index];
    if (box === undefined) return boxBetween(from, to, this.#size);
    return kind === 'move'
      ? moved(box, to.x - from.x, to.y - from.y, this.#size)
      : resized(box, handle, to, this.#size);
  }

  /** One box while it is dragged: all others stay as they are drawn. */
  #paint(/** @type {number | undefined} */ index, /** @type {Box} */ box) {
    for (const part of this.#stage.querySelectorAll(`[data-index="${index ?? 'new'}"]`)) {
      part.classList.add('is-off');
    }
    this.#mark(box);
  }

  /** The box that is chosen, with its handles. @param {Box} box */
  #mark(box) {
    for (const old of this.#marks.querySelectorAll('.chosen')) old.remove();
    const dots = handlePoints(box).map(({ x, y }) => svg('path', { d: `M${x} ${y}h0` }));
    this.#marks.append(
      svg(
        'g',
        { class: `chosen c${colourOf(box.class)}` },
        svg('path', { class: 'shape', d: pathOf(findingOf(box)) }),
        svg('path', { class: 'frame', d: pathOf(findingOf({ ...box, points: [] })) }),
        ...dots,
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
