// Routes of the web page at `/`: projects, images, versions, tasks, folders and the trash.

import type { Route } from '../http-server/handlers.ts';
import { pageAssetRoutes, pagePolicy } from '../http-server/page-assets.ts';
import { staticFileRoute } from '../http-server/static-file.ts';
import type { Principal } from './access-control/authorization.ts';

/**
 * `/` for clients that prefer HTML, and the files that it loads under `/page/`. They are public,
 * and contain no data: the page asks for a key, and sends it with its calls.
 */
export function pageRoutes(): readonly Route<Principal>[] {
  return [
    { ...route('/', 'index.html'), isHtmlVariant: true },
    ...files.map((name) => route(`/page/platform/platform-page/${name}`, name)),
    ...pageAssetRoutes<Principal>(policy, true),
    route('/favicon.ico', 'icon.svg'),
  ];
}

/** Contact sheets come as bytes inside an answer. */
const policy = pagePolicy('data:');

const files = [
  'page.css',
  'annotate.css',
  'icon.svg',
  'agreement.js',
  'annotate.js',
  'annotate-keys.js',
  'annotate-panel.js',
  'annotation-saver.js',
  'api.js',
  'box-canvas.js',
  'box-editor.js',
  'box-geometry.js',
  'boxes-between.js',
  'chart.js',
  'class-editor.js',
  'coco-file.js',
  'edit-history.js',
  'facts.js',
  'folders.js',
  'frame-filler.js',
  'held-keys.js',
  'image.js',
  'image-labels.js',
  'image-queue.js',
  'images.js',
  'kept-outlines.js',
  'key.js',
  'keypoint-editor.js',
  'keys.js',
  'main.js',
  'nearby-labels.js',
  'one-use-link.js',
  'outline-draft.js',
  'outline-geometry.js',
  'panel-parts.js',
  'picture-zoom.js',
  'people-notes.js',
  'point-kinds.js',
  'prediction-panel.js',
  'predictions.js',
  'project.js',
  'projects.js',
  'refusal-saver.js',
  'retry.js',
  'review.js',
  'review-panel.js',
  'skeletons.js',
  'table.js',
  'tasks.js',
  'trash.js',
  'versions.js',
] as const;

/** In a release the folder lies beside the part that this file is bundled into. */
function route(path: string, name: string): Route<Principal> {
  const file = new URL(`./platform-page/${name}`, import.meta.url);
  return staticFileRoute({ path, file, policy, open: true });
}
