// The platform as labelling uses it: by requests on its own page, by calls of tools inside a host.

/** @import { LabellingService } from '../types.ts' */

/** @type {LabellingService | undefined} */
let used;

/** Before the first image is opened. @param {LabellingService} service */
export function useService(service) {
  used = service;
}

export function service() {
  if (used === undefined) throw new Error('no service was set');
  return used;
}
