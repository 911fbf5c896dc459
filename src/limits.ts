// All limits. Each has one place, a file of limits/ named after what it limits, and a reason.

import { annotationFormatLimits } from './limits/annotation-formats.ts';
import { authorizationServerLimits } from './limits/authorization-server.ts';
import { contractLimits } from './limits/contract.ts';
import { datasetVersionLimits } from './limits/dataset-versions.ts';
import { evaluationLimits } from './limits/evaluation.ts';
import { eventStoreLimits } from './limits/event-store.ts';
import { fileAccessLimits } from './limits/file-access.ts';
import { httpClientLimits } from './limits/http-client.ts';
import { httpServerLimits } from './limits/http-server.ts';
import { imagingLimits } from './limits/imaging.ts';
import { mcpLimits } from './limits/mcp.ts';
import { modelLimits } from './limits/model-inference.ts';
import { networkLimits } from './limits/network.ts';
import { nodeLimits } from './limits/node.ts';
import { platformLimits } from './limits/platform.ts';
import { signInLimits } from './limits/sign-in.ts';
import { storageLimits } from './limits/storage.ts';
import { threadProcessLimits } from './limits/thread-process.ts';
import { toolLimits } from './limits/tools.ts';
import { vectorSearchLimits } from './limits/vector-search.ts';

export const limits = {
  ...annotationFormatLimits,
  ...authorizationServerLimits,
  ...fileAccessLimits,
  ...contractLimits,
  ...datasetVersionLimits,
  ...evaluationLimits,
  ...eventStoreLimits,
  ...httpClientLimits,
  ...httpServerLimits,
  ...imagingLimits,
  ...mcpLimits,
  ...modelLimits,
  ...networkLimits,
  ...nodeLimits,
  ...platformLimits,
  ...signInLimits,
  ...storageLimits,
  ...threadProcessLimits,
  ...toolLimits,
  ...vectorSearchLimits,
} as const;
