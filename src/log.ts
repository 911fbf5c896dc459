// Writes log lines to stderr: stdout belongs to JSON-RPC.

import { isoTime, systemClock } from './clock.ts';

const levels = ['error', 'warn', 'info', 'debug'] as const;
export type LogLevel = (typeof levels)[number];

/** What a line may carry beside its message. Never a secret, never text from outside. */
export type LogFields = Readonly<Record<string, string | number | boolean | undefined>>;

export interface Log {
  error(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  debug(message: string, fields?: LogFields): void;
  /** The same log under the name of a part, for example `platform`. */
  part(name: string): Log;
}

export function isLogLevel(value: string): value is LogLevel {
  return levels.some((level) => level === value);
}

/** A log that writes `time level part: message key=value` lines. */
export function createLog(
  level: LogLevel = 'warn',
  write: (line: string) => void = (line) => process.stderr.write(line),
  name = 'fovea',
): Log {
  const limit = levels.indexOf(level);
  const line =
    (at: LogLevel) =>
    (message: string, fields: LogFields = {}) => {
      if (levels.indexOf(at) > limit) return;
      const pairs = Object.entries(fields).map(
        ([key, value]) => ` ${key}=${JSON.stringify(value)}`,
      );
      write(`${isoTime(systemClock.now())} ${at} ${name}: ${message}${pairs.join('')}\n`);
    };
  return {
    error: line('error'),
    warn: line('warn'),
    info: line('info'),
    debug: line('debug'),
    part: (part) => createLog(level, write, part),
  };
}
