// versions_preview: shows what settings do to a few images, as an image and as text.

import * as z from 'zod';
import { check } from '../src/contract/check.ts';
import type { Answer } from '../src/contract/operation.ts';
import { previewDefaults, previewShape, previews } from '../src/contract/previews.ts';
import { FoveaError, invalidArgument } from '../src/errors.ts';
import {
  isOwnPlatform,
  type NextCall,
  type Tool,
  type ToolContext,
  type ToolResult,
} from '../src/mcp/tool.ts';
import { isPlain } from '../src/mcp/untrusted-text.ts';
import { asGiven, count, lastPart, quoted } from './format.ts';
import { chooseFiles } from './previews/choose-files.ts';
import { saveSheet, sheetTarget } from './previews/save-sheet.ts';
import { readClassNames } from './upload/class-names.ts';

const { versions_preview, versions_preview_files } = previews;
const path = z.string().min(1);
const { preprocessing, augmentation, ...choices } = previewShape;

const input = z.strictObject({
  project: versions_preview.pathParameters.shape.project.optional(),
  files: z.array(path).min(1).optional().describe('Or: local image files, folders, globs.'),
  annotations: path
    .optional()
    .describe('With files: VOC or YOLO folder, or COCO or CreateML .json.'),
  labelmap: previews.versions_preview_files.body.shape.labelmap,
  labelmap_file: path.optional().describe('For YOLO: file of class names, or data.yaml.'),
  preprocessing: preprocessing.optional().describe('Steps as in versions_generate.'),
  augmentation: augmentation.optional().describe('Changes as in versions_generate.'),
  ...choices,
  save_to: path.optional().describe('Path of the .jpg to write, or its folder.'),
  overwrite: z.boolean().optional().describe('Replace a file that is there.'),
  workspace: versions_preview.pathParameters.shape.workspace.optional(),
});

type PreviewInput = z.output<typeof input>;
type Preview = Answer<typeof versions_preview>;

export const previewTools: readonly Tool[] = [
  {
    name: 'versions_preview',
    toolset: 'versions',
    title: 'Preview version settings',
    description:
      'Shows what settings of versions_generate make of a few images, with boxes, as one picture. Give a project, or local files with their annotations.',
    effect: 'adds',
    recoverable: false,
    idempotent: true,
    openWorld: false,
    scope: versions_preview.scope,
    usesFiles: true,
    app: 'contact-sheet',
    input,
    prepare: (args) => {
      const given = check(input, args);
      return { run: (context) => previewSettings(given, context) };
    },
  },
];

/** Throws `conflict` before anything is rendered where the file exists and must not be replaced. */
async function previewSettings(input: PreviewInput, context: ToolContext): Promise<ToolResult> {
  checkTogether(input);
  const subject = input.files === undefined ? projectOf(input, context) : undefined;
  const name = fileName(subject ? nameOf(subject) : 'files', seedOf(input));
  const target = await sheetTarget(input, name, context);
  const { preprocessing = {}, augmentation = {}, seed, sources, samples, pieces } = input;
  const settings = { preprocessing, augmentation, seed, samples, pieces };
  const { signal } = context;
  const { body } = subject
    ? await context.client.call(
        versions_preview,
        { ...subject, ...settings, sources, images: input.images },
        { signal },
      )
    : await context.client.call(
        versions_preview_files,
        { ...settings, ...(await filesOf(input, context)) },
        { signal },
      );
  const { sheet, contentType, warnings, ...facts } = body;
  const data = Buffer.from(sheet, 'base64');
  const saved = await saveSheet(data, target);
  const what = subject ? `Preview of ${quoted(subject.project)}` : 'Preview of local images';
  return {
    summary: `${what}: ${figures(body)}. Saved to ${asGiven(saved)}.`,
    data: { path: saved, warnings, ...facts },
    // Whoever names a file for it wants no large picture in the answer.
    images: input.save_to === undefined ? [{ data, mimeType: contentType }] : [],
    files: [{ path: saved, mimeType: contentType, description: 'The contact sheet' }],
    next: nextCalls(input, subject),
  };
}

function checkTogether({ files, project, annotations, ...input }: PreviewInput): void {
  if (files !== undefined && project !== undefined) {
    throw invalidArgument('files', 'give either project or files');
  }
  const { labelmap, labelmap_file } = input;
  if (files !== undefined && input.images !== undefined) {
    throw invalidArgument('images', 'are ids in a project; files are chosen by their paths');
  }
  const forFiles = Object.entries({ annotations, labelmap, labelmap_file });
  const [stray] = forFiles.find(([, value]) => !files && value !== undefined) ?? [];
  if (stray !== undefined) throw invalidArgument(stray, 'goes with files, not with a project');
  if (labelmap && labelmap_file !== undefined) {
    throw invalidArgument('labelmap_file', 'give either labelmap or labelmap_file');
  }
}

/** File names are shown without a fence, so they take no names by others. */
function nameOf({ project }: Subject): string {
  const slug = lastPart(project);
  return isPlain(slug) ? slug : 'project';
}

interface Subject {
  readonly workspace: string;
  readonly project: string;
}

/** The defaults of the settings stand in, as they do where a parameter is required. */
function projectOf({ workspace, project }: PreviewInput, { settings }: ToolContext): Subject {
  const isDefault = workspace === undefined || workspace === settings.workspace;
  const slug = project ?? (isDefault ? settings.project : undefined);
  if (slug === undefined) throw invalidArgument('project', 'give a project, or files');
  if (!isOwnPlatform(settings)) {
    throw new FoveaError('not_implemented', 'A hosted platform has no previews of projects.', {
      hint: 'Give files, and annotations: local images are previewed on this machine.',
    });
  }
  const owner = workspace ?? settings.workspace;
  if (owner === undefined) throw invalidArgument('workspace', 'is missing');
  return { workspace: owner, project: slug };
}

async function filesOf(input: PreviewInput, context: ToolContext) {
  const { labelmap_file, sources = previewDefaults.sources } = input;
  const chosen = await chooseFiles(input, { seed: seedOf(input), count: sources }, context);
  const labelmap =
    labelmap_file === undefined
      ? input.labelmap
      : await readClassNames(context.files, labelmap_file, 'labelmap_file', context.signal);
  return { ...chosen, ...(labelmap && { labelmap }) };
}

function fileName(of: string, seed: number): string {
  return `preview-${of.replaceAll(/[^\w.-]+/g, '-')}-seed${seed}.jpg`;
}

function seedOf({ seed = previewDefaults.seed }: PreviewInput): number {
  return seed;
}

/** `3 images, 9 samples, seed 0, 2 boxes dropped, 1 warning`. */
function figures({ images, seed, warnings }: Preview): string {
  const samples = images.flatMap((image) => image.samples);
  const made = images.flatMap(({ preprocessed }) => preprocessed ?? []);
  const dropped = [...made, ...samples].reduce((sum, { dropped = 0 }) => sum + dropped, 0);
  return [
    count(images.length, 'image'),
    count(samples.length, 'sample'),
    `seed ${seed}`,
    ...(dropped > 0 ? [`${count(dropped, 'box', 'boxes')} dropped`] : []),
    ...(warnings.length > 0 ? [count(warnings.length, 'warning')] : []),
  ].join(', ');
}

function nextCalls(input: PreviewInput, subject: Subject | undefined): readonly NextCall[] {
  const { preprocessing = {}, augmentation = {}, save_to, overwrite: _, ...rest } = input;
  const settings = { preprocessing, augmentation };
  const seed = seedOf(input) + 1;
  const again: NextCall = {
    tool: 'versions_preview',
    arguments: {
      ...rest,
      ...settings,
      seed,
      ...(save_to !== undefined && { save_to: besides(save_to, seed) }),
    },
    why: 'Shows other images and strengths.',
  };
  if (subject === undefined) return [again];
  const generate: NextCall = {
    tool: 'versions_generate',
    arguments: { ...subject, ...settings, dry_run: true },
    why: 'Counts the images of such a version.',
  };
  return [generate, again];
}

/** A folder stays; a file gets a name of its own, so that the sheet that is there stays. */
function besides(saveTo: string, seed: number): string {
  const [, name, extension] = /^(.*?)(?:-seed\d+)?(\.jpe?g)$/i.exec(saveTo) ?? [];
  return name === undefined ? saveTo : `${name}-seed${seed}${extension}`;
}
