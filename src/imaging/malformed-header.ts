// The error of a header that is malformed; its message follows "it".

export class Malformed extends Error {}
