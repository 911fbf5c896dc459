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

/** The sign-in page that leads to that page afterwards. */
export function settingsSignIn(page: string): string {
  return `${settingsPaths.signIn}?to=${encodeURIComponent(page)}`;
}

/** The page to which the sign-in page at this address leads: one of ours, whatever it asks for. */
export function afterSettingsSignIn(address: string | undefined): string {
  const asked = URL.parse(address ?? '', 'http://localhost')?.searchParams.get('to');
  const { applications, connections, password } = settingsPaths;
  return [connections, password].find((page) => page === asked) ?? applications;
}
