// Phrases by which people ask for an operation in other words than its own text. They are not
// read by models, so they cost no tokens: `operations_find` uses them, and the search of a host, as
// `anthropic/searchHint`.

/** By operation: phrases, separated by commas. All words of a phrase in a wish count for most. */
export const operationSynonyms: Readonly<Record<string, string>> = {
  workspace_whoami: 'my workspace, whose key, which account',
  workspace_get:
    'list projects, which projects, projects have, list datasets, overview, everything',
  activity_list:
    'what changed, what changed today, who changed, who deleted, change log, activity, history of project, history of image, history of tags, history of workspace, earlier tags, earlier metadata, undo change, which tag removed, what was removed, audit log, audit trail, what happened to images, recent changes, who did, when deleted, yesterday changes, changes since',
  projects_list:
    'list projects, projects of type, newest project, last changed project, find project by name, recently changed projects',
  projects_create: 'new project, new dataset, start dataset, start project, begin, classification',
  projects_fork: 'copy public dataset, duplicate project, clone, own copy',
  projects_get: 'one project, class names, which classes, which versions, list versions',
  projects_delete: 'remove project, archive project, remove dataset, throw away dataset',
  projects_health:
    'rare classes, wrong boxes, wrong labels, bad labels, quality, imbalance, balance, ' +
    'boxes per class, count boxes, images per class, how many images, how many labels, statistics, ' +
    'audit dataset, null, outliers, annotation errors, problems dataset, duplicates, typos, mistakes labels, mistakes annotations, mistakes dataset, howmany images, consistent labels',
  projects_findings:
    'show duplicates, list duplicates, conflicting labels, same picture other labels, inconsistent labels of copies, near duplicates, similar pictures twice, leak, leakage, tiny boxes, refused files, rejected files, truncated images, corrupt images, why rejected, outliers, blurry images, blurred, out of focus, blank images, noisy images, clusters, clustering',
  classes_change:
    'rename class, rename label, rename category, delete class, remove class, drop class, merge classes, join classes, combine classes, map classes, fix class spelling, fix class names, correct class names, unify classes, change class name, delete class project, remove class project, delete label class, undo class change, classes spelled two ways, typos class, swap two classes, restore class',
  projects_rebalance_splits:
    'train valid test split, move train valid, share, ratio, percent, shuffle, validation set, ' +
    'test set, resplit, redistribute, distribute images, percentage',
  models_list:
    'accuracy, map, precision, recall, best model, which models, how good, compare models, scores, weights, metrics models, metrics trained models',
  versions_list: 'list versions, all versions, which versions, newest version, version history',
  versions_get: 'one version, version ready, version settings',
  versions_delete: 'remove version, version not need, old version',
  versions_export:
    'download dataset, yolo, coco, voc, tfrecord, format, convert, to disk, zip dataset, ' +
    'save dataset, onto disk, export annotations',
  versions_generate:
    'new version, create version, snapshot, freeze, flip, rotate, resize, blur, noise, crop, mosaic, ' +
    'more images augmentation, augment, augmented copies, grayscale, tile, bigger dataset, preprocess',
  versions_preview:
    'show augmentations, list augmentations, look at augmentations, look at boxes, sample images, ' +
    'contact sheet, before generating, try augmentation, see boxes',
  trainings_start: 'train model, fit, fit model, learn, fine-tune, finetune, epochs, retrain',
  trainings_list:
    'training finished, training done, training progress, loss, map, training failed, training went, how training went',
  evaluations_create:
    'evaluate model, judge model, test model on labels, score predictions, coco metrics, validate model, how good is model, map of model, accuracy',
  evaluations_list: 'past evaluations, which evaluations',
  evaluations_compare:
    'compare evaluations, compare two models, which model better, better or worse than before, difference between models, regression, improved after retraining, what changed in images',
  evaluations_get:
    'confusion matrix, false positives, false negatives, missed objects, why model misses, classes confused, best threshold, precision recall curve, weakest class, small objects, model errors, label mistakes, label errors, missing labels, overlooked objects, swapped labels, wrong class labels, misplaced boxes, mislabelled images, labels disagree with model, why model bad, diagnose model, improve model, recommendations, what to do next, what to fix first, is data leaking',
  evaluations_tag:
    'tag mislabelled images, tag images with errors, tag missed images, collect images model gets wrong, mark label mistakes',
  evaluations_mend:
    'mend labels, fix labels, correct label mistakes, repair swapped labels, fix wrong classes, take suggested labels, apply suggestions, add missing labels, move misplaced boxes, undo mended labels',
  evaluations_delete: 'remove evaluation, throw away evaluation, old evaluations',
  trainings_recipe:
    'hyperparameters, learning rate, epochs, batch size, which model types, options training',
  trainings_cancel: 'abort training, stop training throw away',
  trainings_stop: 'stop training keep weights, end training early, enough epochs',
  trainings_delete: 'remove training, remove model, delete model, failed training',
  api_keys_list: 'which keys, list keys, all keys, tokens exist',
  api_keys_create:
    'new key, make key, another key, key colleague, token, create key limited, key with limited permissions, create api key, read only key, list scopes, which scopes, which rights can key have',
  api_keys_get_publishable:
    'key website, web page key, web app, access app, browser key, public key, frontend, javascript',
  api_keys_get: 'one key, key expire, key allowed',
  api_keys_update: 'rename key, disable key, limit key, pause key, protect key, enable key',
  api_keys_try: 'what can key see, what may key do, rights of key, test key, check key access',
  api_keys_revoke: 'kill key, leaked key, delete key, remove key, stolen, invalidate key',
  folders_list: 'which folders, list folders, list groups',
  folders_create: 'new folder, new group, make folder, organize projects',
  folders_update: 'rename folder, move folder',
  folders_delete: 'remove folder, remove group',
  folders_set_projects: 'put project folder, move project folder, add project folder, into folder',
  images_upload:
    'import, coco, yolo, voc, folder, upload data, add pictures, upload dataset, import annotations, ' +
    'local files, upload labels, frames, jpg',
  images_annotate:
    'draw box, label image, polygon, mark, correct box, fix box, fix label, save annotation, replace labels of image, change boxes, move box, label one image, annotation one image',
  images_get:
    'one image, look at image, list boxes image, labels of image, picture itself, size of image, ' +
    'open image',
  versions_diff:
    'compare versions, difference between versions, what changed between versions, new in version, added since version, version diff',
  images_set_split: 'move image to split, put into valid, put into test, change split of images',
  images_download: 'original image, image file, save image, save picture, original file',
  images_delete:
    'throw away image, remove image, delete images from project, bad pictures, get rid images, blurry, delete image by tag, delete tagged image, delete image with tag',
  images_tag: 'tag one image, mark image, untag, remove tag, remove tag image, add tag image',
  images_set_metadata: 'metadata one image, note on image, location of image',
  images_set_metadata_bulk:
    'remember camera each photo, remove metadata, metadata key, remove metadata key images, add tags to images, tag images, remove tags from images, tag what query finds, tag many images, tag thousand images, tag all images, many images, metadata many, bulk',
  batches_list:
    'which uploads, my uploads, what uploaded, list batches, earlier uploads, uploads made',
  batches_get: 'one batch, one upload, how many images batch',
  images_upload_zip:
    'send zip, zip file, archive, whole dataset, upload zip, compressed, large folder',
  images_upload_zip_status: 'zip done, zip upload progress, zip state',
  annotation_jobs_list: 'how far labelling, who labels, labelling progress, open jobs, list jobs',
  annotation_jobs_create:
    'give colleague, assign images, labelling job, assign person, reviewer, annotator, hand out, team, second person, label twice, blind, people label same images, two people label same images, label independently, label separately, independent labels, independent annotators, double labelling',
  annotation_review:
    'human review, ask person, human in the loop, approve labels, check labels by hand, somebody look at images, verify boxes, correct boxes by hand, manual review, colleague',
  annotation_jobs_get:
    'one job, progress job, how far job, inter-annotator agreement, two annotators, annotators agree, labelers agree, people agree, disagree, agreement labels, kappa, consensus',
  autolabel_start:
    'pre-label, pre-annotate, prelabel, preannotate, sam, automatic labels, auto annotate, ' +
    'model label, label with model, label automatically, assisted, foundation model',
  autolabel_get: 'auto label done, auto label progress, pre-labelling finished',
  catalog_search:
    'public datasets about, universe, find public dataset, open data, download public',
  catalog_search_by_image: 'public dataset looks like, public image like',
  images_search:
    'look like image, similar images, like this one, near duplicates, find duplicate images, duplicate images, same picture, identical images, find images with tag, ' +
    'semantic, images by file name, list images, images of class, show images, images tagged, images with tag, see images, see my images',
  workspace_search:
    'without labels, unlabelled, unlabeled, not annotated, missing labels, no boxes, without boxes, ' +
    'images in split, images all projects, across projects, valid images, filter images, ' +
    'more than boxes, which images, images in test split, images in train split, images in valid split',
  search_export_start:
    'download search, export search, images match search, only some images, download filtered, ' +
    'subset, part of dataset, export unlabeled images, export without labels, export images with',
  search_export_get: 'export ready, link export, search export done',
  trash_list: 'bin, trash, what deleted, list deleted, recycle',
  trash_restore:
    'get back, bring back, undo, undelete, deleted by mistake, restore, accident, recover',
  tasks_list:
    'list tasks, running tasks, failed tasks, all tasks, which tasks, background jobs, still running, what runs now',
  tasks_get: 'progress, state task, background job, how far task',
  tasks_wait: 'wait, until done, finished, ready, block until',
  deployment_get:
    'which model production, which model deployed, which model served, live model, current model',
  deployment_set_model:
    'production, change model production, put model production, deploy, go live, swap model, ' +
    'roll back model, serve model, switch model, use new model, publish model, release model',
  active_learning_get: 'collecting on, state collecting, collection settings',
  active_learning_enable:
    'collect images production, hard images, collect images, gather images, collect edge cases, images for active learning',
  active_learning_disable: 'stop collecting, turn off collection',
  active_learning_configure: 'how many collect, collection rate, change collecting, sampling',
  active_learning_images: 'collected images, review collected, which images collected',
  inference_run:
    'try model, test model image, predict, detect objects, run on photo, what is in image, ' +
    'run picture, apply model, recognize, find objects',
  inference_stats_get:
    'how sure, confidence in use, practice, latency, speed of model, drift, requests, ' +
    'model in production doing, monitor, error rate, usage, performance in production',
  inference_stats_set_metadata:
    'true result, ground truth, feedback, mark wrong prediction, was wrong',
  vision_events_create: 'cloud event, send event cloud, report detection',
  vision_events_create_batch: 'many events, several events cloud, events at once',
  vision_events_upload_image: 'picture for event, image cloud event',
  video_upload_url_create: 'upload video, send video, video file',
  video_inference_start:
    'count video, detect video, analyse video, analyze video, track, run video, movie, objects in video, detect objects in video',
  video_inference_get: 'video done, video result, video finished, video job done, state video job',
  video_frames_upload:
    'frames of video, extract frames, label video, annotate video, video to images, event video, sequence, split video',
  events_create:
    'record event, record check, log event, save event, new event, create event, make event, save detection, store detection, save camera',
  events_list:
    'what happened, last night, yesterday, camera, history, find events, search events, filter events, ' +
    'events between, events from, alarms, failed checks, list failed quality checks',
  events_get: 'one event, image of event, event details, event picture',
  events_latest: 'just happened, newest events, most recent, last event, now',
  events_count: 'how many events, number of events, how many events',
  events_attach_video: 'clip, recording, add video event, attach clip',
  events_attach_file: 'add file event, log file, attach document, attach pdf, attach image event',
  events_finalize: 'event complete, close event, finish event, submit event, draft',
  events_stats:
    'old events, full, disk space, storage, cleanup, clean up, free space, remove events, ' +
    'delete events, capacity, waiting for upload, sync',
  events_ledger:
    'removed events, missing event, where events gone, lost events, disappeared, vanished, why event deleted, event gone, why event removed, removed from device',
  events_hold:
    'keep event, never delete, forever, evidence, protect event, preserve, keep event cleaned, event from cleanup',
  events_release: 'no longer keep, unhold, allow cleanup, let event go',
  events_retry_upload: 'upload again, try again, refused events, failed uploads, resend, retry',
  event_schemas_list: 'which fields, fields event, event format, event types, event data, schema',
  auth_sign_in: 'login, log on, connect account, authenticate, authorize, oauth, switch account',
  auth_status: 'logged in, am signed in, login state, token expires, session valid',
  auth_sign_out: 'logout, log off, forget tokens, disconnect',
  auth_userinfo: 'my name, my email, user name, who am',
  doctor:
    'not work, setup wrong, broken, fails, error, trouble, help, diagnose, configuration, debug, ' +
    'something wrong, problem connection, server run, works properly, check installation, installed correctly',
};

/** Wishes that no operation fulfils though some have their words: phrases, and what to say. */
export const missingOperations: readonly { readonly phrases: string; readonly instead: string }[] =
  [
    {
      phrases: 'rename project, rename dataset, change name project, change slug project',
      instead:
        'No operation renames a project: it keeps the name and the slug of its creation. projects_create makes one of another name.',
    },
  ];
