// What of the machine runs a model: a GPU that the ONNX runtime for Node can use, else the
// processor.

import { existsSync } from 'node:fs';

/** A backend as onnxruntime-node lists it. */
interface Backend {
  readonly name: string;
}

/** CUDA (NVIDIA on Linux) and DirectML (any GPU on Windows) give what the processor gives. */
const gpus = ['cuda', 'dml'];

/** It stays where one driver or library is missing, so others need not try it again. */
let hasFailed = false;

/**
 * Makes a session on the GPU where `backends` has one that can be used, else, and where that fails,
 * as the runtime does by itself: on the processor, which also does what a GPU cannot of a model.
 */
export async function createOnDevice<Session>(
  backends: readonly Backend[] = [],
  create: (executionProviders?: readonly string[]) => Promise<Session>,
): Promise<Session> {
  const found = backends.find(({ name }) => gpus.includes(name) && hasDriver(name));
  if (found === undefined || hasFailed) return create();
  try {
    return await create([found.name, 'cpu']);
  } catch {
    // Where the file is at fault, the processor says so too.
    const session = await create();
    hasFailed = true;
    return session;
  }
}

/** The runtime for Linux lists CUDA everywhere, and complains on standard error without it. */
function hasDriver(name: string): boolean {
  return name !== 'cuda' || existsSync('/proc/driver/nvidia/version');
}
