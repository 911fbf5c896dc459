// What axe says of a page: what is serious or critical for those who cannot see it or use a mouse.

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import type { Page } from 'playwright-core';

const require = createRequire(import.meta.url);

/** As a phone has it. */
export const narrow = { width: 360, height: 700 };

interface Violation {
  readonly id: string;
  readonly impact: string;
  readonly nodes: readonly string[];
}

export async function violationsOn(page: Page): Promise<readonly Violation[]> {
  await page.evaluate(await readFile(require.resolve('axe-core/axe.min.js'), 'utf8'));
  const found: Violation[] = await page.evaluate(
    `axe.run().then(({ violations }) => violations.map(({ id, impact, nodes }) => ({
      id, impact, nodes: nodes.slice(0, 3).map(({ html, failureSummary }) => html.slice(0, 200) + failureSummary),
    })))`,
  );
  return found.filter(({ impact }) => impact === 'serious' || impact === 'critical');
}

/** The same in light and in dark, and as narrow as a phone. */
export async function violationsOfAll(page: Page): Promise<readonly Violation[]> {
  const found: Violation[] = [];
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await violationsOn(page)));
  }
  const size = page.viewportSize();
  await page.setViewportSize(narrow);
  found.push(...(await violationsOn(page)));
  if (size !== null) await page.setViewportSize(size);
  return found;
}
