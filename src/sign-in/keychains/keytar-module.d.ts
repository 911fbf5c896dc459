// That keytar may be there: an optional peer, which is not installed with Fovea.

declare module 'keytar' {
  const keytar: import('./keytar.ts').Keytar;
  export = keytar;
}
