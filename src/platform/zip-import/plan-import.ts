// Plans what is done with each file of an archive, once its lists and documents are read.

import {
  type ClassList,
  differingLists,
  type FindClassList,
  findClassLists,
  isYaml,
  whyNoClassNames,
} from '../../annotation-formats/class-lists.ts';
import {
  keyOf,
  namedSplits,
  type SplitList,
  splitFinder,
  tornBetween,
} from '../../annotation-formats/image-splits.ts';
import {
  type AnnotationSource,
  type Matches,
  splitOfSource,
} from '../../annotation-formats/match-annotations.ts';
import {
  baseName,
  extensionOf,
  foldersOf,
  isKindFolder,
  splitOfFolders,
  splitOfName,
} from '../../annotation-formats/path-hints.ts';
import { type SplitFile, tellSplits } from '../../annotation-formats/yaml-splits.ts';
import type { ProjectType } from '../../annotations/annotation.ts';
import { isClassification } from '../../annotations/annotation.ts';
import type { SplitName } from '../../contract/fields.ts';
import { limits } from '../../limits.ts';
import type { MatchQuestion } from '../annotation-threads/annotation-thread.ts';
import type { ZipAnnotationReader } from '../annotation-threads/zip-annotation-reader.ts';
import type { Layout } from './classify-files.ts';
import type { SourceFile } from './import-source.ts';

export interface PlannedImage {
  readonly entry: SourceFile;
  /** What the archive says of it; undefined: nothing. */
  readonly split: SplitName | undefined;
  /** Lists that do not agree on it, or a folder that could be meant as a class. */
  readonly splitProblem: string | undefined;
  readonly source: AnnotationSource<SourceFile> | undefined;
  /** The class that its folder stands for. */
  readonly className: string | undefined;
  /** Why it gets no annotation, although there are some. */
  readonly problem: string | undefined;
}

export interface PassedOver {
  readonly path: string;
  readonly problem: string;
}

export interface ImportPlan {
  readonly images: readonly PlannedImage[];
  readonly findClassList: FindClassList;
  /** What to say where it finds none. */
  readonly whyNoNames: string;
  /** Lists of class names that differ, where several count; else none. */
  readonly classLists: readonly string[];
  /** Images that no list of splits names, and no folder either, where there are lists. */
  readonly unlisted: number;
  /** Files that are not used at all. */
  readonly passedOver: readonly PassedOver[];
}

export interface PlanOptions {
  /** Its entries, sorted. */
  readonly layout: Layout;
  readonly projectType: ProjectType;
  readonly reader: ZipAnnotationReader;
}

/** Throws as `read` of a source does for one that is too large; for nothing else in its files. */
export async function planImport({
  layout,
  projectType,
  reader,
}: PlanOptions): Promise<ImportPlan> {
  const passedOver: PassedOver[] = layout.others.map(({ entry, problem }) => ({
    path: entry.path,
    problem,
  }));
  const refuse = ({ path }: SourceFile, problem: string) => passedOver.push({ path, problem });
  const lists = await readLists(reader, layout.splitLists, refuse);
  const [named, torn] = [namedSplits(lists), tornBetween(lists)];
  const findSplit = splitFinder(named);
  const { classLists, splitFiles } = await readClassLists(reader, layout.classLists, refuse);
  const documents = isClassification(projectType)
    ? refuseBoxes(layout.documents, refuse)
    : await readDocuments(reader, layout.documents, refuse);
  const { images, own } = layout;
  const pairs = await pair(reader, { images, own, named, projectType }, documents);
  for (const { entry, problem } of pairs.unused) refuse(entry, problem);
  const plainSplits = images.map(
    ({ path }) => findSplit(path) ?? splitOfSource(pairs.sources.get(path)),
  );
  const open = images.flatMap(({ path }, place) => (plainSplits[place] === undefined ? path : []));
  const told = await tellYamlSplits(reader, layout, splitFiles, open);
  const isOfClasses = isClassification(projectType);
  const classOf = isOfClasses ? classFolders(images) : () => undefined;
  const isAmongClasses = isOfClasses ? splitsAmongClasses(images) : () => false;
  const splits = images.map(({ path }, place) => plainSplits[place] ?? told.splitOf(path));
  const findClassList = findClassLists(classLists);
  const isListed = named.size > 0 || splitFiles.length > 0;
  return {
    unlisted: isListed ? splits.filter((split) => split === undefined).length : 0,
    images: images.map((entry, place) => ({
      entry,
      split: splits[place],
      splitProblem: isAmongClasses(entry.path)
        ? amongClasses
        : splitOfFolders(foldersOf(entry.path))
          ? undefined
          : torn.get(keyOf(entry.path)),
      source: pairs.sources.get(entry.path),
      className: classOf(entry.path),
      problem: pairs.unclear.has(entry.path) ? unclear : undefined,
    })),
    findClassList,
    classLists: differingLists(findClassList, textsOf(pairs)).map(({ path }) => path),
    whyNoNames: whyNoClassNames(classLists),
    passedOver: [...passedOver.filter(({ path }) => !told.used.has(path)), ...told.problems],
  };
}

/** The YOLO files that count for an image. */
function textsOf({ sources }: Matches<SourceFile>): readonly string[] {
  return [...sources.values()].flatMap(({ kind, entry }) =>
    kind === 'file' && extensionOf(entry.path) === 'txt' ? [entry.path] : [],
  );
}

/** What the data.yaml files say of images whose split nothing else says. */
async function tellYamlSplits(
  reader: ZipAnnotationReader,
  { images, splitLists, others }: Layout,
  files: readonly SplitFile[],
  open: readonly string[],
) {
  const texts = [...splitLists, ...others.map(({ entry }) => entry)];
  const byPath = new Map(texts.map((entry) => [entry.path, entry]));
  const used = new Set<string>();
  const { splitOf, files: told } = await tellSplits({
    files: open.length === 0 ? [] : files,
    images: images.map(({ path }) => path),
    open,
    listed: async (path) => {
      const entry = byPath.get(path);
      const read = entry && (await reader.imagesOfList(entry, limits.nameListBytesMax));
      if (read === undefined || 'problem' in read) return undefined;
      used.add(path);
      return read.images;
    },
  });
  const problems = told.flatMap(({ path, ...counts }) => {
    const problem = splitProblemOf(counts);
    return problem === undefined ? [] : [{ path, problem }];
  });
  return { splitOf, used, problems };
}

function splitProblemOf({ told, torn }: { readonly told: number; readonly torn: number }) {
  if (torn > 0) return `names several splits at once for ${torn} images: none counts for them`;
  return told === 0 ? 'names splits by which no image can be told' : undefined;
}

const amongClasses =
  'its folder is taken for a split and not for a class, although folders of classes lie beside it';

const unclear = 'several annotation files are about it, and none of them clearly';

type Refuse = (entry: SourceFile, problem: string) => void;

/** Where finding it out takes too long, no annotation counts for any image. */
async function pair(
  reader: ZipAnnotationReader,
  question: Omit<MatchQuestion, 'documents'>,
  documents: readonly SourceFile[],
): Promise<Matches<SourceFile>> {
  const files = [...question.own, ...documents];
  if (files.length === 0) return { sources: new Map(), unclear: new Set(), unused: [] };
  const found = await reader.pair(question);
  if ('pairs' in found) return found.pairs;
  const problem = `was not used: finding its image ${found.problem}`;
  const unused = files.map((entry) => ({
    entry,
    problem,
    isUnclear: false,
    isBeaten: false,
  }));
  return { sources: new Map(), unclear: new Set(), unused };
}

async function readLists(
  reader: ZipAnnotationReader,
  entries: readonly SourceFile[],
  refuse: Refuse,
): Promise<readonly SplitList[]> {
  const lists: SplitList[] = [];
  for (const entry of entries) {
    const read = await reader.namesOfSplit(entry, limits.nameListBytesMax);
    if ('names' in read) lists.push({ entry, names: read.names });
    else refuse(entry, read.problem);
  }
  return lists;
}

async function readClassLists(
  reader: ZipAnnotationReader,
  entries: readonly SourceFile[],
  refuse: Refuse,
) {
  const classLists: ClassList[] = [];
  const splitFiles: SplitFile[] = [];
  let leftNames: number = limits.zipAllClassNamesMax;
  for (const entry of entries) {
    const bytesMax = isYaml(entry.path) ? limits.yamlBytesMax : limits.zipClassListBytesMax;
    const read = await reader.classList(entry, bytesMax);
    if ('problem' in read) {
      refuse(entry, read.problem);
      continue;
    }
    const { labelmap, places } = read.list;
    const { path } = entry;
    if (places.length > 0) splitFiles.push({ path, places });
    if (labelmap === undefined) {
      if (places.length === 0) refuse(entry, 'has no class names');
      continue;
    }
    leftNames -= Object.keys(labelmap).length;
    if (leftNames < 0) refuse(entry, 'the lists before it have too many class names');
    else classLists.push({ path, labelmap });
  }
  return { classLists, splitFiles };
}

function refuseBoxes(entries: readonly SourceFile[], refuse: Refuse): readonly SourceFile[] {
  for (const entry of entries) {
    refuse(entry, 'a project of whole images takes class names, and no boxes');
  }
  return [];
}

async function readDocuments(
  reader: ZipAnnotationReader,
  entries: readonly SourceFile[],
  refuse: Refuse,
): Promise<readonly SourceFile[]> {
  const documents: SourceFile[] = [];
  for (const [place, entry] of entries.entries()) {
    if (place >= limits.zipDocumentsMax) {
      refuse(entry, `is one of more than ${limits.zipDocumentsMax} JSON files for many images`);
      continue;
    }
    const read = await reader.addDocument(entry, limits.datasetBytesMax);
    if ('problem' in read) refuse(entry, read.problem);
    else documents.push(entry);
  }
  return documents;
}

/**
 * A folder for each class, with or without a split above it: the folder right above an image, where
 * it says neither a split nor a kind of file, and where not all images are in it alone.
 */
function classFolders(images: readonly SourceFile[]): (path: string) => string | undefined {
  const all = images.map(({ path }) => foldersOf(path));
  const [first = []] = all;
  const differs = first.findIndex((name, depth) => all.some((folders) => folders[depth] !== name));
  const common = differs === -1 ? first.length : differs;
  return (path) => {
    const name = foldersOf(path).slice(common).at(-1);
    const isClass = name !== undefined && splitOfName(name) === undefined && !isKindFolder(name);
    return isClass ? name : undefined;
  };
}

/** Whether an image is right in a folder like `test`, beside `cat` and `dog` and no other split. */
function splitsAmongClasses(images: readonly SourceFile[]): (path: string) => boolean {
  const folderOf = (path: string) => foldersOf(path).join('/');
  const folders = [...new Set(images.map(({ path }) => folderOf(path)))].filter(
    (folder) => folder !== '' && !isKindFolder(baseName(folder)),
  );
  const among = new Set<string>();
  for (const beside of Map.groupBy(folders, folderOf).values()) {
    const [split, ...others] = beside.filter((folder) => splitOfName(baseName(folder)));
    if (split !== undefined && others.length === 0 && beside.length > 2) among.add(split);
  }
  return (path) => among.has(folderOf(path));
}
