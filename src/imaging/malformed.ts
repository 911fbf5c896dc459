// Why a header cannot be read to its end: follows "it".

export class Malformed extends Error {}
