// What a version would be: settings as they are read, warnings and image counts. Nothing is sent.

import type { Input } from '../src/contract/operation.ts';
import { projects } from '../src/contract/projects.ts';
import {
  type ExpectedCount,
  type ExpectedCounts,
  expectedCounts,
} from '../src/contract/version-counts.ts';
import { normalizeSettings } from '../src/contract/version-idle.ts';
import type { versions } from '../src/contract/versions.ts';
import type { ToolContext, ToolResult } from '../src/mcp/tool.ts';
import { count, quoted } from './words.ts';

type Wanted = Input<typeof versions.versions_generate>;

/**
 * Reads the counts of the project, and the number of its boxes where `isolate` needs it. Throws
 * what these reads throw, for example `not_found` for a project that is not there.
 */
export async function dryRun(
  wanted: Wanted,
  unusual: readonly string[],
  context: ToolContext,
): Promise<ToolResult> {
  const { workspace, project, versionName } = wanted;
  const expected = await countImages(wanted, context);
  const warnings = [...unusual, ...projectWarnings(wanted, expected, unusual, context)];
  const warned = warnings.length > 0 ? `, with ${count(warnings.length, 'warning')}` : '';
  return {
    summary: `Dry run, nothing was sent: the version of ${quoted(project)} would have ${figures(expected)}${warned}.`,
    data: {
      dry_run: true,
      expected: expected ?? null,
      warnings,
      settings: { ...(versionName !== undefined && { versionName }), ...normalizeSettings(wanted) },
    },
    next: [
      {
        tool: 'versions_generate',
        arguments: { ...wanted, workspace, project },
        why: 'Generates it.',
      },
    ],
  };
}

/** Undefined where the platform does not say how many images the splits have. */
async function countImages(
  { workspace, project, ...settings }: Wanted,
  { client, signal }: ToolContext,
): Promise<ExpectedCounts | undefined> {
  const where = { workspace, project };
  const { body } = await client.call(projects.projects_get, where, { signal });
  const { splits } = body.project;
  if (splits === undefined) return undefined;
  const { train = 0, valid = 0, test = 0 } = splits;
  const boxes = settings.preprocessing.isolate
    ? (await client.call(projects.projects_health, where, { signal })).body.stats.numAnnotations
    : undefined;
  return expectedCounts(settings, { splits: { train, valid, test }, boxes });
}

/** What settings alone do not show. */
function projectWarnings(
  { preprocessing, augmentation }: Wanted,
  expected: ExpectedCounts | undefined,
  unusual: readonly string[],
  { settings }: ToolContext,
): readonly string[] {
  const resize = 'preprocessing.resize is missing';
  const isToldOfResize = unusual.some((warning) => warning.startsWith(resize));
  const versions = augmentation.image?.versions ?? 1;
  const cap = settings.versionMultiplierMax;
  const isEmbedded = settings.baseUrl === undefined;
  return [
    ...(isEmbedded && versions > cap
      ? [`augmentation.image.versions is ${versions}: this platform refuses more than ${cap}`]
      : []),
    ...(preprocessing.resize || isToldOfResize ? [] : [`${resize}: images keep their sizes`]),
    ...(expected?.total.images === 0
      ? ['project has no images: a version needs at least one']
      : expected?.train.images === 0 && versions > 1
        ? ['project has no train images: augmentation works on none']
        : []),
  ];
}

function figures(expected: ExpectedCounts | undefined): string {
  if (expected === undefined) return 'a number of images that the platform does not tell';
  const { train, valid, test } = expected;
  return `${figure(train)} train, ${figure(valid)} valid, ${figure(test)} test images`;
}

function figure({ images, certainty }: ExpectedCount): string {
  if (images === null) return 'unknown';
  return certainty === 'exact' ? String(images) : `${certainty} ${images}`;
}
