// Turns for what takes much memory or time: so much at once, and fair between callers.

/** In whose name something counts. */
export interface Caller {
  /** One credential, or the address of whoever has none. */
  readonly name: string;
  /** Callers that may be one: the keys of a workspace, since each may make others. */
  readonly group?: string;
}

/** The place of one in the queue: it waits only where it begins. */
export interface Turn {
  /** Resolves when its turn has come; undefined: it has come already. */
  begin(): Promise<void> | undefined;
  /** Makes room for others; also for who never began, or still waits. */
  end(): void;
}

export interface Turns {
  /** A turn that takes so many shares; one unless given. */
  next(caller: Caller, shares?: number): Turn;
}

export interface TurnBounds {
  /** Shares that are taken at the same time. */
  readonly sharesMax: number;
  /** Of one caller; whoever wants more at once has all of them, alone. */
  readonly callerSharesMax: number;
  /** Of all callers of a group; as many as there are unless given. */
  readonly groupSharesMax?: number;
}

/**
 * Callers come in one after the other, each with the turn that it asked for first. Whoever has all
 * of its own shares waits for itself, and keeps nobody else waiting.
 */
export function createTurns(bounds: TurnBounds): Turns {
  const queue = new FairQueue(bounds);
  return { next: (caller, shares = 1) => queue.turn(caller, shares) };
}

interface Place {
  readonly caller: Caller;
  readonly shares: number;
  readonly run: () => void;
}

class FairQueue {
  readonly #bounds: TurnBounds;
  readonly #taken = new Taken();
  /** By caller; who was served last is the last. */
  readonly #waiting = new Map<string, Set<Place>>();
  #free: number;

  constructor(bounds: TurnBounds) {
    this.#bounds = bounds;
    this.#free = bounds.sharesMax;
  }

  turn(caller: Caller, wanted: number): Turn {
    const shares = Math.min(wanted, this.#bounds.callerSharesMax);
    let state: 'new' | 'waiting' | 'running' | 'ended' = 'new';
    let begun: PromiseWithResolvers<void> | undefined;
    const run = () => {
      state = 'running';
      begun?.resolve();
    };
    const place = { caller, shares, run };
    return {
      begin: () => {
        if (state !== 'new') return state === 'waiting' ? begun?.promise : undefined;
        state = 'waiting';
        this.#add(place);
        this.#admit();
        if (state !== 'waiting') return undefined;
        begun = Promise.withResolvers<void>();
        return begun.promise;
      },
      end: () => {
        if (state === 'waiting') this.#remove(place);
        if (state === 'running') this.#giveBack(place);
        state = 'ended';
      },
    };
  }

  #add(place: Place): void {
    const { name } = place.caller;
    const own = this.#waiting.get(name);
    if (own) own.add(place);
    else this.#waiting.set(name, new Set([place]));
  }

  #remove(place: Place): void {
    const { name } = place.caller;
    const own = this.#waiting.get(name);
    own?.delete(place);
    if (own?.size === 0) this.#waiting.delete(name);
  }

  #giveBack({ caller, shares }: Place): void {
    this.#taken.add(caller, -shares);
    this.#free += shares;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { caller, shares } = next;
      this.#remove(next);
      const others = this.#waiting.get(caller.name);
      if (others) {
        this.#waiting.delete(caller.name);
        this.#waiting.set(caller.name, others);
      }
      this.#free -= shares;
      this.#taken.add(caller, shares);
      next.run();
    }
  }

  /** Nobody overtakes the first for whom only room is missing: else much would wait for ever. */
  #next(): Place | undefined {
    const { callerSharesMax, groupSharesMax = Number.POSITIVE_INFINITY } = this.#bounds;
    for (const [place] of this.#waiting.values()) {
      if (place === undefined) continue;
      const { caller, shares } = place;
      const { own, group } = this.#taken.of(caller);
      if (own + shares > callerSharesMax || group + shares > groupSharesMax) continue;
      return shares <= this.#free ? place : undefined;
    }
    return undefined;
  }
}

/** How much each caller has, and each group. */
class Taken {
  readonly #callers = new Map<string, number>();
  readonly #groups = new Map<string, number>();

  of({ name, group }: Caller): { readonly own: number; readonly group: number } {
    const ofGroup = group === undefined ? 0 : this.#groups.get(group);
    return { own: this.#callers.get(name) ?? 0, group: ofGroup ?? 0 };
  }

  add({ name, group }: Caller, shares: number): void {
    addTo(this.#callers, name, shares);
    if (group !== undefined) addTo(this.#groups, group, shares);
  }
}

function addTo(sums: Map<string, number>, name: string, shares: number): void {
  const sum = (sums.get(name) ?? 0) + shares;
  if (sum === 0) sums.delete(name);
  else sums.set(name, sum);
}
