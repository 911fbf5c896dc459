// The keypoints of the chosen box: placed one after the other, marked as hidden, named.

import { colourOf } from '../../../http-server/page-assets/drawing.js';
import { element } from '../../../http-server/page-assets/elements.js';
import { keypointPoints, unplaced, withKeypoints, withOtherVisibility } from './movable-points.js';
import { button } from './panel-parts.js';
import { Skeletons } from './skeletons.js';

/** @import { Box, Keypoint, Point, Size } from '../boxes.ts' */

/**
 * `chosen`: the box and the point of it. `places`: whether the next click places a point.
 * @typedef {{
 *   chosen: () => { box: Box | undefined, point: number | undefined },
 *   replace: (box: Box, point: number | undefined) => void,
 *   choosePoint: (point: number) => void,
 *   canvas: { places: boolean },
 * }} Host
 */

const words = ['not placed', 'hidden', 'visible'];

export class KeypointEditor {
  root;
  #host;
  #size;
  #skeletons;
  #head = element('p', { class: 'quiet' });
  #list = element('ol', { class: 'boxes', 'aria-label': 'Keypoints' });
  #names = element('input');
  #place = button('Place points', () => this.start());
  #hide = button('Hidden', () => this.toggleHidden());

  /**
   * @param {Host} host
   * @param {{ slug: string, id: string, size: Size, boxes: readonly Box[] }} image
   */
  constructor(host, { slug, id, size, boxes }) {
    this.#host = host;
    this.#size = size;
    this.#skeletons = new Skeletons(slug, id);
    this.#skeletons.learn(boxes);
    this.#names.addEventListener('change', () => this.#name(this.#names.value));
    this.root = element(
      'section',
      { class: 'stack', 'aria-label': 'Keypoints', hidden: true },
      this.#head,
      element('div', { class: 'row' }, this.#place, this.#hide),
      this.#list,
      element(
        'label',
        { class: 'stack' },
        'Points of this class, separated by commas',
        this.#names,
      ),
    );
  }

  /** From now on each click places the next point of the chosen box. */
  async start() {
    const { box } = this.#host.chosen();
    if (box === undefined) return;
    this.#host.canvas.places = true;
    this.show();
    // Without a network the names are not known: the points have numbers then.
    await this.#skeletons.find(box.class).catch(() => {});
    this.show();
  }

  /** @param {Point} at */
  place(at) {
    const { box, point } = this.#host.chosen();
    if (box === undefined) return;
    const whole = this.#whole(box);
    const index = this.#nextIn(whole, point);
    const { keypoints = [] } = whole;
    const isNamed = this.#skeletons.of(box.class).length > 0;
    if (isNamed && index === keypoints.length) return this.#stop();
    const longer =
      index < keypoints.length
        ? whole
        : { ...whole, keypoints: [...keypoints, unplaced(String(index + 1))] };
    const placed = keypointPoints.moved(longer, index, at, this.#size);
    if (isNamed && missingIn(placed) === undefined) this.#stop();
    this.#host.replace(placed, undefined);
  }

  #stop() {
    this.#host.canvas.places = false;
    this.show();
  }

  /** The next point goes into the middle of its box, from where keys move it. */
  placeInMiddle() {
    const { box, point } = this.#host.chosen();
    if (!this.#host.canvas.places || box === undefined) return false;
    const index = this.#nextIn(this.#whole(box), point);
    this.place({ x: box.left + box.width / 2, y: box.top + box.height / 2 });
    this.#host.choosePoint(index);
    return true;
  }

  /** The chosen point is hidden by something, or is not any more. */
  toggleHidden() {
    const { box, point } = this.#host.chosen();
    if (box?.keypoints?.[point ?? -1] === undefined || point === undefined) return;
    this.#host.replace(withOtherVisibility(box, point), point);
  }

  show() {
    const { box, point } = this.#host.chosen();
    this.root.hidden = box === undefined;
    if (box === undefined) return;
    const { keypoints = [] } = this.#whole(box);
    const next = keypoints[this.#nextIn({ ...box, keypoints }, point)]?.label ?? 'the next point';
    this.#head.textContent = this.#host.canvas.places
      ? `Click where ${next} is; Escape ends that.`
      : 'A click on a point chooses it.';
    this.#hide.disabled = point === undefined || keypoints[point]?.visibility === 0;
    const hadFocus = this.#list.contains(document.activeElement);
    const rows = keypoints.map((one, index) => this.#row(box, one, index, point));
    this.#list.replaceChildren(...rows);
    if (hadFocus) this.#list.querySelectorAll('button')[point ?? 0]?.focus();
    this.#names.value = keypoints.map(({ label }) => label).join(', ');
  }

  /** @param {Box} box @param {Keypoint} keypoint @param {number} index @param {number | undefined} point */
  #row(box, { label, visibility }, index, point) {
    const choice = button(`${label}: ${words[visibility]}`, () => {
      if (box.keypoints?.[index] === undefined) this.#host.replace(this.#whole(box), index);
      else this.#host.choosePoint(index);
      if (visibility > 0) return;
      this.#host.canvas.places = true;
      this.show();
    });
    choice.className = `box-row c${colourOf(box.class)}`;
    choice.setAttribute('aria-pressed', String(index === point));
    return element('li', {}, choice);
  }

  /** @param {string} text */
  #name(text) {
    const { box } = this.#host.chosen();
    if (box === undefined) return;
    const names = text.split(',').map((name) => name.trim());
    const points = [...new Set(names.filter((name) => name !== ''))];
    this.#skeletons.set(box.class, points);
    this.#host.replace(withKeypoints(box, points), undefined);
  }

  /** With all points of its class, those too that are not placed. @param {Box} box */
  #whole(box) {
    return withKeypoints(box, [
      ...new Set([
        ...this.#skeletons.of(box.class),
        ...(box.keypoints ?? []).map(({ label }) => label),
      ]),
    ]);
  }

  /** The chosen point where it is not placed yet, or else the first such one. @param {Box} box @param {number | undefined} point */
  #nextIn(box, point) {
    const { keypoints = [] } = box;
    if (point !== undefined && keypoints[point]?.visibility === 0) return point;
    return missingIn(box) ?? keypoints.length;
  }
}

/** @param {Box} box */
function missingIn({ keypoints = [] }) {
  const at = keypoints.findIndex(({ visibility }) => visibility === 0);
  return at < 0 ? undefined : at;
}
