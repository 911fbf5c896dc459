// Which host names and addresses are this machine.

/**
 * Whether a host is always this machine: `localhost`, 127.0.0.0/8 or ::1, the last also with the
 * brackets of a URL. Takes the hostname of a parsed URL, an address of a socket, or what `--host`
 * says. False for names below `localhost`, for addresses for everybody, and for other spellings.
 */
export function isLoopbackHost(host: string): boolean {
  return /^(localhost|127(\.\d{1,3}){3}|::1|\[::1\])$/.test(host);
}

/**
 * The hosts for which redirect URIs may be plain http (API 24.16).
 * 127.0.0.2 and other spellings are not among them.
 */
export function isLoopbackName(hostname: string): boolean {
  return hostname === 'localhost' || hostname === '127.0.0.1' || hostname === '[::1]';
}

/** Plain http to a host that is always this machine. */
export function isPlainLoopback({ protocol, hostname }: URL): boolean {
  return protocol === 'http:' && isLoopbackHost(hostname);
}
