// `npm run test:inspector`: the part of `npm run conformance` that needs no conformance suite.

import { tryInspector } from './mcp-conformance/inspector.ts';

if (!(await tryInspector())) process.exitCode = 1;
