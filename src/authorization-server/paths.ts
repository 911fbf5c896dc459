// Paths of the endpoints and pages.

/** API 24.1 to 24.8. */
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  userinfo: '/oauth/userinfo',
  jwks: '/.well-known/jwks.json',
} as const;

/** Path of a sign-in's pages, and of the library's interaction cookie. */
export function interactionPath(uid: string): string {
  return `/oauth/sign-in/${uid}`;
}

/** The settings pages of signed-in users. Their cookies are for `home` and all below it. */
export const settingsPaths = {
  home: '/settings',
  signIn: '/settings/sign-in',
  signOut: '/settings/sign-out',
  applications: '/settings/applications',
  connections: '/settings/connections',
  password: '/settings/password',
} as const;
