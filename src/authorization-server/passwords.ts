// Passwords: what is a good one, and how it is kept (scrypt, RFC 7914).

import { randomBytes, type ScryptOptions, scrypt, timingSafeEqual } from 'node:crypto';
import { FoveaError, invalidArgument } from '../errors.ts';
import { limits } from '../limits.ts';
import type { Secret } from '../secret.ts';
import { Semaphore } from '../semaphore.ts';

/**
 * A password as it is kept: `scrypt$N$r$p$salt$hash`. Throws `invalid_input` for one that is too
 * short or too long.
 */
export async function hashPassword(password: Secret): Promise<string> {
  const { length } = [...spelled(password)];
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
 * Whether this is the password that was kept. Without a kept one it answers false, after as much
 * work. Throws `internal` for what no `hashPassword` wrote.
 */
export async function isPassword(
  kept: string | undefined,
  password: Secret,
  network: string,
): Promise<boolean> {
  const { options, salt, hash } = kept === undefined ? nobody : parse(kept);
  const found = await derive(password, salt, options, network);
  return timingSafeEqual(found, hash) && kept !== undefined;
}

/** OWASP's choice with less memory; 32 MiB and some 0.1 s each. */
const cost = { N: 2 ** 15, r: 8, p: 1 };
const hashBytes = 32;
const nobody = { options: cost, salt: Buffer.alloc(16), hash: Buffer.alloc(hashBytes) };

/** Each takes 32 MiB and a thread, so that many at once would be an attack. */
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
  // What the parameters need, and as much again.
  const maxmem = 256 * options.N * options.r;
  const work = () => scryptOf(spelled(password), salt, { ...options, maxmem });
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

/** The same characters, however the keyboard composed them. */
function spelled(password: Secret): string {
  return password.reveal().normalize('NFKC');
}

function parse(kept: string) {
  const [kind, N, r, p, salt = '', hash = ''] = kept.split('$');
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
