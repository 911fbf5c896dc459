// Opens a URL in the person's browser.

import { spawn } from 'node:child_process';
import { environmentOfOthers } from '../environment.ts';
import { thisMachine } from '../machine.ts';
import { isPlainLoopback } from '../network/loopback.ts';

/** False: no browser here, or an address that is not fit to be opened. */
export type OpenBrowser = (address: string) => boolean;

/** `isOff`: nothing is ever opened (FOVEA_NO_BROWSER). */
export function createBrowser(isOff: boolean): OpenBrowser {
  return (address) => {
    const clean = isOff ? undefined : cleanAddress(address);
    return clean !== undefined && launch(clean);
  };
}

/**
 * Opens a file of this machine in the browser. Its path is all that the arguments of other programs
 * show. False: no browser here.
 */
export function openFile(path: string, isOff: boolean): boolean {
  return !isOff && launch(path);
}

/**
 * The address with everything encoded that a shell would read: on Linux the browser is started by
 * scripts. Undefined unless it is https, or http on this machine, and names nobody.
 */
export function cleanAddress(address: string): string | undefined {
  const url = address.length > addressCharactersMax ? null : URL.parse(address);
  if (url === null || url.username || url.password) return undefined;
  if (url.protocol !== 'https:' && !isPlainLoopback(url)) return undefined;
  return url.href.replace(/[^\w\-.~:/?#[\]@&=+,%]/g, (character) => {
    const code = character.charCodeAt(0).toString(16).toUpperCase();
    return `%${code.padStart(2, '0')}`;
  });
}

const addressCharactersMax = 16_384;

/** No shell, no argument but the URL or path, none of our environment variables. */
function launch(address: string): boolean {
  const [command, ...words] = openers[thisMachine().platform] ?? ['xdg-open'];
  const child = spawn(command ?? 'xdg-open', [...words, address], {
    stdio: 'ignore',
    detached: true,
    shell: false,
    windowsHide: true,
    env: { ...environmentOfOthers() },
  });
  // A missing program is reported at once; later failures are ignored.
  child.once('error', () => undefined);
  child.unref();
  return child.pid !== undefined;
}

const openers: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['/usr/bin/open'],
  win32: ['rundll32', 'url.dll,FileProtocolHandler'],
};
