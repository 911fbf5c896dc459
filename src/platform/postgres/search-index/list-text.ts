// Lists as PostgreSQL reads them from one text, for `CAST(? AS text[])` and the like.

export function textList(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replaceAll(/["\\]/g, '\\$&')}"`).join(',')}}`;
}

export function numberList(numbers: readonly number[]): string {
  return `{${numbers.join(',')}}`;
}
