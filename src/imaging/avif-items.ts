// Checks whether an AVIF file is whole, by the places of its items (ISO/IEC 14496-12, sections 4.2
// and 8.11.3).

import { Malformed } from './image-format.ts';

/** Throws `Malformed` where its list of items, or part of an item, is not in the file. */
export function checkAvifItems(bytes: Uint8Array): void {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const meta = find('meta', boxes(view, 0, bytes.length));
  // Version and flags come first.
  const items = meta && find('iloc', boxes(view, meta.start + 4, meta.end));
  if (items === undefined) throw new Malformed('ends before it says where its pixels are');
  const { start, end } = items;
  checkItems(new DataView(bytes.buffer, bytes.byteOffset + start, end - start), bytes);
}

interface Box {
  readonly type: number;
  /** Of its content. */
  readonly start: number;
  readonly end: number;
}

function find(name: string, among: Iterable<Box>): Box | undefined {
  const type = Buffer.from(name, 'latin1').readUInt32BE();
  for (const box of among) if (box.type === type) return box;
  return undefined;
}

/** Those that are whole: what stands behind the last one is for nobody. */
function* boxes(view: DataView, from: number, end: number): Generator<Box> {
  for (let at = from; at + 8 <= end; ) {
    const size = view.getUint32(at);
    const isLong = size === 1;
    const start = at + (isLong ? 16 : 8);
    if (start > end) return;
    // The last one may go to the end.
    const length = isLong ? Number(view.getBigUint64(at + 8)) : size || end - at;
    if (at + length < start || at + length > end) return;
    yield { type: view.getUint32(at + 4), start, end: at + length };
    at += length;
  }
}

/** `list`: the content of the box `iloc`. */
function checkItems(list: DataView, file: Uint8Array): void {
  const read = readerOf(list);
  const version = read(1);
  read(3);
  const sizes = read(2);
  const [offsetBytes, lengthBytes, baseBytes] = [sizes >> 12, (sizes >> 8) & 15, (sizes >> 4) & 15];
  const indexBytes = version === 0 ? 0 : sizes & 15;
  const extentBytes = indexBytes + offsetBytes + lengthBytes;
  const idBytes = version < 2 ? 2 : 4;
  for (let items = read(idBytes); items > 0; items -= 1) {
    read(idBytes);
    const method = version === 0 ? 0 : read(2) & 15;
    const source = read(2);
    const base = read(baseBytes);
    // Extents of no bytes are the whole file, however many there are.
    for (let extents = extentBytes && read(2); extents > 0; extents -= 1) {
      read(indexBytes);
      const end = base + read(offsetBytes) + read(lengthBytes);
      if (method === 0 && source === 0 && end > file.length)
        throw new Malformed('ends within its pixels');
    }
  }
}

/** Reads whole numbers one after the other. */
function readerOf(view: DataView): (bytes: number) => number {
  let at = 0;
  return (bytes) => {
    if (at + bytes > view.byteLength) throw new Malformed('has a broken list of items');
    let value = 0;
    for (let end = at + bytes; at < end; at += 1) value = value * 256 + view.getUint8(at);
    return value;
  };
}
