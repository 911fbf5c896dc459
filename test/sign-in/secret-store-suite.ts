// What every store of secrets must do, each implementation alike. A store opened again is a process
// that starts anew.

import { expect, test } from 'vitest';
import { Secret } from '../../src/secret.ts';
import type { SecretStore } from '../../src/sign-in/secret-stores/secret-store.ts';

export interface SecretStoreCase {
  readonly open: () => Promise<SecretStore>;
  /** Whether what is written outlives the store. */
  readonly lasts: boolean;
}

/** Each test gets a place of its own from `make`. */
export function testSecretStore(make: () => Promise<SecretStoreCase>): void {
  const start = async () => {
    const place = await make();
    const store = await place.open();
    const again = async () => (place.lasts ? place.open() : store);
    return { store, again };
  };

  test('nothing is kept under a name that was never written', async () => {
    const { store } = await start();
    expect(await store.read('tokens:none')).toBe(undefined);
    await store.remove('tokens:none');
    await store.remove('tokens:none');
  });

  test.each(values)('a value comes back as it was: %s', async (_, value) => {
    const { store, again } = await start();
    await store.write('tokens:a', new Secret(value));
    expect((await (await again()).read('tokens:a'))?.reveal()).toBe(value);
    await store.remove('tokens:a');
    expect(await (await again()).read('tokens:a')).toBe(undefined);
  });

  test('names are told apart, also where they are alike', async () => {
    const { store, again } = await start();
    const names = ['tokens:a', 'tokens:A', 'tokens:a ', 'tokens:a#0', 'a/../b', 'ä'];
    for (const name of names) await store.write(name, new Secret(`of ${name}`));
    const other = await again();
    for (const name of names) expect((await other.read(name))?.reveal()).toBe(`of ${name}`);
    await other.remove('tokens:a');
    expect(await store.read('tokens:a')).toBe(undefined);
    expect((await store.read('tokens:A'))?.reveal()).toBe('of tokens:A');
    for (const name of names) await store.remove(name);
  });

  test('the last value wins: long, short, long again', async () => {
    const { store, again } = await start();
    for (const value of ['x'.repeat(20_000), 'short', 'y'.repeat(9_000), 'z'.repeat(9_001)]) {
      await store.write('tokens:a', new Secret(value));
      expect((await (await again()).read('tokens:a'))?.reveal()).toBe(value);
    }
    await store.remove('tokens:a');
    expect(await store.read('tokens:a')).toBe(undefined);
  });

  test('a reader finds one whole value while another one writes', async () => {
    const { store, again } = await start();
    const letters = [...'abcdefghij'];
    await store.write('tokens:a', new Secret('a'.repeat(4_000)));
    const reader = await again();
    const seen: (string | undefined)[] = [];
    const writing = (async () => {
      for (const letter of letters) await store.write('tokens:a', new Secret(letter.repeat(4_000)));
    })();
    for (let read = 0; read < 20; read++) seen.push((await reader.read('tokens:a'))?.reveal());
    await writing;
    const whole = letters.map((letter) => letter.repeat(4_000));
    expect(seen.filter((value) => value === undefined || !whole.includes(value))).toEqual([]);
    await store.remove('tokens:a');
  });
}

const values = [
  ['one letter', 'x'],
  ['an empty text', ''],
  ['a JWT', `${'eyJhbGciOi'.repeat(120)}.${'c'.repeat(1_500)}`],
  ['letters of all kinds', 'Schlüssel, ключ, 鍵, 🗝️, "quotes"\n\0 and\tcontrols '.repeat(40)],
  ['20 kB', 'k'.repeat(20_000)],
] as const;
