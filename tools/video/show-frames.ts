// The picture of some frames of a video, in an answer or as a file.

import { videoExtensions } from '../../src/contract/video.ts';
import { asFoveaError } from '../../src/errors.ts';
import type { ToolContext, ToolResult } from '../../src/mcp/tool.ts';
import { saveSheet } from '../previews/save-sheet.ts';

export interface ShownFrames extends Pick<ToolResult, 'images' | 'files'> {
  readonly notes: Readonly<Record<string, unknown>>;
  /** Where the picture was saved. */
  readonly path?: string;
}

export const noFrames: ShownFrames = { notes: {} };

/** With a path, only the file. What prevents it fails nothing. */
export async function showFrames(
  job_id: string,
  path: string | undefined,
  { client, signal }: ToolContext,
): Promise<ShownFrames> {
  const input = { job_id };
  try {
    const { body } = await client.call(videoExtensions.video_inference_sheet, input, { signal });
    const data = Buffer.from(body.sheet, 'base64');
    const mimeType = body.contentType;
    if (path === undefined) return { notes: {}, images: [{ data, mimeType }] };
    await saveSheet(data, { kind: 'asked', path });
    return { notes: {}, path, files: [{ path, mimeType, description: 'Frames with their boxes' }] };
  } catch (thrown) {
    signal.throwIfAborted();
    const { code } = asFoveaError(thrown);
    return { notes: { preview_notes: [`the frames cannot be shown (${code})`] } };
  }
}
