// The names of the keypoints of each class, in their order: as labelled images have them, or as a
// person says. The platform keeps them with the labels alone.

import { boxesOf } from '../boxes-of-image.js';
import { service } from './labelling-service.js';

/** @import { Box } from '../boxes.ts' */

/** By project and class. @type {Map<string, readonly string[]>} */
const known = new Map();

/** Images, some of which may have no keypoints yet. */
const lookedAtMax = 5;

export class Skeletons {
  #slug;
  #image;

  /** @param {string} slug @param {string} image the id of the one that is being labelled */
  constructor(slug, image) {
    this.#slug = slug;
    this.#image = image;
  }

  /** Empty: nobody knows. @param {string} name of the class */
  of(name) {
    return known.get(this.#keyOf(name)) ?? [];
  }

  /** @param {string} name of the class @param {readonly string[]} points */
  set(name, points) {
    known.set(this.#keyOf(name), points);
  }

  /** What is known already stays. @param {readonly Box[]} boxes */
  learn(boxes) {
    for (const { class: name, keypoints = [] } of boxes) {
      if (keypoints.length > this.of(name).length) {
        this.set(
          name,
          keypoints.map(({ label }) => label),
        );
      }
    }
  }

  /**
   * Looks at other images that have the class, where nothing is known of it: this one has what is
   * being placed, point by point.
   * @param {string} name
   */
  async find(name) {
    if (known.has(this.#keyOf(name))) return;
    const quoted = `"${name.replaceAll(/["\\]/g, '\\$&')}"`;
    const { results } = await service().searchWorkspace(
      `project:${this.#slug} class:${quoted}`,
      lookedAtMax,
    );
    for (const { id } of results) {
      if (known.has(this.#keyOf(name))) return;
      if (id === undefined || id === this.#image) continue;
      this.learn(boxesOf(await service().getImage(this.#slug, id)));
    }
  }

  /** @param {string} name */
  #keyOf(name) {
    return JSON.stringify([this.#slug, name]);
  }
}
