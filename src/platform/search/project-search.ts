// Search in one project: all conditions must hold.

import type { Input } from '../../contract/operation.ts';
import type { search } from '../../contract/search.ts';
import { invalidArgument, invalidInput, notFound } from '../../errors.ts';
import type { Handlers } from '../../http-server/handlers.ts';
import { limits } from '../../limits.ts';
import { isFaultOfEmbedder } from '../../model-inference/embedder-folder.ts';
import { newestFirst, type Query } from '../../query-language/query-syntax-tree.ts';
import { term, wordsOf } from '../../query-language/search-terms.ts';
import { findProject, onlyProject } from '../access-control/accessible-projects.ts';
import type { Principal } from '../access-control/authorization.ts';
import type { PlatformDependencies } from '../dependencies.ts';
import type { Project } from '../store/projects.ts';
import type { SearchPage } from '../store/search.ts';
import { emptySearchNotes } from './empty-search-notes.ts';
import { brokenNote, type Example, findLike } from './find-like.ts';
import {
  type Describing,
  describeFound,
  type FieldName,
  needAnnotations,
  needDescriptors,
} from './image-fields.ts';
import { readQueryImage } from './query-image.ts';

type ImageSearch = Pick<typeof search, 'images_search'>;
type SearchInput = Input<typeof search.images_search>;

export function projectSearchHandlers(
  dependencies: PlatformDependencies,
): Handlers<ImageSearch, Principal> {
  const { store, links, descriptors } = dependencies;
  return {
    images_search: async (input, { principal, origin, signal }) => {
      const project = await findProject(dependencies, principal, input.project);
      const accessible = onlyProject(project);
      const { offset = 0, limit = 50 } = input;
      const fields: readonly FieldName[] = [
        ...new Set(input.fields ?? (['id', 'created'] as const)),
      ];
      const query = { kind: 'and', parts: conditionsOf(input) } as const;
      const isByLook = asksForLike(input) && dependencies.embeddings === undefined;
      const needsLooks = needDescriptors(fields) || isByLook;
      const isDescribed = !needsLooks || (await descriptors.areComplete(accessible, signal));
      const common = { query, offset, limit, withAnnotations: needAnnotations(fields) };
      const { owner, search } = { owner: principal.workspace.slug, search: store.search };
      const describing: Describing = { fields, links, origin, owner, search };
      const answerLike = async (example: Example, conditions: readonly Query[]) => {
        const query = { kind: 'and', parts: conditions } as const;
        const request = { ...common, query, isDescribed, signal, wrong: wrongExample };
        const { total, images, notes } = await findLike(dependencies, accessible, example, request);
        refuseCut(images.length, offset + images.length < total, limit);
        const results = await Promise.all(images.map((one) => describeFound(one, describing)));
        return { offset, total, results, notes };
      };
      const example = await exampleOf(dependencies, project, input);
      if (example) {
        const answer = await answerLike(example, query.parts);
        return { ...answer, notes: [...answer.notes, ...notesOn(input, dependencies)] };
      }
      const page = await store.search.find(accessible, {
        ...common,
        sort: newestFirst,
        after: undefined,
      });
      const { prompt } = input;
      if (page.total === 0 && prompt !== undefined && dependencies.embeddings) {
        const others = conditionsOf({ ...input, prompt: undefined });
        const meant = answerLike({ kind: 'text', text: prompt }, others);
        const answer = await meant.catch((thrown: unknown) => {
          if (signal.aborted || !isFaultOfEmbedder(thrown)) throw thrown;
          return { offset, total: 0, results: [], notes: [brokenNote(thrown)] };
        });
        return { ...answer, notes: [noSuchWords, ...answer.notes] };
      }
      refuseCut(page.images.length, page.next !== undefined, limit);
      const results = await Promise.all(page.images.map((one) => describeFound(one, describing)));
      const missing =
        page.total === 0 ? await emptySearchNotes(store.search, accessible, query) : [];
      const notes = [...missing, ...notesOn(input, dependencies), ...notesOnSearch(page)];
      return { offset, ...totalFacts(page), results, ...(notes.length > 0 && { notes }) };
    },
  };
}

/** Words of what images show are in no name: then the model is asked. */
const noSuchWords = 'These words are in no name and no tag of such images, so by meaning:';

/** Whoever asks by places would take what is cut off for images that are not there. */
function refuseCut(images: number, hasMore: boolean, limit: number): void {
  if (images >= limit || !hasMore) return;
  const most = limits.foundAnnotationsCharactersMax;
  throw invalidArgument(
    'limit',
    `the annotations of these images have more than ${most} characters; ${images} of them fit`,
    `Ask for ${images} at a time, or without the field annotations.`,
  );
}

function conditionsOf(input: SearchInput): readonly Query[] {
  const { prompt, tag, class_name, in_dataset, batch_id } = input;
  const { annotation_job, annotation_job_id } = input;
  const isTerm = (kind: Parameters<typeof term>[0], text: string | undefined): Query[] =>
    text === undefined ? [] : [{ kind: 'term', term: term(kind, text) }];
  const inJob: Query = { kind: 'term', term: term('is', 'in-job') };
  const nothing: Query = { kind: 'not', part: { kind: 'all' } };
  return [
    ...(prompt === undefined ? [] : promptOf(prompt)),
    ...isTerm('tag', tag),
    ...isTerm('class', class_name),
    ...isTerm('batch', batch_id),
    ...isTerm('job', annotation_job_id),
    ...(annotation_job === undefined ? [] : [negateUnless(annotation_job, inJob)]),
    ...(in_dataset === false ? [nothing] : []),
  ];
}

function negateUnless(isWanted: boolean, part: Query): Query {
  return isWanted ? part : { kind: 'not', part };
}

function promptOf(prompt: string): readonly Query[] {
  const words = [...new Set(wordsOf(prompt))];
  if (words.length === 0) throw invalidArgument('prompt', 'has no letter and no digit to look for');
  if (words.length > limits.searchTermsMax) {
    throw invalidArgument('prompt', `has more than ${limits.searchTermsMax} words`);
  }
  return words.map((word) => ({ kind: 'word', word, isPrefix: false }));
}

function asksForLike({ like_image, image_base64 }: SearchInput): boolean {
  return like_image !== undefined || image_base64 !== undefined;
}

async function exampleOf(
  { store }: PlatformDependencies,
  project: Project,
  { like_image, image_base64 }: SearchInput,
): Promise<Example | undefined> {
  if (like_image !== undefined && image_base64 !== undefined) {
    const message = 'give either like_image or image_base64, not both';
    throw invalidInput([{ path: 'like_image', message }]);
  }
  if (image_base64 !== undefined) {
    return { kind: 'bytes', ...(await readQueryImage(image_base64, 'image_base64')) };
  }
  if (like_image === undefined) return undefined;
  const image = await store.images.find(project.id, like_image);
  if (!image) throw notFound('image', like_image, 'It must be one of this project.');
  return { kind: 'image', image };
}

/** Of an image of the platform: what is wrong with a file is said where it is read. */
function wrongExample(message: string, hint?: string) {
  return invalidArgument('like_image', message.replace(/^this image /, ''), hint);
}

function notesOn(
  { prompt, in_dataset, batch }: SearchInput,
  dependencies: PlatformDependencies,
): readonly string[] {
  return [
    ...(prompt === undefined ? [] : [wordsNote(dependencies)]),
    ...(in_dataset === undefined ? [] : ['All images are in the dataset here.']),
    ...(batch === undefined ? [] : [batchNote]),
  ];
}

/** The vendor's own client sends `batch: false` with each search, so that must not exclude all. */
const batchNote = 'All images are in a batch here: batch excludes none; batch_id names one.';

/** What free words find. */
export function wordsNote({ embeddings }: Pick<PlatformDependencies, 'embeddings'>): string {
  return embeddings === undefined
    ? 'Words are looked for in file names and tags, not by meaning.'
    : 'Words are looked for in file names and tags; like-text:"..." in workspace_search finds by meaning.';
}

type Totals = Pick<SearchPage, 'total' | 'isTotalExact'>;

/** `totalIsExact` is there where it is not: `total` is how many there are at least then. */
export function totalFacts({ total, isTotalExact }: Totals) {
  return { total, ...(!isTotalExact && { totalIsExact: false }) };
}

export function notesOnSearch(page: Totals & Pick<SearchPage, 'isComplete'>): readonly string[] {
  const { total, isTotalExact, isComplete } = page;
  return [
    ...(isTotalExact ? [] : [`More than ${total} images match: beyond that they are not counted.`]),
    ...(isComplete ? [] : ['The index is being made: some older images are not found yet.']),
  ];
}
