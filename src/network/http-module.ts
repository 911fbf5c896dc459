// Node's own HTTP. An import of `node:http` reads all that it exports, some of which Node loads only
// then: undici, HTTP/2 and web streams, which are 12 MB of memory and 30 ms.

export const http = process.getBuiltinModule('node:http');
