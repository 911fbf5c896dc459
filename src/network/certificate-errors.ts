// Errors of TLS certificates that this machine does not trust.

/** Whether an error code of a connection says so: trying again does not help. */
export function isUntrustedCertificate(code: unknown): boolean {
  return typeof code === 'string' && untrusted.test(code);
}

const untrusted = /^(CERT_|DEPTH_|ERR_TLS_|ERR_SSL_|SELF_SIGNED_|UNABLE_TO_)/;
