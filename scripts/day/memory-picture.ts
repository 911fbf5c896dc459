// The memory of a day as a picture (SVG): one line, with what was done when.

import type { DayMemory } from './memory.ts';

const width = 900;
const height = 340;
const edge = { left: 64, right: 16, top: 48, bottom: 32 } as const;
const levelBytes = 100_000_000;

/** Tools whose first answer is marked, and how. */
const marked: Readonly<Record<string, string>> = {
  images_upload_zip: 'uploaded',
  versions_preview: 'previewed',
  versions_export: 'version made',
};

export function drawMemory({ samples, steps, workSeconds, peakBytes }: DayMemory): string {
  const lastSecond = samples.at(-1)?.seconds ?? workSeconds;
  const most = Math.ceil(peakBytes / levelBytes) * levelBytes;
  const x = (seconds: number) => {
    return (edge.left + ((width - edge.left - edge.right) * seconds) / lastSecond).toFixed(1);
  };
  const y = (bytes: number) => {
    return (height - edge.bottom - ((height - edge.top - edge.bottom) * bytes) / most).toFixed(1);
  };
  const levels = Array.from({ length: most / levelBytes + 1 }, (_, at) => at * levelBytes);
  const marks = steps.flatMap(({ tool, seconds }) => {
    const name = marked[tool];
    return name === undefined ? [] : [{ name, seconds }];
  });
  marks.push({ name: 'work ends', seconds: workSeconds });
  const line = samples.map(({ seconds, residentBytes }) => `${x(seconds)},${y(residentBytes)}`);
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12" fill="#333">
<title>Memory of one stdio process during a day of mixed work and a minute after it</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${levels
  .map(
    (bytes) => `<path d="M${edge.left} ${y(bytes)}H${width - edge.right}" stroke="#ddd"/>
<text x="${edge.left - 8}" y="${y(bytes)}" dy="4" text-anchor="end">${bytes / 1_000_000} MB</text>`,
  )
  .join('\n')}
${marks
  .map(
    (
      { name, seconds },
      at,
    ) => `<path d="M${x(seconds)} ${edge.top}V${height - edge.bottom}" stroke="#999" stroke-dasharray="3"/>
<text x="${x(seconds)}" y="${edge.top - 8 - 16 * (at % 2)}" text-anchor="middle">${name}</text>`,
  )
  .join('\n')}
<polyline points="${line.join(' ')}" fill="none" stroke="#0b62c4" stroke-width="2"/>
<text x="${edge.left}" y="${height - 8}">0 s</text>
<text x="${width - edge.right}" y="${height - 8}" text-anchor="end">${lastSecond.toFixed(0)} s</text>
</svg>
`;
}
