// Matches annotations to images. Where a match is not clear, the image gets none: wrong labels are
// worse than no labels.

import type { ProjectType } from '../annotations/annotation.ts';
import { isClassification } from '../annotations/annotation.ts';
import type { SplitName } from '../contract/fields.ts';
import { limits } from '../limits.ts';
import type { FindSplit } from './image-splits.ts';
import {
  baseName,
  type DatasetFile,
  extensionOf,
  foldersOf,
  looseStemOf,
  nearness,
  plainFolders,
  splitOfDocument,
  splitOfFolders,
  stemOf,
  surelyTogether,
} from './path-hints.ts';

/** Where the annotation of an image stands. */
export type AnnotationSource<File extends DatasetFile> =
  | { readonly kind: 'file'; readonly entry: File }
  /** `name` is that of the image in the document. */
  | { readonly kind: 'document'; readonly entry: File; readonly name: string };

/** A file about many images, and what it calls them. */
export interface NamingDocument<File extends DatasetFile> {
  readonly entry: File;
  readonly names: readonly string[];
}

export interface ToMatch<File extends DatasetFile> {
  readonly images: readonly DatasetFile[];
  /** Files for one image each. */
  readonly own: readonly File[];
  readonly documents: readonly NamingDocument<File>[];
  readonly findSplit: FindSplit;
  readonly projectType: ProjectType;
}

export interface Matches<File extends DatasetFile> {
  /** By the path of the image. */
  readonly sources: ReadonlyMap<string, AnnotationSource<File>>;
  /** Images that several annotations claim equally well. */
  readonly unclear: ReadonlySet<string>;
  /** Annotation files that belong to no image, and why. */
  readonly unused: readonly Unused<File>[];
}

export interface Unused<File extends DatasetFile> {
  readonly entry: File;
  readonly problem: string;
  /** Whether it could belong to several images. */
  readonly isUnclear: boolean;
  /** Whether another file counts for its image. */
  readonly isBeaten: boolean;
}

/** An annotation that is about an image, and how surely. */
interface Claim<File extends DatasetFile> {
  readonly source: AnnotationSource<File>;
  readonly file: File;
  readonly image: DatasetFile;
  readonly score: number;
  /** Of equal claims the lower counts: some formats say more than others. */
  readonly rank: number;
}

type Rated = Pick<Claim<DatasetFile>, 'score' | 'rank'>;

export function matchAnnotations<File extends DatasetFile>(given: ToMatch<File>): Matches<File> {
  const known = indexImages(given.images);
  const unclearFiles = new Set<string>();
  const claims = [
    ...given.own.flatMap((entry) => ownClaims(entry, known, unclearFiles)),
    ...given.documents.flatMap((document) => documentClaims(document, known, given, unclearFiles)),
  ];
  const usable = claims.filter(({ file }) => isUsable(file, given.projectType));
  const sources = new Map<string, AnnotationSource<File>>();
  const unclear = new Set<string>();
  const used = new Set<string>();
  for (const [path, own] of Map.groupBy(usable, ({ image }) => image.path)) {
    const best = bestOf(own);
    if (best === undefined) {
      unclear.add(path);
      continue;
    }
    sources.set(path, best.source);
    used.add(best.file.path);
  }
  const files = [...given.own, ...given.documents.map(({ entry }) => entry)];
  const claiming = new Set(claims.map(({ file }) => file.path));
  const beaten = new Set(
    claims.filter(({ image }) => sources.has(image.path)).map(({ file }) => file.path),
  );
  const unused = files
    .filter(({ path }) => !used.has(path))
    .map((entry) => ({
      entry,
      problem: whyUnused(entry, claiming, unclearFiles),
      isUnclear: !claiming.has(entry.path) && unclearFiles.has(entry.path),
      isBeaten: beaten.has(entry.path),
    }));
  return { sources, unclear, unused };
}

/** The split that the name of a document says of its images: `instances_val.json` says valid. */
export function splitOfSource(
  source: AnnotationSource<DatasetFile> | undefined,
): SplitName | undefined {
  return source?.kind === 'document' ? splitOfDocument(source.entry.path) : undefined;
}

/** Boxes are of no use where whole images have classes. */
function isUsable({ path }: DatasetFile, projectType: ProjectType): boolean {
  return !isClassification(projectType) || extensionOf(path) !== 'xml';
}

function whyUnused(
  { path }: DatasetFile,
  claiming: ReadonlySet<string>,
  unclear: ReadonlySet<string>,
): string {
  if (claiming.has(path)) return 'another annotation file counts for its image, or none clearly';
  if (unclear.has(path)) return 'could belong to several images';
  return 'is about no image of the archive';
}

interface KnownImages {
  readonly byStem: ReadonlyMap<string, readonly DatasetFile[]>;
  /** Without regard to capital letters. */
  readonly byLooseStem: ReadonlyMap<string, readonly DatasetFile[]>;
  readonly byName: ReadonlyMap<string, readonly DatasetFile[]>;
  readonly byPlace: ReadonlyMap<string, readonly DatasetFile[]>;
}

function indexImages(images: readonly DatasetFile[]): KnownImages {
  return {
    byStem: Map.groupBy(images, ({ path }) => stemOf(path)),
    byLooseStem: Map.groupBy(images, ({ path }) => looseStemOf(path)),
    byName: Map.groupBy(images, ({ path }) => baseName(path).normalize('NFC')),
    byPlace: Map.groupBy(images, ({ path }) => placeOf(foldersOf(path), path)),
  };
}

function ownClaims<File extends DatasetFile>(
  entry: File,
  known: KnownImages,
  unclear: Set<string>,
): readonly Claim<File>[] {
  const folders = foldersOf(entry.path);
  // `a.jpg.txt` is about `a.jpg` alone, where `a.png` lies beside it.
  const whole = baseName(entry.path).replace(/\.\w+$/, '');
  const { named, isLoose } = imagesNamedBy(whole, entry.path, known);
  const images = candidates(named, folders, entry.path, known);
  const rate = ({ path }: DatasetFile) => nearness(folders, foldersOf(path));
  const best = nearestImages(images, rate);
  const [image, ...others] = best.images;
  if (image === undefined || others.length > 0) {
    if (images.length > 0) unclear.add(entry.path);
    return [];
  }
  const rank = (formatRanks.get(extensionOf(entry.path)) ?? 0) + (isLoose ? looseRank : 0);
  return [{ source: { kind: 'file', entry }, file: entry, image, score: best.score, rank }];
}

/** Images of that whole name, else of the stem of the path, else `isLoose`. */
function imagesNamedBy(whole: string, path: string, known: KnownImages) {
  const named = known.byName.get(whole.normalize('NFC')) ?? known.byStem.get(stemOf(path));
  if (named !== undefined) return { named, isLoose: false };
  return { named: known.byLooseStem.get(looseStemOf(path)) ?? [], isLoose: true };
}

const documentRank = 2;
const formatRanks = new Map([
  ['xml', 0],
  ['json', 1],
  // Only numbers for classes, which stand in another file.
  ['txt', 4],
]);
/** Behind all that have the very name. */
const looseRank = 10;

function documentClaims<File extends DatasetFile>(
  { entry, names: all }: NamingDocument<File>,
  known: KnownImages,
  { findSplit }: Pick<ToMatch<File>, 'findSplit'>,
  unclear: Set<string>,
): readonly Claim<File>[] {
  const folders = foldersOf(entry.path);
  const split = splitOfDocument(entry.path);
  const rank = documentRank + (/caption|stuff|panoptic/i.test(baseName(entry.path)) ? 1 : 0);
  const names = new Set(all.filter(({ length }) => length <= limits.zipNameCharactersMax));
  return [...names].flatMap((name) => {
    const path = name
      .trim()
      .replaceAll('\\', '/')
      .replace(/^(\.?\/)+/, '');
    const { named } = imagesNamedBy(baseName(path), path, known);
    const images = candidates(named, [...folders, ...foldersOf(path)], path, known);
    const rate = (image: DatasetFile) => {
      const isNamed = path.includes('/') && `/${image.path}`.endsWith(`/${path}`);
      const near = Math.max(nearness(folders, foldersOf(image.path)), isNamed ? namedByPath : 0);
      return near + (split !== undefined && split === findSplit(image.path) ? sameSplit : 0);
    };
    const best = nearestImages(images, rate);
    if (images.length > 0 && best.images.length === 0) unclear.add(entry.path);
    return best.images.map((image) => ({
      source: { kind: 'document' as const, entry, name },
      file: entry,
      image,
      score: best.score,
      rank,
    }));
  });
}

/** A path in the document that is the end of the image's own goes before all nearness. */
const namedByPath = 1_000;
const sameSplit = 50;

/**
 * Those of the images that a file in these folders may be about: none of another split. Of a crowd
 * of one name only those in the same place, as comparing each with each would take too long.
 */
function candidates(
  named: readonly DatasetFile[],
  folders: readonly string[],
  path: string,
  { byPlace }: KnownImages,
): readonly DatasetFile[] {
  const near = named.length > crowdMin ? (byPlace.get(placeOf(folders, path)) ?? []) : named;
  const split = splitOfFolders(folders);
  return near.filter((image) => {
    const other = splitOfFolders(foldersOf(image.path));
    return split === undefined || other === undefined || other === split;
  });
}

const crowdMin = 100;

function placeOf(folders: readonly string[], path: string): string {
  return [...plainFolders(folders), stemOf(path)].join('/');
}

/** The images that are nearest; none where several in different folders are equally near. */
function nearestImages(
  images: readonly DatasetFile[],
  rate: (image: DatasetFile) => number,
): { readonly images: readonly DatasetFile[]; readonly score: number } {
  const [only] = images;
  if (only !== undefined && images.length === 1) return { images, score: rate(only) };
  const rated = images.map((image) => ({ image, score: rate(image) }));
  const score = rated.reduce((most, one) => Math.max(most, one.score), 0);
  const best = rated.filter((one) => one.score === score).map(({ image }) => image);
  const folders = new Set(best.map(({ path }) => foldersOf(path).join('/')));
  return { images: folders.size === 1 ? best : [], score };
}

/** Undefined where two claims are equally good. */
function bestOf<File extends DatasetFile>(claims: readonly Claim<File>[]): Claim<File> | undefined {
  const [first, second] = claims.toSorted(compare);
  return first !== undefined && second !== undefined && compare(first, second) === 0
    ? undefined
    : first;
}

function compare(a: Rated, b: Rated): number {
  const isSure = ({ score }: Rated) => (score >= surelyTogether ? 0 : 1);
  return isSure(a) - isSure(b) || a.rank - b.rank || b.score - a.score;
}
