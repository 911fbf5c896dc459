// projects_findings: the images behind one figure of projects_health, by page and in a picture.

import * as z from 'zod';
import type { Answer } from '../../src/contract/operation.ts';
import { projectExtensions } from '../../src/contract/projects.ts';
import { toolFor } from '../../src/mcp/operation-tool.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
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
      'Lists the images, groups or files behind one figure of projects_health, on request with a picture: groups in rows, odd boxes drawn.',
    input,
    run: listFindings,
  }),
  embeddedOnly: true as const,
};

async function listFindings(given: Input, { client, signal }: ToolContext): Promise<ToolResult> {
  const { body } = await client.call(operation, given, { signal });
  const { sheet, contentType = 'image/jpeg', ...data } = body;
  const { rows, what } = rowsOf(body);
  const { offset = 0, finding, project, picture } = given;
  const left = body.complete ? '' : ' Not all images were looked at.';
  const none = picture && sheet === undefined ? ' There is nothing to show in a picture.' : '';
  return {
    summary: `${finding} in ${quoted(lastPart(project))}: ${count(body.total, what)}.${left}${none}`,
    data,
    page: pageAt({ total: body.total, rows: `${what}s`, shown: rows, offset }),
    ...(sheet !== undefined && {
      images: [{ data: Buffer.from(sheet, 'base64'), mimeType: contentType }],
    }),
  };
}

function rowsOf({ groups, images, files }: Answer<typeof operation>) {
  if (groups) return { rows: groups.length, what: 'group' };
  if (images) return { rows: images.length, what: 'image' };
  return { rows: files?.length ?? 0, what: 'file' };
}
