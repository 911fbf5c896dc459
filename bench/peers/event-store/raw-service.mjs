// The limit in Node for an upload: a raw body piped into a file, and the file synced before the
// answer.

import { createWriteStream } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const [folder, port] = process.argv.slice(2);

createServer(async (request, response) => {
  if (request.method === 'GET') return response.end('{}');
  const file = createWriteStream(join(folder, 'upload'), { flush: true });
  await pipeline(request, file);
  response.writeHead(201, { 'content-type': 'application/json' }).end('{}');
}).listen(Number(port), '127.0.0.1');
