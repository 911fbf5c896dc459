// All tools, in the order in which hosts see them.

import type { Tool } from '../src/mcp/tool.ts';
import { annotationTools } from './annotation.ts';
import { apiKeyTools } from './api-keys.ts';
import { authTools } from './auth.ts';
import { deploymentTools } from './deployment.ts';
import { doctorTools } from './doctor.ts';
import { evaluationTools } from './evaluations.ts';
import { eventTools } from './events.ts';
import { folderTools } from './folders.ts';
import { imageTools } from './images.ts';
import { inferenceTools } from './inference.ts';
import { labellingPageTools } from './labelling-page.ts';
import { monitoringTools } from './monitoring.ts';
import { previewTools } from './previews.ts';
import { projectTools } from './projects.ts';
import { searchTools } from './search.ts';
import { taskTools } from './tasks.ts';
import { trainingTools } from './trainings.ts';
import { trashTools } from './trash.ts';
import { versionTools } from './versions.ts';
import { videoTools } from './video.ts';
import { visionEventTools } from './vision-events.ts';
import { workspaceTools } from './workspace.ts';

export const tools: readonly Tool[] = [
  ...workspaceTools,
  ...projectTools,
  ...versionTools,
  ...previewTools,
  ...trainingTools,
  ...evaluationTools,
  ...apiKeyTools,
  ...folderTools,
  ...imageTools,
  ...annotationTools,
  ...searchTools,
  ...trashTools,
  ...taskTools,
  ...deploymentTools,
  ...inferenceTools,
  ...monitoringTools,
  ...visionEventTools,
  ...videoTools,
  ...eventTools,
  ...authTools,
  ...doctorTools,
];

/** Pages in hosts with MCP Apps alone call these. */
export const pageTools: readonly Tool[] = labellingPageTools;
