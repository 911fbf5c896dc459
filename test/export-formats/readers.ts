// Reads exports back for tests, each format from its own definition: nothing of Fovea is used.

import { XMLParser } from 'fast-xml-parser';
import { parse as parseYaml } from 'yaml';
import * as z from 'zod';
import { type FeatureValues, readExamples } from './tfrecord-reader.ts';

/** A box as edges in pixels. */
export interface ReadBox {
  readonly label: string;
  readonly edges: readonly [left: number, top: number, right: number, bottom: number];
}

/** Image path to its boxes. */
export type ReadExport = ReadonlyMap<string, readonly ReadBox[]>;
type Files = ReadonlyMap<string, Buffer>;
interface Size {
  readonly width: number;
  readonly height: number;
}

const Coco = z.object({
  images: z.array(z.object({ id: z.int(), file_name: z.string() })),
  categories: z.array(z.object({ id: z.int(), name: z.string() })),
  annotations: z.array(
    z.object({
      image_id: z.int(),
      category_id: z.int(),
      bbox: z.tuple([z.number(), z.number(), z.number(), z.number()]),
    }),
  ),
});

export function readCoco(files: Files): ReadExport {
  const found = new Map<string, ReadBox[]>();
  for (const [path, content] of filesNamed(files, /(^|\/)_annotations\.coco\.json$/)) {
    const { images, categories, annotations } = Coco.parse(JSON.parse(content.toString()));
    const labels = new Map(categories.map(({ id, name }) => [id, name]));
    for (const { id, file_name } of images) {
      const own = annotations.filter(({ image_id }) => image_id === id);
      const boxes = own.map(({ category_id, bbox: [x, y, width, height] }): ReadBox => {
        return { label: defined(labels.get(category_id)), edges: [x, y, x + width, y + height] };
      });
      found.set(`${folderOf(path)}/${file_name}`, boxes);
    }
  }
  return found;
}

const text = z.string();
const Voc = z.object({
  annotation: z.object({
    filename: text,
    size: z.object({ width: text, height: text, depth: z.literal('3') }),
    object: z
      .array(
        z.object({
          name: text,
          bndbox: z.object({ xmin: text, ymin: text, xmax: text, ymax: text }),
        }),
      )
      .default([]),
  }),
});

export function readVoc(files: Files): ReadExport {
  const parser = new XMLParser({
    parseTagValue: false,
    trimValues: false,
    isArray: (name) => name === 'object',
  });
  const found = new Map<string, ReadBox[]>();
  for (const [path, content] of filesNamed(files, /\.xml$/)) {
    const { annotation } = Voc.parse(parser.parse(content.toString()));
    const boxes = annotation.object.map(({ name, bndbox: { xmin, ymin, xmax, ymax } }): ReadBox => {
      return { label: name, edges: [Number(xmin), Number(ymin), Number(xmax), Number(ymax)] };
    });
    found.set(`${folderOf(path)}/${annotation.filename}`, boxes);
  }
  return found;
}

const DataYaml = z.object({
  train: z.string(),
  val: z.string(),
  test: z.string(),
  nc: z.int(),
  names: z.array(z.string()),
});

export function readYolo(files: Files, size: Size): ReadExport {
  const yaml = DataYaml.parse(parseYaml(defined(files.get('data.yaml')).toString()));
  if (yaml.nc !== yaml.names.length) throw new Error('nc is not the number of names');
  const found = new Map<string, readonly ReadBox[]>();
  for (const given of [yaml.train, yaml.val, yaml.test]) {
    const folder = given.replace(/^\.\.?\//, '');
    for (const [path] of filesNamed(files, new RegExp(`^${folder}/`))) {
      const labels = path.replace(/(^|\/)images\//, '$1labels/').replace(/\.[^./]+$/, '.txt');
      found.set(path, readRows(defined(files.get(labels)), yaml.names, size));
    }
  }
  return found;
}

export function readDarknet(files: Files, size: Size): ReadExport {
  const found = new Map<string, readonly ReadBox[]>();
  for (const [path] of filesNamed(files, /\.(jpg|png)$/)) {
    const names = defined(files.get(`${folderOf(path)}/_darknet.labels`)).toString();
    const rows = defined(files.get(path.replace(/\.[^./]+$/, '.txt')));
    found.set(path, readRows(rows, names.trimEnd().split('\n'), size));
  }
  return found;
}

/** Rows with a centre and a size, or with the corners of an outline. */
function readRows(content: Buffer, names: readonly string[], { width, height }: Size) {
  const lines = content
    .toString()
    .split('\n')
    .filter((line) => line !== '');
  return lines.map((line): ReadBox => {
    const [id = Number.NaN, ...shares] = line.split(' ').map(Number);
    const label = defined(names[id]);
    const pixels = shares.map((share, at) => share * (at % 2 === 0 ? width : height));
    if (pixels.length > 4) {
      const xs = pixels.filter((_, at) => at % 2 === 0);
      const ys = pixels.filter((_, at) => at % 2 === 1);
      return {
        label,
        edges: [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)],
      };
    }
    const [x = Number.NaN, y = Number.NaN, wide = Number.NaN, high = Number.NaN] = pixels;
    return { label, edges: [x - wide / 2, y - high / 2, x + wide / 2, y + high / 2] };
  });
}

const CreateMl = z.array(
  z.object({
    image: z.string(),
    annotations: z.array(
      z.object({
        label: z.string(),
        coordinates: z.strictObject({
          x: z.number(),
          y: z.number(),
          width: z.number(),
          height: z.number(),
        }),
      }),
    ),
  }),
);

export function readCreateMl(files: Files): ReadExport {
  const found = new Map<string, ReadBox[]>();
  for (const [path, content] of filesNamed(files, /(^|\/)_annotations\.createml\.json$/)) {
    for (const { image, annotations } of CreateMl.parse(JSON.parse(content.toString()))) {
      const boxes = annotations.map(({ label, coordinates }): ReadBox => {
        const { x, y, width, height } = coordinates;
        return { label, edges: [x - width / 2, y - height / 2, x + width / 2, y + height / 2] };
      });
      found.set(`${folderOf(path)}/${image}`, boxes);
    }
  }
  return found;
}

export function readTfrecord(files: Files): ReadExport {
  const found = new Map<string, ReadBox[]>();
  for (const [path, content] of filesNamed(files, /\.tfrecord$/)) {
    const map = defined(files.get(path.replace('.tfrecord', '_label_map.pbtxt'))).toString();
    const labels = readLabelMap(map);
    for (const example of readExamples(content)) {
      const [name] = bytesIn(example.get('image/filename'));
      found.set(`${folderOf(path)}/${name}`, boxesIn(example, labels));
    }
  }
  return found;
}

function boxesIn(
  example: ReadonlyMap<string, FeatureValues>,
  labels: ReadonlyMap<number, string>,
): ReadBox[] {
  const [width = 0] = numbersIn(example.get('image/width'));
  const [height = 0] = numbersIn(example.get('image/height'));
  const edge = (name: string) => numbersIn(example.get(`image/object/bbox/${name}`));
  const [xmin, ymin, xmax, ymax] = [edge('xmin'), edge('ymin'), edge('xmax'), edge('ymax')];
  const names = bytesIn(example.get('image/object/class/text'));
  return numbersIn(example.get('image/object/class/label')).map((id, at) => {
    const label = defined(labels.get(id));
    if (label !== names[at]) throw new Error(`${label} is called ${names[at]}`);
    const at2 = (list: readonly number[]) => list[at] ?? Number.NaN;
    return {
      label,
      edges: [at2(xmin) * width, at2(ymin) * height, at2(xmax) * width, at2(ymax) * height],
    };
  });
}

function readLabelMap(map: string): ReadonlyMap<number, string> {
  const items = [
    ...map.matchAll(/item \{\n {2}name: (.*)\n {2}id: (\d+)\n {2}display_name: (.*)\n\}\n/g),
  ];
  if (items.map(([item]) => item).join('') !== map) throw new Error('not a label map');
  return new Map(
    items.map(([, name = '', id]) => [Number(id), z.string().parse(JSON.parse(name))]),
  );
}

const JsonLine = z.strictObject({ image: z.string(), prefix: z.string(), suffix: z.string() });

export function readJsonl(files: Files, { width, height }: Size): ReadExport {
  const found = new Map<string, ReadBox[]>();
  for (const [path, content] of filesNamed(files, /(^|\/)annotations\.jsonl$/)) {
    for (const line of content.toString().trimEnd().split('\n')) {
      const { image, suffix } = JsonLine.parse(JSON.parse(line));
      const boxes = suffix.split(' ; ').filter((one) => one !== '');
      found.set(
        `${folderOf(path)}/${image}`,
        boxes.map((box): ReadBox => {
          const [, y0, x0, y1, x1, label] = defined(
            /^<loc(\d{4})><loc(\d{4})><loc(\d{4})><loc(\d{4})> (.*)$/.exec(box),
          );
          const share = (token: string | undefined) => Number(token) / 1024;
          return {
            label: defined(label),
            edges: [share(x0) * width, share(y0) * height, share(x1) * width, share(y1) * height],
          };
        }),
      );
    }
  }
  return found;
}

/** RFC 4180. */
export function readCsv(content: string): readonly (readonly string[])[] {
  const rows: string[][] = [[]];
  const cell = /("(?:[^"]|"")*"|[^",\n]*)(,|\n)/y;
  while (cell.lastIndex < content.length) {
    const [, value = '', end] = defined(cell.exec(content));
    rows.at(-1)?.push(value.startsWith('"') ? value.slice(1, -1).replaceAll('""', '"') : value);
    if (end === '\n') rows.push([]);
  }
  return rows.slice(0, -1);
}

function filesNamed(files: Files, pattern: RegExp) {
  return [...files].filter(([path]) => pattern.test(path));
}

function folderOf(path: string): string {
  return path.slice(0, path.lastIndexOf('/'));
}

function defined<T>(value: T | null | undefined): T {
  if (value === undefined || value === null) throw new Error('something is not there');
  return value;
}

function bytesIn(values: FeatureValues = []): readonly string[] {
  return values.map((value) => (typeof value === 'number' ? 'a number' : value.toString()));
}

function numbersIn(values: FeatureValues = []): readonly number[] {
  return values.map((value) => (typeof value === 'number' ? value : Number.NaN));
}
