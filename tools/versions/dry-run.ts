// Describes a version before it is generated: parsed settings, warnings and image counts.

import type { Input } from '../../src/contract/operation.ts';
import type { ExpectedCount, ExpectedCounts } from '../../src/contract/version-image-counts.ts';
import { normalizeSettings } from '../../src/contract/version-no-op-steps.ts';
import { lacksCopies } from '../../src/contract/version-warnings.ts';
import type { versions } from '../../src/contract/versions.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, quoted } from '../format.ts';
import { estimateTime } from './estimate.ts';
import { judgeVersion } from './judge-version.ts';

type Wanted = Input<typeof versions.versions_generate>;

/** Throws as judgeVersion. */
export async function dryRun(wanted: Wanted, context: ToolContext): Promise<ToolResult> {
  const { project, versionName } = wanted;
  const judged = await judgeVersion(wanted, context);
  const { expected, effects, refusals, unknownTags } = judged;
  const warnings = [...refusals, ...judged.warnings];
  const isRefused = refusals.length > 0;
  const warned = warnings.length > 0 ? `, with ${count(warnings.length, 'warning')}` : '';
  const outcome = isRefused
    ? `the platform would refuse it: ${refusals.join('; ')}`
    : `the version of ${quoted(project)} would have ${figures(expected)}${warned}`;
  const time = isRefused ? undefined : await estimateTime(wanted, context);
  return {
    summary: `Dry run, nothing was sent: ${outcome}.${time?.words ?? ''}`,
    data: {
      dry_run: true,
      expected: isRefused ? null : (expected ?? null),
      ...time?.data,
      ...(effects.length > 0 && { effects }),
      warnings,
      settings: { ...(versionName !== undefined && { versionName }), ...normalizeSettings(wanted) },
    },
    next: isRefused ? [] : nextCalls(wanted, unknownTags),
  };
}

/** Settings that must fail: a tag that no image has leaves no image. */
function nextCalls(wanted: Wanted, strangers: readonly string[]): readonly NextCall[] {
  const { workspace, project, preprocessing } = wanted;
  const tags = preprocessing['filter-tags'] ?? {};
  if (strangers.some((tag) => tags[tag] === true)) {
    const shown = { workspace, project, fields: ['name', 'tags'] };
    return [{ tool: 'images_search', arguments: shown, why: 'Shows the tags of the images.' }];
  }
  const generate: NextCall = {
    tool: 'versions_generate',
    arguments: { ...wanted, workspace, project },
    why: 'Generates it.',
  };
  return lacksCopies(wanted) ? [withCopies(generate, wanted), generate] : [generate];
}

/** Augmentation makes copies alone: without any it does nothing. */
function withCopies(generate: NextCall, { augmentation }: Wanted): NextCall {
  const image = { versions: 2 };
  return {
    ...generate,
    arguments: { ...generate.arguments, augmentation: { ...augmentation, image } },
    why: 'Generates it with one augmented copy of each train image.',
  };
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
