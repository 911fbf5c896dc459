// An agent that knows how each job can be done. It proves that the jobs can be done with the tools
// of the profile, and that their checks let a right end state through.

import { readFileSync } from 'node:fs';
import * as z from 'zod';
import { connectTo } from './connect.ts';
import { jobs } from './jobs.ts';

const config = z.object({
  mcpServers: z.object({
    fovea: z.object({
      command: z.string(),
      args: z.array(z.string()),
      env: z.record(z.string(), z.string()),
    }),
  }),
});

const { FOVEA_EVAL_JOB = '', FOVEA_EVAL_CONFIG = '', FOVEA_EVAL_FILES = '' } = process.env;
const job = jobs.find(({ name }) => name === FOVEA_EVAL_JOB);
if (job === undefined) throw new Error(`There is no job "${FOVEA_EVAL_JOB}".`);
const { mcpServers } = config.parse(JSON.parse(readFileSync(FOVEA_EVAL_CONFIG, 'utf8')));
const connection = await connectTo(mcpServers.fovea);
// A second time, where it is asked for: an agent that lost its memory half-way.
const times = Number(process.argv[2] ?? 1);
try {
  for (let time = 0; time < times; time += 1) await job.solve(connection.call, FOVEA_EVAL_FILES);
} finally {
  await connection.close();
}
