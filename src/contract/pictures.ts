// Pictures inside answers, for pages in hosts of MCP. Not in the hosted API.

import * as z from 'zod';
import { closed, imageId, inProject, open } from './fields.ts';
import { operation } from './operation.ts';

export const pictures = {
  images_picture: operation({
    id: 'images_picture',
    toolset: 'images',
    method: 'GET',
    path: '/{workspace}/{project}/images/{imageId}/picture',
    summary: 'The picture of an image in an answer, for pages that may load nothing.',
    pathParameters: closed({ ...inProject.shape, imageId }),
    answer: open({
      picture: z.string().describe('The file as base64, as stored: no rotation is applied.'),
      contentType: z.string(),
    }),
    scope: 'image:read',
    effect: 'reads',
  }),
};
