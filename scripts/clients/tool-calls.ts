// Calls of a day by MCP tools, of which none may fail.

import { setTimeout as sleep } from 'node:timers/promises';
import type { JsonObject } from '../../src/json-object.ts';
import type { Fovea } from '../../test/fixtures/fovea.ts';
import { annotationOf, type Kind, makePicture } from './day-folders.ts';
import { listOf } from './facts.ts';

export class ToolCalls {
  readonly #fovea: Fovea;
  /** For what the day writes. */
  readonly folder: string;
  #pictures = 0;

  constructor(fovea: Fovea, folder: string) {
    this.#fovea = fovea;
    this.folder = folder;
  }

  /** Throws where the tool answers an error. */
  ok(name: string, args: JsonObject): Promise<JsonObject> {
    return this.#fovea.ok(name, args);
  }

  /** Uploads one image. Returns its id. */
  async upload(file: string, args: JsonObject): Promise<string> {
    const answer = await this.ok('images_upload', { files: [file], ...args });
    const { images, failedTotal } = answer;
    if (!Array.isArray(images) || failedTotal !== 0) throw new Error(JSON.stringify(answer));
    const [first] = images;
    return typeof first === 'string' ? first : String(listOf(images)[0]?.id);
  }

  /** Uploads an image that no project has. */
  async uploadPicture(args: JsonObject): Promise<string> {
    this.#pictures += 1;
    return this.upload(await makePicture(this.folder, this.#pictures), args);
  }

  async annotate(kind: Kind, imageId: string, path: string, args: JsonObject): Promise<void> {
    await this.ok('images_annotate', {
      imageId,
      ...(await annotationOf(kind, path, this.folder)),
      ...args,
    });
  }

  /** Waits for a task, however long it takes. */
  async wait(args: JsonObject): Promise<JsonObject> {
    for (;;) {
      const { done, ...standing } = await this.ok('tasks_wait', args);
      if (standing.status === 'failed') throw new Error(JSON.stringify(standing));
      if (done === true || standing.status === 'completed') return standing;
    }
  }

  /** Waits until a training has, or has not, one of some states. */
  async untilTraining(
    where: { readonly project: string; readonly version: number },
    trainingId: unknown,
    holds: (status: string) => boolean,
  ): Promise<void> {
    for (;;) {
      const { trainings } = await this.ok('trainings_list', where);
      const run = listOf(trainings).find((one) => one.trainingId === trainingId);
      if (run === undefined) throw new Error(`no training ${trainingId}`);
      if (run.status === 'failed') throw new Error(JSON.stringify(run));
      if (holds(String(run.status))) return;
      await sleep(200);
    }
  }
}
