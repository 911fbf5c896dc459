// Where an annotation file about many images, COCO or CreateML, says what of which image. The file
// stays on the disk; in memory are the names of its images and the places of their annotations.

import { isJsonObject, type JsonObject } from '../json-object.ts';
import { limits } from '../limits.ts';
import {
  DatasetProblem,
  decodePiece,
  type Piece,
  PieceFile,
  pieceName,
  readPieces,
} from './streaming-json.ts';

/** What a file says of one image, as a file of its own. */
export interface DatasetPart {
  readonly format: 'coco' | 'createml';
  readonly text: string;
  /** COCO: the place in the whole file of each of its annotations. CreateML: that of the image. */
  readonly places: readonly number[];
}

export interface DatasetIndex {
  /** Of the images, as the file has them; a name may be there twice. */
  readonly names: readonly string[];
  /** COCO: annotations about images that the file does not list. */
  readonly strays: number;
  /**
   * `place` is that of a name; another name may stand in its stead. Throws DatasetProblem where it
   * is too much for one image.
   */
  partOf(place: number, name?: string): DatasetPart;
  close(): void;
}

/**
 * Reads through a file once. Undefined: it is neither COCO nor CreateML. Throws DatasetProblem for
 * one that is broken or exceeds a bound, and the errors of node:fs.
 */
export function indexDataset(path: string): DatasetIndex | undefined {
  const file = new PieceFile(path);
  try {
    const index = readIndex(file);
    if (index === undefined) file.close();
    return index;
  } catch (thrown) {
    file.close();
    throw thrown;
  }
}

function readIndex(file: PieceFile): DatasetIndex | undefined {
  const coco = new Coco(file);
  const createMl = new CreateMl(file);
  try {
    const found = readPieces(file, ['images', 'annotations', 'categories'], (piece) => {
      if (piece.list === '') createMl.take(piece);
      else coco.take(piece);
    });
    if (found.has('')) return createMl.names.length > 0 ? createMl : undefined;
    if (!found.has('images')) return undefined;
    if (!found.has('annotations')) throw new DatasetProblem('annotations: must be an array');
    coco.group();
    return coco;
  } catch (thrown) {
    if (thrown instanceof Neither) return undefined;
    throw thrown;
  }
}

/** A list of something else. */
class Neither extends Error {}

class CreateMl implements DatasetIndex {
  readonly names: string[] = [];
  readonly strays = 0;
  readonly #file: PieceFile;
  readonly #pieces = new Spans();

  constructor(file: PieceFile) {
    this.#file = file;
  }

  take(piece: Piece): void {
    const { value } = piece;
    if (!isJsonObject(value) || !('annotations' in value || 'annotation' in value))
      throw new Neither();
    const name = value.image ?? value.imagefilename;
    if (typeof name !== 'string') {
      throw new DatasetProblem(`${pieceName(piece)}.image: must be a file name`);
    }
    checkImages(this.names.length);
    this.names.push(name);
    this.#pieces.add(piece);
  }

  partOf(place: number, name?: string): DatasetPart {
    const entry = named(this.#pieces.text(this.#file, place), 'image', name);
    return { format: 'createml', text: `[${entry}]`, places: [place] };
  }

  close(): void {
    this.#file.close();
  }
}

class Coco implements DatasetIndex {
  readonly names: string[] = [];
  strays = 0;
  readonly #file: PieceFile;
  readonly #images = new Spans();
  readonly #annotations = new Spans();
  readonly #categories = new Map<unknown, string>();
  #categoryBytes = 0;
  /** A number for each id of an image. */
  readonly #numbers = new Map<unknown, number>();
  /** Of each image, and of each annotation: the number of the id that it has. */
  readonly #ofImage: number[] = [];
  #ofAnnotation = new Uint32Array(1024);
  /** Annotations sorted by that number, and where those of each begin. */
  #sorted = new Uint32Array();
  #begins = new Uint32Array();
  /** Numbers of ids that several images have. */
  readonly #shared = new Set<number>();

  constructor(file: PieceFile) {
    this.#file = file;
  }

  take(piece: Piece): void {
    if (piece.list === 'images') this.#takeImage(piece);
    else if (piece.list === 'annotations') this.#takeAnnotation(piece);
    else this.#takeCategory(piece);
  }

  #takeImage(piece: Piece): void {
    const name = pieceName(piece);
    const { id, file_name: fileName } = fieldsOf(piece);
    if (typeof fileName !== 'string') {
      throw new DatasetProblem(`${name}.file_name: must be a string`);
    }
    if (id === undefined) throw new DatasetProblem(`${name}.id: is missing`);
    checkImages(this.names.length);
    this.names.push(fileName);
    this.#images.add(piece);
    this.#ofImage.push(this.#numberOf(id));
  }

  #takeAnnotation(piece: Piece): void {
    const count = this.#annotations.count;
    if (count >= limits.datasetAnnotationsMax) {
      throw new DatasetProblem(`has more than ${limits.datasetAnnotationsMax} annotations`);
    }
    const id = isJsonObject(piece.value) ? piece.value.image_id : undefined;
    this.#annotations.add(piece);
    if (count >= this.#ofAnnotation.length) this.#ofAnnotation = grown(this.#ofAnnotation);
    this.#ofAnnotation[count] = this.#numberOf(id);
  }

  #takeCategory(piece: Piece): void {
    const { id } = fieldsOf(piece);
    const text = JSON.stringify(piece.value);
    if (id === undefined) throw new DatasetProblem(`${pieceName(piece)}.id: is missing`);
    if ((this.#categories.get(id) ?? text) !== text) {
      throw new DatasetProblem(
        `${pieceName(piece)}.id: ${JSON.stringify(id)} is another one's too`,
      );
    }
    this.#categoryBytes += text.length;
    if (piece.place >= limits.datasetCategoriesMax) {
      throw new DatasetProblem(`has more than ${limits.datasetCategoriesMax} categories`);
    }
    if (this.#categoryBytes > limits.datasetCategoriesBytesMax) {
      const most = limits.datasetCategoriesBytesMax;
      throw new DatasetProblem(`categories: have more than ${most} characters`);
    }
    this.#categories.set(id, text);
  }

  #numberOf(id: unknown): number {
    const known = this.#numbers.get(id);
    if (known !== undefined) return known;
    const next = this.#numbers.size;
    if (next > limits.datasetImagesMax) {
      throw new DatasetProblem(`is about more than ${limits.datasetImagesMax} images`);
    }
    this.#numbers.set(id, next);
    return next;
  }

  /** Sorts by counting, as there are many annotations and few places. */
  group(): void {
    const { count } = this.#annotations;
    const begins = new Uint32Array(this.#numbers.size + 1);
    for (let at = 0; at < count; at += 1) {
      const next = (this.#ofAnnotation[at] ?? 0) + 1;
      begins[next] = (begins[next] ?? 0) + 1;
    }
    for (let at = 1; at < begins.length; at += 1) {
      begins[at] = (begins[at] ?? 0) + (begins[at - 1] ?? 0);
    }
    this.strays = count;
    const seen = new Set<number>();
    for (const number of this.#ofImage) {
      if (seen.has(number)) this.#shared.add(number);
      else this.strays -= (begins[number + 1] ?? 0) - (begins[number] ?? 0);
      seen.add(number);
    }
    const free = begins.slice();
    const sorted = new Uint32Array(count);
    for (let at = 0; at < count; at += 1) {
      const number = this.#ofAnnotation[at] ?? 0;
      const place = free[number] ?? 0;
      sorted[place] = at;
      free[number] = place + 1;
    }
    [this.#begins, this.#sorted, this.#ofAnnotation] = [begins, sorted, new Uint32Array()];
    this.#numbers.clear();
  }

  partOf(place: number, name?: string): DatasetPart {
    const number = this.#ofImage[place] ?? 0;
    if (this.#shared.has(number)) throw new DatasetProblem(this.#sharing(number));
    const places = [...this.#sorted.subarray(this.#begins[number], this.#begins[number + 1])];
    if (places.length > limits.boxesPerImageMax) {
      const most = limits.boxesPerImageMax;
      throw new DatasetProblem(`has ${places.length} boxes for the image; at most ${most} fit`);
    }
    const bytes = places.reduce((sum, at) => sum + this.#annotations.bytes(at), 0);
    if (bytes > limits.annotationBytesMax) {
      const most = limits.annotationBytesMax;
      throw new DatasetProblem(`has ${bytes} bytes for the image; at most ${most} are read`);
    }
    const image = named(this.#images.text(this.#file, place), 'file_name', name);
    const annotations = places.map((at) => this.#annotations.text(this.#file, at));
    const categories = this.#categoriesOf(annotations).join(',');
    const text = `{"images":[${image}],"categories":[${categories}],"annotations":[${annotations.join(',')}]}`;
    return { format: 'coco', text, places };
  }

  #sharing(number: number): string {
    const [a, b] = this.#ofImage.flatMap((other, place) => (other === number ? place : []));
    return `has one id for images[${a}] and images[${b}]: whose boxes they are is not known`;
  }

  /** Those that the annotations name; where one is unknown, some others that would be right. */
  #categoriesOf(annotations: readonly string[]): readonly string[] {
    const used = new Set<unknown>();
    for (const text of annotations) {
      const value: unknown = JSON.parse(text);
      if (isJsonObject(value)) used.add(value.category_id);
    }
    const known = [...used].flatMap((id) => this.#categories.get(id) ?? []);
    if (known.length === used.size) return known;
    return [...new Set([...known, ...[...this.#categories.values()].slice(0, categoriesShown)])];
  }

  close(): void {
    this.#file.close();
  }
}

/** An object with another name in this member. */
function named(text: string, member: string, name: string | undefined): string {
  return name === undefined ? text : JSON.stringify({ ...JSON.parse(text), [member]: name });
}

/** More than a refusal names. */
const categoriesShown = 50;

function checkImages(count: number): void {
  if (count < limits.datasetImagesMax) return;
  throw new DatasetProblem(`is about more than ${limits.datasetImagesMax} images`);
}

function fieldsOf(piece: Piece): JsonObject {
  if (isJsonObject(piece.value)) return piece.value;
  throw new DatasetProblem(`${pieceName(piece)}: must be an object`);
}

/** Where pieces stand in a file. */
class Spans {
  count = 0;
  #starts = new Uint32Array(1024);
  #bytes = new Uint32Array(1024);

  add({ start, bytes }: Pick<Piece, 'start' | 'bytes'>): void {
    if (this.count === this.#starts.length) {
      [this.#starts, this.#bytes] = [grown(this.#starts), grown(this.#bytes)];
    }
    this.#starts[this.count] = start;
    this.#bytes[this.count] = bytes;
    this.count += 1;
  }

  bytes(at: number): number {
    return this.#bytes[at] ?? 0;
  }

  text(file: PieceFile, at: number): string {
    return decodePiece(file.read(this.#starts[at] ?? 0, this.bytes(at)), 'a part');
  }
}

function grown(column: Uint32Array<ArrayBuffer>): Uint32Array<ArrayBuffer> {
  const larger = new Uint32Array(column.length * 2);
  larger.set(column);
  return larger;
}
