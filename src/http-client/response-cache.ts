// Caches responses of operations that may be called only once per interval, and shares requests
// that run (single flight).

import { untilAborted } from '../abort.ts';
import type { Clock } from '../clock.ts';
import { FoveaError } from '../errors.ts';

export interface ResponseCache<T> {
  /**
   * The result of `ask`, or its result for the same key at most `intervalMs` ago. Concurrent calls
   * share one request, which is aborted only when all of them have given up. An error answer of the
   * service is cached too.
   */
  share(key: string, intervalMs: number, signal: AbortSignal, ask: Ask<T>): Promise<Aged<T>>;
}

export type Ask<T> = (signal: AbortSignal) => Promise<T>;

export interface Aged<T> {
  readonly value: T;
  /** 0 for a response to this call. */
  readonly ageMs: number;
}

interface SharedRequest<T> {
  readonly answer: Promise<T>;
  readonly give: AbortController;
  readonly intervalMs: number;
  waiting: number;
  /** Monotonic time of the response; undefined until it has come. */
  answeredAt: number | undefined;
}

export function createResponseCache<T>(clock: Clock): ResponseCache<T> {
  const questions = new Map<string, SharedRequest<T>>();
  const ageOf = ({ answeredAt }: SharedRequest<T>) =>
    answeredAt === undefined ? 0 : clock.monotonic() - answeredAt;
  const forgetOld = () => {
    for (const [key, question] of questions) {
      if (ageOf(question) >= question.intervalMs) questions.delete(key);
    }
  };
  const start = (key: string, intervalMs: number, ask: Ask<T>): SharedRequest<T> => {
    const give = new AbortController();
    const answer = ask(give.signal);
    const question: SharedRequest<T> = {
      answer,
      give,
      intervalMs,
      waiting: 0,
      answeredAt: undefined,
    };
    questions.set(key, question);
    const onAnswer = () => {
      question.answeredAt = clock.monotonic();
    };
    answer.then(onAnswer, (error) => {
      if (error instanceof FoveaError && error.upstream) onAnswer();
      else if (questions.get(key) === question) questions.delete(key);
    });
    return question;
  };
  return {
    share: async (key, intervalMs, signal, ask) => {
      forgetOld();
      const question = questions.get(key) ?? start(key, intervalMs, ask);
      const isOld = question.answeredAt !== undefined;
      question.waiting++;
      try {
        const value = await untilAborted(question.answer, signal);
        return { value, ageMs: isOld ? Math.max(1, ageOf(question)) : 0 };
      } catch (error) {
        throw isOld ? remembered(error, intervalMs - ageOf(question)) : error;
      } finally {
        question.waiting--;
        if (question.waiting === 0 && question.answeredAt === undefined) {
          question.give.abort();
          if (questions.get(key) === question) questions.delete(key);
        }
      }
    },
  };
}

function remembered(error: unknown, waitMs: number): unknown {
  if (!(error instanceof FoveaError) || !error.upstream) return error;
  const { code, message, upstream } = error;
  return new FoveaError(code, message, {
    hint: 'This is the last answer: it is too early to ask the service again.',
    retry: 'after',
    retryAfterSeconds: Math.max(1, Math.ceil(waitMs / 1000)),
    upstream,
  });
}
