// The hand that labels: all gestures of a day go through it, and it counts them.

import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

export interface Point {
  readonly x: number;
  readonly y: number;
}

/** What the gestures so far took. */
export interface Effort {
  /** Presses of the pointer's button; a drag has one. */
  readonly clicks: number;
  /** Keys, also those that are held down meanwhile. */
  readonly keys: number;
  /** Pixels of the screen, from gesture to gesture too. */
  readonly path: number;
  /** What these gestures take a person, by the keystroke-level model and without thinking. */
  readonly handSeconds: number;
}

/** Card, Moran and Newell (1980), in seconds: a key, a button down or up, pointing at a place. */
const seconds = { key: 0.28, button: 0.1, pointing: 1.1 };

/**
 * A page hears of gestures one after the other: no person is faster than this, and what follows at
 * once is lost by some tools.
 */
const pauseMs = 50;

export class Hand {
  readonly #page: Page;
  #at: Point = { x: 0, y: 0 };
  /** When the last gesture was over, as `performance.now` tells it. */
  doneMs = 0;
  #effort: Effort = { clicks: 0, keys: 0, path: 0, handSeconds: 0 };

  constructor(page: Page) {
    this.#page = page;
  }

  get effort(): Effort {
    return this.#effort;
  }

  /** One key, or several at once: `Control+Enter`. */
  async press(keys: string): Promise<void> {
    await sleep(pauseMs);
    await this.#page.keyboard.press(keys);
    this.#count({ keys: keys.split('+').length });
  }

  /** With a key held down if one is given. */
  async drag(from: Point, to: Point, held?: string): Promise<void> {
    await sleep(pauseMs);
    const { mouse, keyboard } = this.#page;
    if (held !== undefined) await keyboard.down(held);
    await mouse.move(from.x, from.y);
    await mouse.down();
    await mouse.move(to.x, to.y, { steps: 5 });
    await mouse.up();
    if (held !== undefined) await keyboard.up(held);
    const path = distance(this.#at, from) + distance(from, to);
    this.#at = to;
    this.#count({ clicks: 1, keys: held === undefined ? 0 : 1, path });
  }

  #count({ clicks = 0, keys = 0, path = 0 }): void {
    this.doneMs = performance.now();
    const before = this.#effort;
    const drag = 2 * (seconds.pointing + seconds.button);
    this.#effort = {
      clicks: before.clicks + clicks,
      keys: before.keys + keys,
      path: before.path + path,
      handSeconds: before.handSeconds + keys * seconds.key + clicks * drag,
    };
  }
}

function distance(one: Point, other: Point): number {
  return Math.hypot(one.x - other.x, one.y - other.y);
}
