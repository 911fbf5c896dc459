// Password hashes (scrypt, RFC 7914).

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { Semaphore } from '../semaphore.ts';

/** `scrypt$N$r$p$salt$hash`. Throws `invalid_input` for a password of the wrong length. */
export async function hashPassword(password: Secret): Promise<string> {
  const { length } = [...normalized(password)];
  const { passwordCharactersMin: min, passwordCharactersMax: max } = limits;
  if (length < min || length > max) {
    throw invalidArgument(
      'password',
      `must have ${min} to ${max} characters`,
      'A few random words are good.',
    );
  }
  const salt = randomBytes(16);
  const hash = await derive(password, salt, cost, 'new');
  return ['scrypt', cost.N, cost.r, cost.p, ...[salt, hash].map(base64url)].join('$');
}

/**
 * Whether the password matches the stored hash. Without a hash it returns false after the same
 * work. Throws `internal` for an unknown format.
 */
export async function verifyPassword(
  stored: string | undefined,
  password: Secret,
  network: string,
): Promise<boolean> {
  const { options, salt, hash } = stored === undefined ? unknownAccount : parse(stored);
  const found = await derive(password, salt, options, network);
  return timingSafeEqual(found, hash) && stored !== undefined;
}

/** OWASP's recommendation with less memory: 32 MiB and some 0.1 s each. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const hashBytes = 32;
const unknownAccount = { options: cost, salt: Buffer.alloc(16), hash: Buffer.alloc(hashBytes) };

/** Each takes 32 MiB and a thread, so their concurrency is limited. */
const checks = new Semaphore({
  permitsMax: limits.passwordChecksAtOnceMax,
  callerPermitsMax: limits.passwordChecksOfCallerMax,
});

async function derive(
  password: Secret,
  salt: Uint8Array,
  options: typeof cost,
  caller: string,
): Promise<Buffer> {
  // Twice what the parameters need.
  const maxmem = 256 * options.N * options.r;
  const work = () => scryptOf(normalized(password), salt, { ...options, maxmem });
  return checks.run(work, { caller: { name: caller } });
}

function scryptOf(password: string, salt: Uint8Array, options: ScryptOptions): Promise<Buffer> {
  const { promise, resolve, reject } = Promise.withResolvers<Buffer>();
  scrypt(password, salt, hashBytes, options, (error, key) => {
    if (error) reject(error);
    else resolve(key);
  });
  return promise;
}

/** The same text however the keyboard composed its characters. */
function normalized(password: Secret): string {
  return password.reveal().normalize('NFKC');
}

function parse(stored: string) {
  const [kind, N, r, p, salt = '', hash = ''] = stored.split('$');
  const options = { N: Number(N), r: Number(r), p: Number(p) };
  const bytes = Buffer.from(hash, 'base64url');
  if (kind !== 'scrypt' || bytes.length !== hashBytes || !(options.N > 1)) {
    throw new FoveaError('internal', 'The password of an account is kept in an unknown way.');
  }
  return { options, salt: Buffer.from(salt, 'base64url'), hash: bytes };
}

function base64url(bytes: Buffer): string {
  return bytes.toString('base64url');
}
