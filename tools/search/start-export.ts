// search_export_start with `dry_run`: counts and shows what would be exported.

import * as z from 'zod';
import { invalidArgument } from '../../src/errors.ts';
import { asRecord } from '../../src/json-object.ts';
import type { Tool } from '../../src/mcp/tool.ts';
import { countImages } from '../images/image-selection.ts';

const dryRun = z.boolean().optional().describe('Only count what it finds.');

export function exportTool(base: Tool): Tool {
  return {
    ...base,
    input: base.input.extend({ dry_run: dryRun }),
    prepare: (args) => {
      const { dry_run, ...given } = asRecord(args);
      const prepared = base.prepare(given);
      if (dry_run === undefined || dry_run === null || dry_run === false) return prepared;
      if (dry_run !== true) throw invalidArgument('dry_run', 'must be true or false');
      const { workspace, query, dataset, annotationGroup } = given;
      if (annotationGroup !== undefined && annotationGroup !== null) {
        throw invalidArgument('dry_run', 'does not count an annotationGroup: give dataset');
      }
      const project = typeof dataset === 'string' ? dataset : undefined;
      const wanted = { workspace: String(workspace), query: String(query), project };
      return { run: (context) => countImages(wanted, context) };
    },
  };
}
