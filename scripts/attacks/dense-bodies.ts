// Bodies that are small to send and dear to read.

/** `{"images":[0,0,…]}`. */
export function zeros(count: number, member = 'images'): string {
  return `{"${member}":[${'0,'.repeat(count - 1)}0]}`;
}

/** A Pascal VOC file with that many objects, each on lines of its own. */
export function vocFile(objects: number, line = '\n'): string {
  const object = `<object>${line}<name>a</name><bndbox><xmin>1</xmin><ymin>1</ymin><xmax>9</xmax><ymax>9</ymax></bndbox></object>${line}`;
  return `<annotation>${line}${object.repeat(objects)}</annotation>`;
}

/** `[[[…]]]`. */
export function nested(depth: number): string {
  return `${'['.repeat(depth)}${']'.repeat(depth)}`;
}

/** An object with that many members, `"a0":0,…`. */
export function manyMembers(count: number, name = 'a', value = '0'): string {
  const members = Array.from({ length: count }, (_, index) => `"${name}${index}":${value}`);
  return `{${members.join(',')}}`;
}

export function repeated<T>(count: number, make: (index: number) => T): T[] {
  return Array.from({ length: count }, (_, index) => make(index));
}
