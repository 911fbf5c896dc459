// An access token of `fovea http`, got as a person gets one: an account, a password, a consent.

import { authorizationUrl, postForm, signedIn } from '../../test/fixtures/authorization-server.ts';
import { agree, openFormBrowser } from '../../test/fixtures/form-browser.ts';

type Run = (words: readonly string[], input?: string) => Promise<string>;

const redirectUri = 'http://127.0.0.1:8976/callback';
const password = 'a password of many words';
const scope =
  'openid workspace:read project:read project:create project:update image:read image:create ' +
  'folder:delete credentials:delete';

/** `run` runs a command of the release on the data of the service. */
export async function signInAsAda(url: string, run: Run): Promise<string> {
  await run(['account', 'add', 'ada', '--email', 'ada@example.com'], `${password}\n`);
  const id = await addApplication(run);
  const application = { id, secret: undefined, auth: 'none', redirectUri } as const;
  const asked = { scope, resource: `${url}/mcp` };
  const proof = authorizationUrl({ url }, application, asked);
  const final = await agree(openFormBrowser(), proof.url, { name: 'ada', password });
  const answer = await postForm(`${url}/oauth/token`, application, {
    grant_type: 'authorization_code',
    code: final.searchParams.get('code') ?? '',
    redirect_uri: redirectUri,
    code_verifier: proof.verifier,
  });
  return signedIn(answer).accessToken;
}

/** A public MCP client; gives its id. */
async function addApplication(run: Run): Promise<string> {
  const words = ['application', 'add', '--name', 'Attacks', '--redirect-uri', redirectUri];
  const said = await run([...words, '--auth', 'none', '--desktop', '--mcp']);
  const [, id] = /^client_id: (\S+)$/m.exec(said) ?? [];
  if (id === undefined) throw new Error(`no application: ${said}`);
  return id;
}
