// Node's own HTTP. An import of `node:http` reads all that it exports, and some of that Node loads
// only then: undici, HTTP/2 and web streams, some 10 MB.

export const http = process.getBuiltinModule('node:http');
