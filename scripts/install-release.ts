// `npm run install-release -- FOLDER`: builds and packs the release, and installs the packed file
// in that folder, which must be empty, as users do. Prints where its dist/fovea.js is.
//
// With that path as FOVEA_TEST_ENTRY every command of the project launches the release in place
// of the sources, for example `npm run conformance` or `npm run faults:event-store`.

import { resolve } from 'node:path';
import { installForTests } from './release/install.ts';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Which folder? npm run install-release -- FOLDER');
process.stdout.write(`${await installForTests(resolve(folder))}\n`);
