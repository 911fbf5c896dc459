// The handlers of all operations of the platform; a missing one does not compile.

import type { embeddedOperations } from '../contract/index.ts';
import type { Handlers } from '../http-server/handlers.ts';
import type { Principal } from './access-control/authorization.ts';
import { activityHandlers } from './activity.ts';
import { annotationHandlers } from './annotation.ts';
import { apiKeyHandlers } from './api-keys.ts';
import type { PlatformDependencies } from './dependencies.ts';
import { deploymentHandlers } from './deployment.ts';
import { evaluationHandlers } from './evaluations.ts';
import { folderHandlers } from './folders.ts';
import { bulkMetadataHandlers } from './images/bulk-metadata.ts';
import { objectImportHandlers } from './images/object-imports.ts';
import { orphanImageHandlers } from './images/orphan-images.ts';
import { pictureHandlers } from './images/picture.ts';
import { predictionHandlers } from './images/predictions.ts';
import { removeAnnotationHandlers } from './images/remove-annotation.ts';
import { setSplitHandlers } from './images/set-split.ts';
import { zipUploadHandlers } from './images/zip-uploads.ts';
import { imageHandlers } from './images.ts';
import { inferenceHandlers } from './inference.ts';
import { monitoringHandlers } from './monitoring.ts';
import { previewHandlers } from './previews.ts';
import { classChangeHandlers } from './projects/change-classes.ts';
import { findingHandlers } from './projects/findings.ts';
import { catalogForkHandlers } from './projects/fork.ts';
import { rebalanceHandlers } from './projects/rebalance.ts';
import { projectHandlers } from './projects.ts';
import { searchHandlers } from './search.ts';
import { taskHandlers } from './tasks.ts';
import { trainingHandlers } from './trainings.ts';
import { trashHandlers } from './trash.ts';
import { versionDiffHandlers } from './versions/diff.ts';
import { versionHandlers } from './versions.ts';
import { videoHandlers } from './video.ts';
import { visionEventHandlers } from './vision-events.ts';
import { workflowHandlers } from './workflows.ts';
import { workspaceHandlers } from './workspace.ts';

export function platformHandlers(
  dependencies: PlatformDependencies,
): Handlers<typeof embeddedOperations, Principal> {
  return {
    ...workspaceHandlers(dependencies),
    ...projectHandlers(dependencies),
    ...versionHandlers(dependencies),
    ...previewHandlers(dependencies),
    ...pictureHandlers(dependencies),
    ...predictionHandlers(dependencies),
    ...removeAnnotationHandlers(dependencies),
    ...imageHandlers(dependencies),
    ...trashHandlers(dependencies),
    ...visionEventHandlers(dependencies),
    ...taskHandlers(dependencies),
    ...activityHandlers(dependencies),
    ...annotationHandlers(dependencies),
    ...apiKeyHandlers(dependencies),
    ...catalogForkHandlers(dependencies),
    ...classChangeHandlers(dependencies),
    ...findingHandlers(dependencies),
    ...bulkMetadataHandlers(dependencies),
    ...deploymentHandlers(dependencies),
    ...evaluationHandlers(dependencies),
    ...folderHandlers(dependencies),
    ...inferenceHandlers(dependencies),
    ...monitoringHandlers(dependencies),
    ...orphanImageHandlers(dependencies),
    ...rebalanceHandlers(dependencies),
    ...searchHandlers(dependencies),
    ...setSplitHandlers(dependencies),
    ...trainingHandlers(dependencies),
    ...versionDiffHandlers(dependencies),
    ...videoHandlers(dependencies),
    ...workflowHandlers(dependencies),
    ...objectImportHandlers(dependencies),
    ...zipUploadHandlers(dependencies),
  };
}
