// Tables as text.

/**
 * One row. Each value but the first begins with a blank, as in the exports of the hosted platform,
 * on whose column names readers rely. Values are quoted as RFC 4180 says, the blank within.
 */
export function csvRow(first: string | number, rest: readonly (string | number)[]): string {
  return `${[`${first}`, ...rest.map((value) => ` ${value}`)].map(csvField).join(',')}\n`;
}

function csvField(value: string): string {
  return /[",\r\n]/.test(value) ? `"${value.replaceAll('"', '""')}"` : value;
}
