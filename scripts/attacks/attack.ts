// What an attack is, and what it works with.

import type { Reply, Request } from './raw-request.ts';

/** The target: a service of the release, or the control, which has no limits. */
export type TargetName =
  | ('platform' | 'event-store' | 'full-event-store')
  | ('http' | 'stdio')
  | 'control';

/** What an attack uses of its target. Its own requests are recorded, those to prepare are not. */
export interface Target {
  readonly url: string;
  readonly port: number;
  /** The credential of the attacker. */
  readonly key: string;
  readonly pid: number;
  /** The id of something that is there: `project`, `imageId`, `event_id` and so on. */
  id(name: string): string;
  /** One request of the attacker; its status is recorded. A refusal is an answer like another. */
  send(request: Request): Promise<Reply>;
  /** Code that opens connections records each: its status, or how it ended. */
  record(status: number | string): void;
  /** A request before or after the attack, which must succeed. */
  ask(request: Request): Promise<unknown>;
  /** A request of somebody else during the attack: it must succeed, and its time is a pause. */
  bystander(request: Request, quietMs?: number): Promise<Reply>;
  /** Its work goes on afterwards: leftovers are not checked, and the service is restarted. */
  worksOn(): void;
  /** A forbidden effect, beside the measured ones. */
  fail(problem: string): void;
}

export interface Attack {
  readonly name: string;
  readonly target: TargetName;
  /** Makes the payload and what else is needed, without being measured; gives the attack. */
  prepare(target: Target): Promise<() => Promise<unknown>>;
  /** Connections may be cut without an answer. */
  readonly mayCut?: true;
  /** What it does is remembered by the process: the next attack begins with a new one. */
  readonly restarts?: true;
  /** Answers above 499 that the contract has for it, beside 529. */
  readonly contractStatuses?: readonly number[];
  /** Left out by `--quick`. */
  readonly slow?: true;
}

/** An attack of one request. */
export function single(
  target: TargetName,
  name: string,
  make: (target: Target) => Request | Promise<Request>,
  more: Partial<Attack> = {},
): Attack {
  return {
    ...more,
    name,
    target,
    prepare: async (given) => {
      const request = await make(given);
      return () => given.send(request);
    },
  };
}
