// The URL of a PostgreSQL database, as a setting, and the schemas that Fovea has there.

import type { Parsed } from './parsed-setting.ts';
import { Secret } from './secret.ts';

export const databaseSchemas = { signIn: 'fovea_sign_in', platform: 'fovea_platform' } as const;

/** In plain words what would be right; the value is never repeated: it may hold a password. */
export function parseDatabaseUrl(text: string): Parsed<Secret> {
  // Without a host, as beside host=/run/postgresql, only others than URL take it for one.
  const parsed = URL.parse(text.replace('@/', '@localhost/'));
  if (parsed === null || !/^postgres(ql)?:$/.test(parsed.protocol) || !isDecodable(text)) {
    return {
      wrong:
        'must be the URL of a PostgreSQL database, for example ' +
        'postgres://user@db.example.com/fovea?sslmode=verify-full, with a password percent-encoded',
    };
  }
  // Else it would be one that has the name of the user.
  if (!/^\/[^/]+$/.test(parsed.pathname)) {
    return {
      wrong:
        'must name a database behind the host, for example ' +
        'postgres://user@db.example.com/fovea?sslmode=verify-full',
    };
  }
  const mode = parsed.searchParams.get('sslmode');
  if (mode !== null && !sslModes.includes(mode)) {
    return { wrong: `must have an sslmode that is one of: ${sslModes.join(', ')}` };
  }
  // Sessions have options of our own.
  if (parsed.searchParams.has('options')) return { wrong: 'must be without options=' };
  return { value: new Secret(text) };
}

/** Those that `pg` knows. */
const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify'];

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
