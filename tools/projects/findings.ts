// projects_findings: the images behind one figure of projects_health, by page and in a picture.

import * as z from 'zod';
import type { Answer } from '../../src/contract/operation.ts';
import { projectExtensions } from '../../src/contract/projects.ts';
import { limits } from '../../src/limits.ts';
import { callLong } from '../../src/mcp/long-call.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import type { NextCall, ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { count, lastPart, quoted } from '../format.ts';
import { pageAt } from '../list-page.ts';

const { projects_findings: operation } = projectExtensions;

const input = z.strictObject({
  ...operation.pathParameters.shape,
  ...operation.query.shape,
});

type Input = z.output<typeof input>;

export const projectsFindings = {
  ...toolFor(operation, {
    title: 'List health findings',
    description:
      'Lists images, groups or files behind one figure of projects_health, with a picture: groups in rows, odd boxes drawn.',
    input,
    run: listFindings,
  }),
  embeddedOnly: true as const,
};

async function listFindings(given: Input, context: ToolContext): Promise<ToolResult> {
  const { body } = await callLong(context, operation, given, 'Comparing images');
  const { sheet, contentType = 'image/jpeg', ...data } = body;
  const { rows, what } = rowsOf(body);
  const { offset = 0, finding, project, picture } = given;
  const left = body.complete ? '' : leftWords(body.compared);
  const by = body.by === undefined ? '' : ` Told apart by ${judgeOf(body.by)}.`;
  const none = picture && sheet === undefined ? ' There is nothing to show in a picture.' : '';
  return {
    summary: `${finding} in ${quoted(lastPart(project))}: ${count(body.total, what)}.${by}${sharpnessWords(body.sharpness)}${left}${none}`,
    data,
    next: nextCalls(body, given),
    page: pageAt({ total: body.total, rows: `${what}s`, shown: rows, offset }),
    ...(sheet !== undefined && {
      images: [{ data: Buffer.from(sheet, 'base64'), mimeType: contentType }],
    }),
  };
}

function leftWords(compared: number | undefined): string {
  const which = compared === undefined ? '' : `: ${count(compared, 'image')} were compared`;
  return ` Not all images were looked at${which}.`;
}

function sharpnessWords(sharpness: Answer<typeof operation>['sharpness']): string {
  if (sharpness === undefined) return '';
  const { unmeasured, low } = sharpness;
  const few = ` Sharpness tells outliers of ${limits.sharpnessImagesMin} images or more.`;
  const open = ` The sharpness of ${count(unmeasured, 'image')} is not known (yet).`;
  return `${low === undefined ? few : ''}${unmeasured > 0 ? open : ''}`;
}

/** `by`: the name of an embedding model, which others gave. */
function judgeOf(by: string): string {
  return by === 'looks' ? 'how they look' : quoted(by);
}

function nextCalls(body: Answer<typeof operation>, given: Input): readonly NextCall[] {
  if (given.finding === 'leaks')
    return [...gatheringCalls(body, given), ...deletingCalls(body, given)];
  const images = body.images?.map(({ id }) => id) ?? [];
  if (given.finding !== 'outliers' || images.length === 0) return [];
  const { workspace, project } = given;
  const why = 'A person looks at them: odd images may be rare and right, or do not belong here.';
  return [{ tool: 'annotation_review', arguments: { workspace, project, images }, why }];
}

/**
 * Nothing is lost: frames of a video, and what else is worth keeping, get one split a group. The
 * numbers of images are the shares of now, which nobody asked to change.
 */
function gatheringCalls(
  { groups = [], splits: now }: Answer<typeof operation>,
  { workspace, project }: Input,
): readonly NextCall[] {
  if (groups.length === 0) return [];
  const { train = 0, valid = 0, test = 0 } = now ?? {};
  if (train + valid + test === 0) return [];
  const splits = { train, valid, test };
  return [
    {
      tool: 'projects_rebalance_splits',
      arguments: { workspace, project, splits },
      why: 'Keeps all of a group in one split, such as frames of a video, with the shares of now.',
    },
  ];
}

/** Of what valid or test shows too, train keeps nothing: then it is judged by what is new to it. */
function deletingCalls(
  { groups = [] }: Answer<typeof operation>,
  { workspace, project }: Input,
): readonly NextCall[] {
  const images = groups
    .filter((group) => group.images.some(({ split }) => split !== 'train'))
    .flatMap((group) => group.images.filter(({ split }) => split === 'train').map(({ id }) => id));
  if (images.length === 0) return [];
  return [
    {
      tool: 'images_delete',
      arguments: { workspace, project, images, confirm: lastPart(project) },
      why: 'Deletes those of train, once the user agreed: the trash keeps them.',
    },
  ];
}

function rowsOf({ groups, images, files }: Answer<typeof operation>) {
  if (groups) return { rows: groups.length, what: 'group' };
  if (images) return { rows: images.length, what: 'image' };
  return { rows: files?.length ?? 0, what: 'file' };
}
