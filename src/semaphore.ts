// A counting semaphore: bounds what runs or is held in memory at the same time, and is fair between
// callers.

/** In whose name permits are taken. */
export interface Caller {
  /** One credential, or the address of a caller without a credential. */
  readonly name: string;
  /** Callers who may be one person, such as the keys of a workspace: any key can make others. */
  readonly group?: string;
}

/** Permits of one caller. They count from `acquire` to `release`. */
export interface Permit {
  /**
   * Resolves when the permits are held; undefined if they are held already. Rejects with the
   * reason of the signal if that aborts first.
   */
  acquire(signal?: AbortSignal): Promise<void> | undefined;
  /** Gives the permits to those who wait; also for a permit that still waits or never began. */
  release(): void;
}

export interface SemaphoreOptions {
  /** Permits that can be held at the same time. */
  readonly permitsMax: number;
  /** Of one caller; a request for more takes all of these. All permits unless given. */
  readonly callerPermitsMax?: number;
  /** Of all callers of a group together. All permits unless given. */
  readonly groupPermitsMax?: number;
}

export interface RunOptions {
  /** Without it, all are one caller: first come, first served. */
  readonly caller?: Caller;
  /** How many permits the work needs; one unless given. */
  readonly permits?: number;
  readonly signal?: AbortSignal | undefined;
}

interface Request {
  readonly caller: Caller;
  readonly permits: number;
  readonly grant: () => void;
}

/**
 * Callers take turns, each with its oldest request. A caller who holds all of its own permits waits
 * for itself, and holds up nobody else.
 */
export class Semaphore {
  readonly #permitsMax: number;
  readonly #callerPermitsMax: number;
  readonly #groupPermitsMax: number;
  readonly #held = new HeldPermits();
  /** By caller; the caller who was served last is the last. */
  readonly #waiting = new Map<string, Set<Request>>();
  #free: number;

  constructor({ permitsMax, callerPermitsMax, groupPermitsMax }: SemaphoreOptions) {
    this.#permitsMax = permitsMax;
    this.#callerPermitsMax = callerPermitsMax ?? permitsMax;
    this.#groupPermitsMax = groupPermitsMax ?? Number.POSITIVE_INFINITY;
    this.#free = permitsMax;
  }

  /** Runs work while it holds permits. Throws what the work throws, or the reason of the signal. */
  async run<Value>(
    work: () => Promise<Value>,
    { caller = anyone, permits = 1, signal }: RunOptions = {},
  ): Promise<Value> {
    const permit = this.permit(caller, permits);
    try {
      await permit.acquire(signal);
      return await work();
    } finally {
      permit.release();
    }
  }

  /** Permits that are not held yet; one unless given. */
  permit(caller: Caller, wanted = 1): Permit {
    const permits = Math.min(wanted, this.#callerPermitsMax, this.#permitsMax);
    let state: 'new' | 'waiting' | 'held' | 'released' = 'new';
    let waited: PromiseWithResolvers<void> | undefined;
    const grant = () => {
      state = 'held';
      waited?.resolve();
    };
    const request: Request = { caller, permits, grant };
    const release = () => {
      if (state === 'waiting') this.#cancel(request);
      if (state === 'held') this.#giveBack(request);
      state = 'released';
    };
    return {
      acquire: (signal) => {
        if (state !== 'new') return state === 'waiting' ? waited?.promise : undefined;
        if (signal?.aborted) return Promise.reject(signal.reason);
        state = 'waiting';
        this.#add(request);
        this.#admit();
        if (state !== 'waiting') return undefined;
        waited = Promise.withResolvers<void>();
        return signal ? abortable(waited, signal, release) : waited.promise;
      },
      release,
    };
  }

  #add(request: Request): void {
    const { name } = request.caller;
    const own = this.#waiting.get(name);
    if (own) own.add(request);
    else this.#waiting.set(name, new Set([request]));
  }

  #remove(request: Request): void {
    const { name } = request.caller;
    const own = this.#waiting.get(name);
    own?.delete(request);
    if (own?.size === 0) this.#waiting.delete(name);
  }

  #cancel(request: Request): void {
    this.#remove(request);
    this.#admit();
  }

  #giveBack({ caller, permits }: Request): void {
    this.#held.add(caller, -permits);
    this.#free += permits;
    this.#admit();
  }

  #admit(): void {
    for (let next = this.#next(); next !== undefined; next = this.#next()) {
      const { caller, permits } = next;
      this.#remove(next);
      const others = this.#waiting.get(caller.name);
      if (others) {
        this.#waiting.delete(caller.name);
        this.#waiting.set(caller.name, others);
      }
      this.#free -= permits;
      this.#held.add(caller, permits);
      next.grant();
    }
  }

  /** A request that waits for free permits alone is not overtaken: else it might wait for ever. */
  #next(): Request | undefined {
    for (const [request] of this.#waiting.values()) {
      if (request === undefined) continue;
      const { caller, permits } = request;
      const { own, group } = this.#held.of(caller);
      if (own + permits > this.#callerPermitsMax || group + permits > this.#groupPermitsMax) {
        continue;
      }
      return permits <= this.#free ? request : undefined;
    }
    return undefined;
  }
}

const anyone: Caller = { name: '' };

async function abortable(
  { promise, reject }: PromiseWithResolvers<void>,
  signal: AbortSignal,
  release: () => void,
): Promise<void> {
  const onAbort = () => {
    release();
    reject(signal.reason);
  };
  signal.addEventListener('abort', onAbort, { once: true });
  try {
    await promise;
  } finally {
    signal.removeEventListener('abort', onAbort);
  }
}

/** How many permits each caller holds, and each group. */
class HeldPermits {
  readonly #callers = new Map<string, number>();
  readonly #groups = new Map<string, number>();

  of({ name, group }: Caller): { readonly own: number; readonly group: number } {
    const ofGroup = group === undefined ? 0 : this.#groups.get(group);
    return { own: this.#callers.get(name) ?? 0, group: ofGroup ?? 0 };
  }

  add({ name, group }: Caller, permits: number): void {
    addTo(this.#callers, name, permits);
    if (group !== undefined) addTo(this.#groups, group, permits);
  }
}

function addTo(sums: Map<string, number>, name: string, permits: number): void {
  const sum = (sums.get(name) ?? 0) + permits;
  if (sum === 0) sums.delete(name);
  else sums.set(name, sum);
}
