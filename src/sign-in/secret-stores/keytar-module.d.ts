// Types of keytar, an optional peer that is not installed with Fovea.

declare module 'keytar' {
  const keytar: import('./keytar.ts').Keytar;
  export = keytar;
}
