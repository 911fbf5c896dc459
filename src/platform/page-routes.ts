// Routes of the web page at `/`.

import type { Route } from '../http-server/handlers.ts';
import { pageAssetRoutes, pagePolicy } from '../http-server/page-assets.ts';
import { staticFileRoute } from '../http-server/static-file.ts';
import { platformPageFolder } from '../platform-page-folder.ts';
import { grammarFiles } from '../query-language/grammar-files.ts';
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
    ...[...grammarFiles].map(([name, file]) =>
      staticFileRoute<Principal>({
        path: `/page/query-language/grammar/${name}`,
        file,
        policy,
        open: true,
      }),
    ),
    route('/favicon.ico', 'icon.svg'),
  ];
}

/** Contact sheets come as bytes inside an answer. */
const policy = pagePolicy('data:');

const files = [
  'icon.svg',
  'page.css',
  'account-offer.js',
  'account-sign-in.js',
  'addresses.js',
  'api.js',
  'boxes-of-image.js',
  'chart.js',
  'credentials.js',
  'date-range.js',
  'curve.js',
  'facts.js',
  'failed-link.js',
  'api-key-of-tab.js',
  'known-conditions.js',
  'list-page.js',
  'main.js',
  'mistake-words.js',
  'navigation.js',
  'page-links.js',
  'process-keys.js',
  'people.js',
  'one-use-link.js',
  'project-tabs.js',
  'row-filter.js',
  'refused-key.js',
  'row-query.js',
  'requested-labelling.js',
  'table.js',
  'time-element.js',
  'typed-search.js',
  'update-rows.js',
  'labelling/annotate-keys.js',
  'labelling/annotate-panel.js',
  'labelling/annotate.css',
  'labelling/annotate.js',
  'labelling/annotation-saver.js',
  'labelling/box-canvas.js',
  'labelling/box-editor.js',
  'labelling/box-geometry.js',
  'labelling/boxes-between.js',
  'labelling/class-editor.js',
  'labelling/class-numbers.js',
  'labelling/coco-file.js',
  'labelling/edit-history.js',
  'labelling/finished-drag.js',
  'labelling/frame-interpolation.js',
  'labelling/gone-image.js',
  'labelling/held-keys.js',
  'labelling/image-labels.js',
  'labelling/image-queue.js',
  'labelling/kept-decision.js',
  'labelling/kept-labels-notice.js',
  'labelling/kept-labels.js',
  'labelling/kept-outlines.js',
  'labelling/keypoint-editor.js',
  'labelling/keys.js',
  'labelling/labelling-service.js',
  'labelling/nearby-labels.js',
  'labelling/open-image.js',
  'labelling/other-person.js',
  'labelling/outline-draft.js',
  'labelling/outline-geometry.js',
  'labelling/panel-parts.js',
  'labelling/independent-label-notices.js',
  'labelling/picture-zoom.js',
  'labelling/movable-points.js',
  'labelling/prediction-panel.js',
  'labelling/prediction-decisions.js',
  'labelling/predictions.js',
  'labelling/refusal-saver.js',
  'labelling/retry.js',
  'labelling/tab-storage.js',
  'labelling/review-panel.js',
  'labelling/review.js',
  'labelling/saved-labels.js',
  'labelling/skeletons.js',
  'pages/activity.js',
  'pages/agreement.js',
  'pages/comparison.js',
  'pages/confusion-table.js',
  'pages/evaluation.js',
  'pages/evaluations.css',
  'pages/evaluations.js',
  'pages/event.js',
  'pages/events.js',
  'pages/folders.js',
  'pages/image.js',
  'pages/images.js',
  'pages/jobs.js',
  'pages/judged-images.js',
  'pages/keys.js',
  'pages/project.js',
  'pages/projects.js',
  'pages/recommendations.js',
  'pages/sent-back.js',
  'pages/sweep-chart.js',
  'pages/tasks.js',
  'pages/training.js',
  'pages/trainings.js',
  'pages/trash.js',
  'pages/use-cases.js',
  'pages/versions.js',
] as const;

function route(path: string, name: string): Route<Principal> {
  const file = new URL(name, platformPageFolder);
  return staticFileRoute({ path, file, policy, open: true });
}
