// operations_find: wishes in the words of people, each with the operations that fulfil it.

import { afterAll, beforeAll, describe, expect, it, test } from 'vitest';
import * as z from 'zod';
import { operationSynonyms } from '../../src/mcp/operation-search/synonyms.ts';
import { meantOperation } from '../../src/mcp/operation-search/word-synonyms.ts';
import list from '../../tools/list.json' with { type: 'json' };
import { launchFovea } from '../fixtures/fovea.ts';

/** Those that a user tried, most of which led somewhere else once. */
const tried: readonly (readonly [wish: string, ...right: string[]])[] = [
  ['move images from train to valid', 'projects_rebalance_splits'],
  ['change the model in production', 'deployment_set_model'],
  ['upload a folder of COCO data', 'images_upload', 'images_upload_zip'],
  ['remove old events', 'events_stats'],
  ['log in', 'auth_sign_in'],
  ['show me augmentations', 'versions_preview'],
  ['use a model to pre-label', 'autolabel_start'],
  ['pre-annotate with SAM', 'autolabel_start'],
  ['wrong boxes', 'projects_health'],
  ['find images without labels', 'workspace_search'],
  ['how many boxes per class', 'projects_health'],
  ['which classes are rare', 'projects_health'],
  ['list my projects', 'workspace_get'],
  ['get accuracy', 'models_list'],
  ['download original image', 'images_download'],
];

/** Written before the words of the finder were, and without a look at how it ranks. */
const unseen: typeof tried = [
  ['throw away a picture', 'images_delete'],
  ['get back a project I deleted by mistake', 'trash_restore'],
  ["what's in the bin", 'trash_list'],
  ['is my training finished yet', 'trainings_list', 'tasks_wait'],
  ['give a colleague images to label', 'annotation_jobs_create'],
  ['have somebody approve the labels', 'annotation_review'],
  ['let me check the boxes by hand', 'annotation_review'],
  ['try my model on a photo', 'inference_run'],
  ['why does it miss platelets', 'evaluations_get'],
  ['which classes does the model confuse', 'evaluations_get'],
  ['which labels are probably wrong', 'evaluations_get'],
  ['which of two models is better', 'evaluations_compare', 'models_list'],
  ['what should I fix first to improve the model', 'evaluations_get'],
  ['tag the mislabelled images', 'evaluations_tag'],
  ['fix the labels that are wrong', 'evaluations_mend'],
  ['judge my predictions by the labels', 'evaluations_create'],
  ['mAP of my model', 'evaluations_create'],
  ['put the dataset into YOLO format on my disk', 'versions_export'],
  ['make the dataset bigger with flipped and rotated copies', 'versions_generate'],
  ['kill a leaked key', 'api_keys_revoke'],
  ['who am I logged in as', 'auth_status', 'auth_userinfo', 'workspace_whoami'],
  ['log out', 'auth_sign_out'],
  ['what happened on the camera last night', 'events_list'],
  ['is the event store full', 'events_stats'],
  ['keep this event forever', 'events_hold'],
  ['keep events forever', 'events_hold'],
  ['which uploads did I make', 'batches_list'],
  ['find public datasets about cars', 'catalog_search'],
  ['copy a public dataset', 'projects_fork'],
  ['rename a folder', 'folders_update'],
  ['something does not work, what is wrong with my setup', 'doctor'],
  ['count people in a video', 'video_inference_start'],
  ['get the labels of one image', 'images_get'],
  ['find pictures that look like this one', 'images_search'],
  ['collect hard images from production', 'active_learning_enable'],
  ['stop the training now and keep the weights', 'trainings_stop'],
  ['how sure is the model in practice', 'inference_stats_get'],
  ['add a tag to a thousand images', 'images_set_metadata_bulk'],
  ['draw a box on an image', 'images_annotate'],
  ['start a new dataset', 'projects_create'],
  ['send a zip file with my data', 'images_upload_zip'],
  ['which hyperparameters can I set', 'trainings_recipe'],
  ['remove a version I do not need', 'versions_delete'],
  ['put two projects into one folder', 'folders_set_projects'],
  ['download only the images that match a search', 'search_export_start'],
  ['attach a clip to an event', 'events_attach_video'],
  ['how far is the labelling', 'annotation_jobs_list', 'annotation_jobs_get'],
  ['upload the events again that were refused', 'events_retry_upload'],
  ['what fields does an event need', 'event_schemas_list'],
  ['key for my website', 'api_keys_get_publishable'],
  ['fit a model to my data', 'trainings_start'],
  ['wait until it is done', 'tasks_wait'],
];

/** Written after that, each list before it was first looked up. */
const later: typeof tried = [
  ['where can I see how well the training went', 'trainings_list', 'models_list'],
  ['replace the labels of an image', 'images_annotate'],
  ['are there mistakes in my annotations', 'projects_health'],
  ['split 70/20/10', 'projects_rebalance_splits'],
  ['get the COCO json', 'versions_export'],
  ['run detection on a jpg', 'inference_run'],
  ['organise my projects', 'folders_create', 'folders_set_projects'],
  ['undo the deletion', 'trash_restore'],
  ['delete a project', 'projects_delete'],
  ['cancel my training', 'trainings_cancel'],
  ['who is labelling what', 'annotation_jobs_list'],
  ['export unlabeled images', 'search_export_start'],
  ['which images are in the test split', 'workspace_search'],
  ['create an API key for a colleague', 'api_keys_create'],
  ['how many events are there', 'events_count'],
  ['what was the last event', 'events_latest'],
  ['why was my event deleted', 'events_ledger'],
  ['label these images automatically', 'autolabel_start'],
  ['publish my model', 'deployment_set_model'],
  ['pictures of the active learning', 'active_learning_images'],
  ['turn off active learning', 'active_learning_disable'],
  ['compare two models', 'evaluations_compare', 'models_list'],
  ['rename a key', 'api_keys_update'],
  ['detect objects in a video', 'video_inference_start'],
  ['does the server run properly', 'doctor'],
  ['resize all images to 640', 'versions_generate'],
  ['images tagged blurry', 'images_search', 'workspace_search'],
  ['what does augmentation do to my boxes', 'versions_preview'],
  ['which model is live', 'deployment_get'],
  ['import Pascal VOC files', 'images_upload', 'images_upload_zip'],
  ['I want to see my pictures', 'images_search', 'versions_preview', 'workspace_search'],
  ['change a label from RBC to WBC', 'images_annotate', 'classes_change'],
  ['which images have more than five boxes', 'workspace_search'],
  ['is the labelling consistent', 'projects_health'],
  ['start learning on the gpu', 'trainings_start'],
  ['how good is my model', 'evaluations_create', 'models_list'],
  ['give me the weights', 'models_list'],
  ['clean up storage on the device', 'events_stats'],
  ['save what the camera saw', 'events_create', 'vision_events_create'],
  ['alerts from yesterday', 'events_list'],
  ['share an api key with limited rights', 'api_keys_create'],
  ['which keys exist', 'api_keys_list'],
  ['attach a log file to an event', 'events_attach_file'],
  ['the upload of events failed', 'events_retry_upload'],
  ['are uploads finished', 'batches_list', 'images_upload_zip_status', 'batches_get', 'tasks_wait'],
  ['find similar images', 'images_search'],
  ['who owns this account', 'auth_userinfo', 'workspace_whoami', 'auth_status'],
  ['make a dataset for classification', 'projects_create'],
  ['sort projects into groups', 'folders_set_projects', 'folders_create'],
  ['delete the last version', 'versions_delete'],
  ['turn on active learning', 'active_learning_enable'],
  ['monitor the model in production', 'inference_stats_get'],
  ['augment my data', 'versions_generate'],
  ['how is my video job going', 'video_inference_get'],
  ['reverse a delete', 'trash_restore'],
  ['erase an image permanently', 'images_delete'],
  ['what can go wrong with my dataset', 'projects_health'],
  ['check that the key works', 'auth_status', 'workspace_whoami', 'doctor'],
  ['list all versions', 'projects_get'],
  ['I need more validation images', 'projects_rebalance_splits'],
  ['turn a query into a download', 'search_export_start'],
  ['see the boxes drawn on the pictures', 'versions_preview', 'images_get'],
  ['give access to a web app', 'api_keys_get_publishable', 'api_keys_create'],
  ['note the weather for an image', 'images_set_metadata'],
  ['move a folder', 'folders_update'],
  ['train yolo for 50 epochs', 'trainings_start'],
  ['analyse an mp4', 'video_inference_start'],
  ['mark a prediction as wrong', 'inference_stats_set_metadata'],
  ['stop collecting images', 'active_learning_disable'],
  ['report a defect to the cloud', 'vision_events_create'],
  ['close the draft', 'events_finalize'],
  ['release an event from hold', 'events_release'],
  ['which event types can I send', 'event_schemas_list'],
  ['is the zip upload through', 'images_upload_zip_status'],
  ['sign me out', 'auth_sign_out'],
  ['distribute images over train, valid, test splits by percentage', 'projects_rebalance_splits'],
  ['apportion my images to train, valid and test splits by quota', 'projects_rebalance_splits'],
  ['record event quality check', 'events_create'],
  ['record an event on a device as a draft, attach a file, then close it', 'events_create'],
  ['remove metadata key from images', 'images_set_metadata_bulk'],
  ['delete images from a project', 'images_delete'],
  ['move given images to another split', 'images_set_split'],
  ['history of one image', 'activity_list'],
  ['restore earlier tags of images, undo a change', 'activity_list', 'images_tag'],
  ['which tag was removed from these images', 'activity_list'],
  ['have two people label the same images independently', 'annotation_jobs_create'],
  ['let two annotators label separately', 'annotation_jobs_create'],
  ['do two annotators agree', 'annotation_jobs_get'],
  ['where do labelers disagree', 'annotation_jobs_get'],
];

/** Where the wrong one deletes a project, or changes an API key: the right one comes first. */
const dangerous: typeof tried = [
  ['delete a class from the project', 'classes_change'],
  ['delete a class', 'classes_change'],
  ['remove a label class from the dataset', 'classes_change'],
  ['rename a class', 'classes_change'],
  ['merge classes', 'classes_change'],
  ['merge two classes into one', 'classes_change'],
  ['fix class spelling', 'classes_change'],
  ['undo a rename of classes', 'classes_change'],
  ['delete the project', 'projects_delete'],
  ['rename an api key', 'api_keys_update'],
];

const wishes = [...tried, ...unseen, ...later];

/** What Fovea does not do. */
const foreign = [
  'order a pizza',
  'translate this text into French',
  'play some music',
  'book a flight to Berlin',
  'what will the weather be tomorrow',
  'pay an invoice',
  'post a message on Slack',
  'compile the C++ program',
  'draw with pencil a picture of a cat',
  'write a poem about the sea, set it to music and send it to my mother',
];

const foundSchema = z.object({
  operations: z.array(z.object({ operation: z.string() })),
  others: z.array(z.string()).default([]),
});

describe('operations_find', () => {
  let fovea: Awaited<ReturnType<typeof launchFovea>>;
  beforeAll(async () => {
    fovea = await launchFovea({ FOVEA_TOOL_PROFILE: 'compact' });
  });
  afterAll(() => fovea.close());

  async function firstFive(wish: string): Promise<readonly string[]> {
    const found = foundSchema.parse(await fovea.ok('operations_find', { query: wish }));
    return [...found.operations.map(({ operation }) => operation), ...found.others];
  }

  it.each(wishes)('has "%s" among the first five', async (wish, ...right) => {
    const found = (await firstFive(wish)).slice(0, 5);
    expect(found.filter((name) => right.includes(name))).not.toEqual([]);
  });

  it.each(dangerous)('has the right one for "%s" first', async (wish, ...right) => {
    expect(right).toContain((await firstFive(wish))[0]);
  });

  it.each(foreign)('says of "%s" that nothing does it', async (wish) => {
    expect(await firstFive(wish)).toEqual([]);
  });

  it.each(['rename a project', 'rename my dataset'])('says that none does "%s"', async (query) => {
    const { text, data } = await fovea.call('operations_find', { query });
    expect(text).toContain('No operation renames a project');
    expect(data.operations).toEqual([]);
  });

  it('says which word no operation has, be it a name or the point of the wish', async () => {
    const { text } = await fovea.call('operations_find', { query: 'delete the folder pelican' });
    expect(text).toContain('None speaks of "pelican"');
    const unfit = await fovea.call('operations_find', { query: 'restore pelicans and storks' });
    expect(unfit.text).toContain('No operation fits this. None speaks of "pelicans", "storks"');
    expect((await fovea.call('operations_find', { query: 'delete a folder' })).text).not.toContain(
      'None speaks of',
    );
  });

  it.each([
    ['have two people label the same images independently', 'annotation_jobs_create'],
    ['do two annotators agree', 'annotation_jobs_get'],
  ])('has the right one for "%s" first, and knows all of its words', async (query, right) => {
    const { text, data } = await fovea.call('operations_find', { query });
    expect(foundSchema.parse(data).operations[0]?.operation).toBe(right);
    expect(text).not.toContain('None speaks of');
  });

  it('has what is right first, for nearly all of them', async () => {
    const others: string[] = [];
    for (const [wish, ...right] of wishes) {
      const [first = 'nothing'] = await firstFive(wish);
      if (!right.includes(first)) others.push(`${wish} -> ${first}`);
    }
    expect(others.length, others.join('\n')).toBeLessThanOrEqual(15);
  });
});

test('the words of the finder are of operations that are there', () => {
  const names = list.filter((tool) => !('appOnly' in tool)).map(({ name }) => name);
  expect(Object.keys(operationSynonyms).filter((name) => !names.includes(name))).toEqual([]);
  expect(names.filter((name) => operationSynonyms[name] === undefined)).toEqual([]);
});

test.each([
  ['projects_remove', 'projects_delete'],
  ['projects_archive', 'projects_delete'],
  ['images_import', 'images_upload'],
  ['folders_edit', 'folders_update'],
  ['project_get', 'projects_get'],
  ['cloud_rain', undefined],
])('the tool that %s means is %s', (name, right) => {
  const names = list.map((tool) => tool.name);
  expect(meantOperation(name, names)).toBe(right);
});
