// The addresses of the service: its endpoints, and its pages for people.

/** The paths of the sign-in service: API 24.1 to 24.8. */
export const paths = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  userinfo: '/oauth/userinfo',
  jwks: '/.well-known/jwks.json',
} as const;

/** Where a sign-in asks its person. The library's cookie of it is for this path alone. */
export function interactionPath(uid: string): string {
  return `/oauth/sign-in/${uid}`;
}

/** The pages of whoever has an account. Their cookies are for `home` and all below it. */
export const settingsPaths = {
  home: '/settings',
  signIn: '/settings/sign-in',
  signOut: '/settings/sign-out',
  applications: '/settings/applications',
  password: '/settings/password',
} as const;
