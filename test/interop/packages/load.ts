// Loads a module from here, where the packages of other ages are. They stay in a folder of their
// own: one above would see their zod in place of ours.

/** Whatever the module exports; `specifier` begins with the name of a package. */
export async function loadModule(specifier: string): Promise<unknown> {
  return import(/* @vite-ignore */ specifier);
}
