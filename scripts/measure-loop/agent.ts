// An agent that sends what answers name as the next call: where one is missing, it stops.

import * as z from 'zod';
import type { Facts, Fovea } from '../../test/fixtures/fovea.ts';

const nextCalls = z.array(z.looseObject({ tool: z.string(), arguments: z.looseObject({}) }));

export interface Answered {
  readonly facts: Facts;
  /** The arguments of the next call of this tool; undefined where the answer names none. */
  next(tool: string): Facts | undefined;
  /** Sends the next call of this tool that the answer names, with more arguments. */
  follow(tool: string, more?: Facts): Promise<Answered>;
  /** Waits for the task that the answer names. Throws where it fails. */
  wait(): Promise<Answered>;
}

export class Agent {
  readonly #fovea: Fovea;
  readonly #say: (line: string) => void;

  constructor(fovea: Fovea, say: (line: string) => void) {
    this.#fovea = fovea;
    this.#say = say;
  }

  /** Throws where the tool fails. */
  async call(tool: string, args: Facts, isSaid = true): Promise<Answered> {
    const facts = await this.#fovea.ok(tool, args);
    if (isSaid) this.#say(`${tool}: ${String(facts.summary)}`);
    const calls = nextCalls.parse(facts.next ?? []);
    const next = (wanted: string) => calls.find((call) => call.tool === wanted)?.arguments;
    const needed = (wanted: string): Facts => {
      const found = next(wanted);
      if (found === undefined) throw new Error(`The answer of ${tool} names no ${wanted}.`);
      return found;
    };
    return {
      facts,
      next,
      follow: (wanted, more = {}) => this.call(wanted, { ...needed(wanted), ...more }),
      wait: () => this.#wait(needed('tasks_wait')),
    };
  }

  async #wait(args: Facts): Promise<Answered> {
    for (;;) {
      const answered = await this.call('tasks_wait', args, false);
      if (answered.facts.done !== true) continue;
      this.#say(`tasks_wait: ${String(answered.facts.summary)}`);
      if (answered.facts.status === 'completed') return answered;
      throw new Error(`A task has failed: ${String(answered.facts.error)}`);
    }
  }
}
