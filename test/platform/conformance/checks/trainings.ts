// Training runs and models.

import assert from 'node:assert/strict';
import { setTimeout as sleep } from 'node:timers/promises';
import * as z from 'zod';
import { type Context, check, type FamilyChecks } from '../check.ts';
import { annotate, ask, askFor, at, newProject, refused, upload } from '../steps.ts';
import { generateVersion } from './projects.ts';

const started = z.looseObject({ trainingId: z.string().min(1), jobId: z.string().optional() });
const listed = z.looseObject({
  trainings: z.array(z.looseObject({ trainingId: z.string(), status: z.string() })),
});
const recipe = z.looseObject({ schema: z.looseObject({}), template: z.looseObject({}) });
const models = z.looseObject({ models: z.array(z.looseObject({ id: z.string() })) });
const deleted = z.looseObject({ deleted: z.literal(true) });
const trash = z.looseObject({
  items: z.array(z.looseObject({ type: z.string(), id: z.string() })),
});
const trained = z.looseObject({
  version: z.looseObject({ model: z.looseObject({ id: z.string() }).nullable() }),
});

/** Address of the trainings of a new version with so many labelled images to learn from. */
async function newVersion(context: Context, trainImages = 1) {
  const slug = await newProject(context);
  const splits = ['valid', ...Array.from({ length: trainImages }, () => 'train')];
  for (const [shade, split] of splits.entries()) {
    const id = await upload(context, slug, shade, { split });
    await annotate(context, slug, id, [['cell', 8, 8, 24, 24]]);
  }
  const version = await generateVersion(context, slug);
  return { slug, path: at(context, slug, `/${version}/v2/trainings`) };
}

async function statusOf(
  context: Context,
  path: string,
  trainingId: string,
): Promise<string | undefined> {
  const { trainings } = await askFor(context, listed, { path });
  return trainings.find((one) => one.trainingId === trainingId)?.status;
}

async function until(
  context: Context,
  path: string,
  trainingId: string,
  status: string,
): Promise<void> {
  let last: string | undefined;
  for (let attempt = 0; attempt < 600; attempt += 1) {
    last = await statusOf(context, path, trainingId);
    if (last === status) return;
    assert.ok(open.includes(last ?? ''), `training ${trainingId} is ${last}, not ${status}`);
    await sleep(100);
  }
  assert.fail(`training ${trainingId} is ${last}, not ${status}, after a minute`);
}

const open: readonly string[] = ['queued', 'running', 'stopping'];

export const trainingChecks: FamilyChecks = {
  default: [
    check('trainings where none runs', ['12.1', '11.7', '2.9'], async (context) => {
      const { slug, path } = await newVersion(context);
      const query = { modelType: 'custom' };
      await askFor(context, recipe, { path: `${path}/recipe`, query });
      await refused(context, { path: `${path}/recipe`, query: { modelType: 'no-such-type' } }, 404);
      await askFor(context, recipe, { path: `${path}/recipe` });
      assert.deepEqual(
        (await askFor(context, models, { path: at(context, slug, '/models') })).models,
        [],
      );
      for (const action of ['cancel', 'stop']) {
        await refused(context, { path: `${path}/${action}`, json: {} }, 404);
        const json = { trainingId: 7 };
        await refused(context, { path: `${path}/${action}`, json }, 400);
      }
      await refused(context, { method: 'DELETE', path: `${path}/nobody` }, 404);
    }),
    check('a training without a trainer is refused, and says why', ['11.7'], async (context) => {
      const { path } = await newVersion(context);
      const why = await refused(context, { path, json: {} }, 409);
      assert.match(why, /FOVEA_TRAINER/);
    }),
  ],
  trainer: [
    check(
      'a queued training is cancelled, a running one stopped, and then deleted',
      ['8.10', '8.13', '8.14', '11.8', '12.2', '12.3', '12.4'],
      async (context) => {
        // More than it can learn before it is stopped.
        const { slug, path } = await newVersion(context, 12);
        const json = { epochs: 300 };
        const first = (await askFor(context, started, { path, json })).trainingId;
        const second = (await askFor(context, started, { path, json })).trainingId;
        await until(context, path, first, 'running');
        await refused(context, { path: `${path}/stop`, json: { trainingId: second } }, 409);
        await refused(context, { path: `${path}/cancel`, json: {} }, 409);
        await ask(context, { path: `${path}/cancel`, json: { trainingId: second } }, 200);
        assert.equal(await statusOf(context, path, second), 'cancelled');
        await ask(context, { path: `${path}/stop`, json: {} }, 200);
        await until(context, path, first, 'stopped');
        await refused(context, { path: `${path}/stop`, json: { trainingId: first } }, 409);
        const { version } = await askFor(context, trained, { path: at(context, slug, '/1') });
        assert.equal(version.model?.id, `${slug}/1`);
        await askFor(context, deleted, { method: 'DELETE', path: `${path}/${first}` });
        assert.equal(await statusOf(context, path, first), undefined);
        const { items } = await askFor(context, trash, { path: `/${context.workspace}/trash` });
        assert.ok(items.some(({ type, id }) => type === 'training' && id === first));
      },
    ),
    check('a trained model is listed and deployed', ['11.7', '19.2'], async (context) => {
      const { slug, path } = await newVersion(context);
      const { trainingId } = await askFor(context, started, { path, json: { epochs: 2 } });
      await until(context, path, trainingId, 'finished');
      const found = await askFor(context, models, { path: at(context, slug, '/models') });
      const [modelId] = found.models.map(({ id }) => id);
      assert.equal(modelId, `${slug}/1/${trainingId}`);
      const deploy = at(context, slug, '/deploy');
      const json = { model: { type: 'model_id', modelId } };
      await ask(context, { path: `${deploy}/model`, json }, 200);
      const model = z.looseObject({ model: z.looseObject({ modelId: z.string() }) });
      assert.equal((await askFor(context, model, { path: deploy })).model.modelId, modelId);
      // A deployed model is not taken away.
      await refused(context, { method: 'DELETE', path: `${path}/${trainingId}` }, 409);
    }),
  ],
};
