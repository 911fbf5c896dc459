// Zip files for tests, honest and otherwise, and a platform to send them to.

import { crc32, deflateRawSync } from 'node:zlib';
import { images } from '../../../src/contract/images.ts';
import { projects, type projectTypes } from '../../../src/contract/projects.ts';
import type { TestPlatform } from '../../fixtures/platform.ts';

/** A file of an archive, with what the archive says of it. */
export interface Packed {
  readonly name: string | Buffer;
  readonly content: string | Uint8Array;
  /** Compression method; 0 where it is not given: stored. */
  readonly method?: number;
  /** Bit 0: encrypted, bit 11: the name is UTF-8. */
  readonly flags?: number;
  /** The mode of a Unix file. */
  readonly mode?: number;
  readonly statedBytes?: number;
  readonly statedCrc32?: number;
  /** The entry whose bytes are its own, by its place. */
  readonly sharesWith?: number;
  /** Bytes of empty extra fields, four each, in the list of files alone. */
  readonly extraBytes?: number;
}

export interface ZipWords {
  /** The number of files that the end of the archive states. */
  readonly count?: number;
}

/** An archive, byte by byte (APPNOTE.TXT sections 4.3.7, 4.3.12 and 4.3.16). */
export function zipOf(files: readonly Packed[], { count = files.length }: ZipWords = {}): Buffer {
  const locals: Buffer[] = [];
  const central: Buffer[] = [];
  const offsets: number[] = [];
  let at = 0;
  for (const file of files) {
    const { name, content, method = 0, flags = 0x800 } = file;
    const [nameBytes, plain] = [Buffer.from(name), Buffer.from(content)];
    const packed = method === 8 ? deflateRawSync(plain) : plain;
    const header = Buffer.alloc(26);
    header.writeUInt16LE(20, 0);
    header.writeUInt16LE(flags, 2);
    header.writeUInt16LE(method, 4);
    header.writeUInt32LE(file.statedCrc32 ?? crc32(plain), 10);
    header.writeUInt32LE(packed.length, 14);
    header.writeUInt32LE(file.statedBytes ?? plain.length, 18);
    header.writeUInt16LE(nameBytes.length, 22);
    const local = Buffer.concat([Buffer.from('PK\x03\x04'), header, nameBytes, packed]);
    const offset = file.sharesWith === undefined ? at : (offsets[file.sharesWith] ?? 0);
    offsets.push(offset);
    if (file.sharesWith === undefined) {
      locals.push(local);
      at += local.length;
    }
    const extra = Buffer.alloc(file.extraBytes ?? 0);
    const listed = Buffer.from(header);
    listed.writeUInt16LE(extra.length, 24);
    const rest = Buffer.alloc(14);
    rest.writeUInt32LE(((file.mode ?? 0o100644) << 16) >>> 0, 6);
    rest.writeUInt32LE(offset, 10);
    const start = Buffer.concat([Buffer.from('PK\x01\x02'), Buffer.from([20, 3]), listed, rest]);
    central.push(start, nameBytes, extra);
  }
  const directory = Buffer.concat(central);
  const end = Buffer.alloc(18);
  end.writeUInt16LE(Math.min(count, 0xffff), 4);
  end.writeUInt16LE(Math.min(count, 0xffff), 6);
  end.writeUInt32LE(directory.length, 8);
  end.writeUInt32LE(at, 12);
  return Buffer.concat([...locals, directory, Buffer.from('PK\x05\x06'), end]);
}

/** Files by their names, stored as they are. */
export function plainZip(files: Readonly<Record<string, string | Uint8Array>>): Buffer {
  return zipOf(Object.entries(files).map(([name, content]) => ({ name, content })));
}

export type ProjectType = (typeof projectTypes)[number];

/** A new project; its slug. */
export async function newProject(
  platform: TestPlatform,
  type: ProjectType = 'object-detection',
): Promise<string> {
  const { body } = await platform.client.call(projects.projects_create, {
    workspace: 'acme',
    name: 'Zips',
    type,
    annotation: 'things',
  });
  return String(body.id).split('/').at(-1) ?? '';
}

export interface Task {
  readonly taskId: string;
  readonly status: string;
  readonly error: string | undefined;
  /** Figures and the files about which there is something to say. */
  readonly result: Readonly<Record<string, unknown>>;
  readonly reportUrl: string | undefined;
}

type Settings = { split?: 'train' | 'valid' | 'test'; batchName?: string; tags?: string[] };

/** Sends an archive to a project, and gives what became of it. */
export async function sendZip(
  platform: TestPlatform,
  project: string,
  zip: Uint8Array,
  settings: Settings = {},
): Promise<Task> {
  const input = { workspace: 'acme', project, ...settings };
  const { body } = await platform.client.call(images.images_upload_zip, input);
  const answer = await put(String(body.signedUrl), zip);
  if (answer.status !== 200) throw new Error(`PUT: ${answer.status} ${await answer.text()}`);
  return ended(platform, body.taskId);
}

export function put(link: string, body: Uint8Array): Promise<Response> {
  return fetch(link, { method: 'PUT', body: new Uint8Array(body) });
}

/** The task once it has ended. */
export async function ended(platform: Pick<TestPlatform, 'client'>, taskId: string): Promise<Task> {
  for (;;) {
    const task = await look(platform, taskId);
    if (task.status === 'completed' || task.status === 'failed') return task;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
}

export async function look(
  { client }: Pick<TestPlatform, 'client'>,
  taskId: string,
): Promise<Task> {
  const where = { workspace: 'acme', taskId };
  const { body } = await client.call(images.images_upload_zip_status, where);
  const { status = '', error } = body;
  const { reportUrl, ...result } = { reportUrl: undefined, ...body.result };
  return {
    taskId,
    status,
    error,
    result,
    reportUrl: typeof reportUrl === 'string' ? reportUrl : undefined,
  };
}

/** What a result says of one file. */
export function problemOf({ result }: Task, file: string): string | undefined {
  const files: unknown = result.files;
  if (!Array.isArray(files)) return undefined;
  return files.find((line) => line.file === file)?.problem;
}

export const voc = (name: string, label: string) => `<annotation><filename>${name}</filename>
  <size><width>64</width><height>48</height><depth>3</depth></size>
  <object><name>${label}</name><bndbox><xmin>4</xmin><ymin>8</ymin><xmax>20</xmax><ymax>24</ymax></bndbox></object>
</annotation>`;

/** COCO of some images with one box each. */
export function coco(label: string, ...names: readonly string[]): string {
  return JSON.stringify({
    images: names.map((file_name, id) => ({ id, file_name, width: 64, height: 48 })),
    annotations: names.map((_name, id) => ({
      id,
      image_id: id,
      category_id: 7,
      bbox: [4, 8, 16, 16],
    })),
    categories: [{ id: 7, name: label }],
  });
}
