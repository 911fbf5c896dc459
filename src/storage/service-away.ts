// What counts as an outage: a service that we need is away or overloaded, and nothing is wrong with
// the work.

import { FoveaError } from '../errors.ts';

const services = ['database', 'object-store'] as const;

/** What may be away, or overloaded, for a time. */
export type AwaitedService = (typeof services)[number];

/**
 * A service refuses connections, drops them, stays silent, says that it cannot answer now, or takes
 * longer than it may. What needed it succeeds by itself once the service is as it should be.
 */
export class ServiceAway extends FoveaError {
  readonly service: AwaitedService;

  /** `cause` is logged, so it has no secrets. */
  constructor(service: AwaitedService, message: string, cause: unknown) {
    super('unavailable', message, { cause, retryAfterSeconds: 1 });
    this.service = service;
  }
}

/** The service whose outage is why this was thrown, also where others say so of their own work. */
export function awaitedService(thrown: unknown): AwaitedService | undefined {
  if (thrown instanceof ServiceAway) return thrown.service;
  return thrown instanceof Error ? awaitedService(thrown.cause) : undefined;
}

/** From a row. */
export function readAwaitedService(text: string | undefined): AwaitedService | undefined {
  return services.find((service) => service === text);
}
