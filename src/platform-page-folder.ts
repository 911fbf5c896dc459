// Where the files of the platform's web page lie: the platform serves them, and the pages inside
// hosts of MCP are made of them.

/** In a release the folder lies beside the part that this file is bundled into. */
export const platformPageFolder = new URL('./platform/platform-page/', import.meta.url);
