// The closed set of things that can go wrong. Edges (HTTP, MCP) turn a code into an answer.

/** When the same call may be made again. */
export type Retry = 'safe' | 'after' | 'never';

interface Code {
  /** The HTTP status with which our own services answer. */
  readonly status: number;
  readonly retry: Retry;
}

export const errorCodes = {
  invalid_input: { status: 400, retry: 'never' },
  /** Beside invalid_input where a service answers the two with different statuses. */
  bad_request: { status: 400, retry: 'never' },
  unauthenticated: { status: 401, retry: 'never' },
  forbidden: { status: 403, retry: 'never' },
  not_found: { status: 404, retry: 'never' },
  method_not_allowed: { status: 405, retry: 'never' },
  conflict: { status: 409, retry: 'never' },
  too_large: { status: 413, retry: 'never' },
  unsupported_media: { status: 415, retry: 'never' },
  rate_limited: { status: 429, retry: 'after' },
  cancelled: { status: 499, retry: 'safe' },
  internal: { status: 500, retry: 'never' },
  not_implemented: { status: 501, retry: 'never' },
  /** A host that we had to call failed, or answered what it should not have. */
  upstream_failed: { status: 502, retry: 'safe' },
  /** Nothing was sent: the host could not be reached. */
  unreachable: { status: 502, retry: 'safe' },
  /** Something that we need, such as a database server, does not answer for now. */
  unavailable: { status: 503, retry: 'after' },
  timed_out: { status: 504, retry: 'never' },
  full: { status: 529, retry: 'after' },
} as const satisfies Record<string, Code>;

export type ErrorCode = keyof typeof errorCodes;

/** One thing that is wrong with an input: where, and what would be right. */
export interface Problem {
  /** Dotted path from the argument on, for example `augmentation.crop.min`. */
  readonly path: string;
  /** What was found and what would be right, in our own words. */
  readonly message: string;
  /** What would make it right, where that is certain: the corrected call is made of it. */
  readonly fix?: Fix;
}

/** For the argument at the path of a problem. */
export type Fix =
  | { readonly kind: 'rename'; readonly to: string }
  | { readonly kind: 'replace'; readonly by: unknown }
  | { readonly kind: 'remove' };

/** A call that would be right. */
export interface CorrectedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** What another service said. Its words are data: fence them before a model sees them. */
export interface UpstreamError {
  readonly status: number;
  readonly message: string;
  readonly type?: string;
  readonly hint?: string;
}

/** Why a bearer token was not enough (RFC 6750 section 3.1), for the challenge of the answer. */
export interface Challenge {
  readonly error: 'invalid_token' | 'insufficient_scope';
  /** The scope that the call needs. */
  readonly scope?: string;
}

export interface ErrorDetails {
  readonly challenge?: Challenge;
  readonly hint?: string;
  readonly problems?: readonly Problem[];
  readonly retry?: Retry;
  readonly retryAfterSeconds?: number;
  readonly upstream?: UpstreamError;
  /**
   * True: a request left, and nobody knows what it did; false: none left; undefined: it was
   * answered, or none was made.
   */
  readonly wasSent?: boolean;
  /** Known where the mistake lies in how the call was made; else it is made of `fix`. */
  readonly corrected?: CorrectedCall;
  /** The kind of what is not there. */
  readonly missing?: string;
  readonly cause?: unknown;
}

/** Every error raised on purpose. `message` and `hint` are our own words, free of secrets. */
export class FoveaError extends Error {
  override readonly name = 'FoveaError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly problems: readonly Problem[];
  readonly retry: Retry;
  readonly retryAfterSeconds: number | undefined;
  readonly upstream: UpstreamError | undefined;
  readonly challenge: Challenge | undefined;
  readonly wasSent: boolean | undefined;
  readonly corrected: CorrectedCall | undefined;
  readonly missing: string | undefined;

  constructor(code: ErrorCode, message: string, details: ErrorDetails = {}) {
    super(message, details.cause === undefined ? undefined : { cause: details.cause });
    this.code = code;
    this.hint = details.hint;
    this.problems = details.problems ?? [];
    this.retry = details.retry ?? errorCodes[code].retry;
    this.retryAfterSeconds = details.retryAfterSeconds;
    this.upstream = details.upstream;
    this.challenge = details.challenge;
    this.wasSent = details.wasSent;
    this.corrected = details.corrected;
    this.missing = details.missing;
  }

  /** The HTTP status with which our own services answer this error. */
  get status(): number {
    return errorCodes[this.code].status;
  }
}

/** An input that cannot be accepted; all its problems at once. */
export function invalidInput(problems: readonly Problem[], hint?: string): FoveaError {
  const details = hint === undefined ? { problems } : { problems, hint };
  return new FoveaError('invalid_input', problemsText(problems), details);
}

/** All of them in one line. */
export function problemsText(problems: readonly Problem[]): string {
  const texts = problems.map(({ path, message }) => (path ? `${path}: ${message}` : message));
  return texts.join('; ');
}

/** One wrong argument. */
export function invalidArgument(path: string, message: string, hint?: string): FoveaError {
  return invalidInput([{ path, message }], hint);
}

/** A thing that is not there, or that this credential must not know of. */
export function notFound(kind: string, name: string | number, hint?: string): FoveaError {
  const message = `There is no ${kind} "${name}".`;
  return new FoveaError('not_found', message, { missing: kind, ...(hint && { hint }) });
}

/** Any thrown value as a FoveaError; what we did not foresee becomes `internal`. */
export function asFoveaError(thrown: unknown): FoveaError {
  if (thrown instanceof FoveaError) return thrown;
  if (thrown instanceof Error && thrown.name === 'AbortError') {
    return new FoveaError('cancelled', 'The call was cancelled.', { cause: thrown });
  }
  return new FoveaError('internal', 'Something failed inside Fovea.', { cause: thrown });
}

/** The `code` of an error of Node.js or the operating system, for example `ENOENT`. */
export function systemErrorCode(thrown: unknown): unknown {
  return thrown instanceof Error && 'code' in thrown ? thrown.code : undefined;
}

/** Where an error was thrown, innermost first: its stack without its words. */
export function framesOf({ stack = '' }: Error): readonly string[] {
  return stack.split('\n').flatMap((line) => /^\s+at (.*)$/.exec(line)?.[1] ?? []);
}
