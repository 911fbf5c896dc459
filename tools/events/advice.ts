// Adds the remedy to errors of the Event Store.

import { eventStore } from '../../src/contract/event-store.ts';
import { asFoveaError, type ErrorCode, FoveaError, invalidInput } from '../../src/errors.ts';
import { limits } from '../../src/limits.ts';
import { type Tool, type ToolContext, wrapped } from '../../src/mcp/tool.ts';
import { adviceOf } from './stats.ts';

/** The same tool, whose errors name a remedy. */
export function withAdvice(tool: Tool): Tool {
  return wrapped(tool, async (run, context) => {
    try {
      return await run();
    } catch (thrown) {
      context.signal.throwIfAborted();
      const error = asFoveaError(thrown);
      // Without a response of the store, the error is about the arguments or the connection.
      if (error.upstream === undefined) throw withToolWords(error);
      const hint = await hintFor(tool.name, error, context);
      throw withHint(error, hint);
    }
  });
}

async function hintFor(
  name: string,
  { code, hint }: FoveaError,
  context: ToolContext,
): Promise<string | undefined> {
  if (code === 'full') return hintForFull(context);
  return hints[name]?.[code] ?? hints.any?.[code] ?? hint;
}

type Hints = Readonly<Partial<Record<ErrorCode, string>>>;

const notOffered: Hints = {
  not_found: 'Only an Event Store of Fovea offers this: the one that is used is another.',
};

const hints: Readonly<Record<string, Hints>> = {
  events_stats: notOffered,
  events_ledger: notOffered,
  event_schemas_list: notOffered,
  any: {
    not_found: 'Find the id with events_list; events_ledger tells whether a cleanup removed it.',
  },
  events_create: {
    invalid_input: 'Correct the member that is named; event_schemas_list has all schemas.',
    too_large: 'Send fewer or smaller images, or raise MAX_RECORD_BYTES of the Event Store.',
  },
  events_attach_video: {
    conflict:
      'It is final: only drafts take files. Create the next event with draft true, and finalize last.',
    too_large: 'Cut or compress it, or raise MAX_VIDEO_UPLOAD_BYTES of the Event Store.',
    unsupported_media: 'Its content is no known video: events_attach_file takes any file.',
  },
  events_attach_file: {
    conflict:
      'It is final: only drafts take files. Create the next event with draft true, and finalize last.',
    too_large: 'Send a smaller file, or raise MAX_LOCAL_ONLY_UPLOAD_BYTES of the Event Store.',
  },
};

/** The store says what blocks it; the remedy follows from its figures. */
async function hintForFull({ client, signal }: ToolContext): Promise<string> {
  const timeoutMs = limits.doctorTimeoutMs;
  const stats = await client
    .call(eventStore.events_stats, {}, { signal, timeoutMs })
    .catch(() => undefined);
  const advice = stats ? adviceOf(stats.body) : [];
  const help = advice.length > 0 ? `To make room: ${advice.join(', or ')}. ` : '';
  return `${help}events_stats has the figures.`;
}

/** The argument `file` is base64 on the wire. */
function inToolWords(message: string): string {
  return message
    .replaceAll('inputBase64Image', 'inputFile')
    .replaceAll('base64Image', 'file')
    .replaceAll('base64_image', 'file');
}

/** Replaces wire names in our own errors by the names of the arguments. */
function withToolWords(error: FoveaError): FoveaError {
  if (error.code !== 'invalid_input') return error;
  const problems = error.problems.map(({ fix, ...problem }) => ({
    ...problem,
    message: inToolWords(problem.message),
    ...(fix && { fix: fix.kind === 'rename' ? { ...fix, to: inToolWords(fix.to) } : fix }),
  }));
  return invalidInput(problems, error.hint);
}

function withHint(error: FoveaError, hint: string | undefined): FoveaError {
  const { code, message, problems, retry, retryAfterSeconds, upstream, wasSent, cause } = error;
  return new FoveaError(code, message, {
    problems,
    retry,
    cause,
    ...(hint !== undefined && { hint }),
    ...(retryAfterSeconds !== undefined && { retryAfterSeconds }),
    ...(wasSent !== undefined && { wasSent }),
    ...(upstream && { upstream: { ...upstream, message: inToolWords(upstream.message) } }),
  });
}
