// Every bound has one place and a reason: the files of limits/. Units come last in a name.

import { annotationLimits } from './limits/annotations.ts';
import { dataLimits } from './limits/data.ts';
import { eventStoreLimits } from './limits/event-store.ts';
import { mcpLimits } from './limits/mcp.ts';
import { nodeLimits } from './limits/node.ts';
import { platformLimits } from './limits/platform.ts';
import { serviceLimits } from './limits/services.ts';
import { signInLimits } from './limits/sign-in.ts';

export const limits = {
  ...annotationLimits,
  ...dataLimits,
  ...eventStoreLimits,
  ...serviceLimits,
  ...signInLimits,
  ...platformLimits,
  ...mcpLimits,
  ...nodeLimits,
} as const;
