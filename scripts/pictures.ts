// Makes the pictures in docs/ anew: `npm run pictures -- [NAME…]`, of labelling, event-store,
// evaluation, image-map and platform; without a name the first three. The map shows the images of
// `--folder FOLDER`; the last needs the zip file of BCCD: `--bccd FILE`. All but the map and those
// of an evaluation need Chromium, and the font Inter (fonts-inter) to look as they do there.

import { parseArgs } from 'node:util';

const { positionals } = parseArgs({
  allowPositionals: true,
  options: { bccd: { type: 'string' }, folder: { type: 'string' } },
});
const makers = new Map([
  ['labelling', () => import('./pictures/labelling.ts')],
  ['event-store', () => import('./pictures/event-store.ts')],
  ['evaluation', () => import('./pictures/evaluation.ts')],
  ['image-map', () => import('./pictures/image-map.ts')],
  ['platform', () => import('./pictures/platform.ts')],
]);
for (const name of positionals.length > 0
  ? positionals
  : ['labelling', 'event-store', 'evaluation']) {
  const make = makers.get(name);
  if (make === undefined) throw new Error(`${name} is none of ${[...makers.keys()].join(', ')}.`);
  await make();
}
