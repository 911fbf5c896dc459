// Where people open the page of the platform that the settings name.

import { join } from 'node:path';
import type { Settings } from '../config.ts';
import type { PagePlace } from '../mcp/tool.ts';

/** `otherwise`: for the embedded platform, where no `fovea platform` serves its data. */
export async function pagePlaceOf(
  { baseUrl, home }: Pick<Settings, 'baseUrl' | 'home'>,
  otherwise: 'command' | 'unknown',
  data: string = join(home, 'platform'),
): Promise<PagePlace> {
  if (baseUrl !== undefined) return { kind: 'address', url: baseUrl };
  const { findServedPage } = await import('./served-page.ts');
  const url = await findServedPage(data);
  return url === undefined ? { kind: otherwise } : { kind: 'address', url };
}
