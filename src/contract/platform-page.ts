// The platform's web page as an OAuth client of the sign-in service at the same address.

/** Known to every service that has such a page, and registered nowhere. */
export const pageClientId = 'fovea-page';
