// One entry goes into a file, and every other letter stays; what cannot be told apart is refused.

import fc from 'fast-check';
import { parse as parseToml, stringify as stringifyToml } from 'smol-toml';
import { describe, expect, test } from 'vitest';
import { parse as parseYaml, stringify as stringifyYaml } from 'yaml';
import { writeMember } from '../../src/setup/config-text.ts';

const entry = { command: '/n', args: ['a'], env: { FOVEA_TOOL_PROFILE: 'compact' } };

describe('JSON', () => {
  const write = (text: string) => writeMember('json', text, ['mcpServers', 'fovea'], entry);
  const clean = (text: string) => writeMember('json', text, ['mcpServers', 'fovea'], undefined);

  test('comments stay on their lines, with tabs and a comma at the end as the file has them', () => {
    const before = `{
\t"a": 1, // one
\t"mcpServers": {
\t\t"x": {} // x
\t}, // all
}
`;
    expect(write(before)).toBe(`{
\t"a": 1, // one
\t"mcpServers": {
\t\t"x": {}, // x
\t\t"fovea": {
\t\t\t"command": "/n",
\t\t\t"args": [
\t\t\t\t"a"
\t\t\t],
\t\t\t"env": {
\t\t\t\t"FOVEA_TOOL_PROFILE": "compact"
\t\t\t}
\t\t}
\t}, // all
}
`);
    expect(clean(write(before))).toBe(before);
  });

  test('of an entry that is there, only what has to change does', () => {
    const before = `{
  "mcpServers": {
    "fovea": {
      "command": "old", // why
      "args": ["a"],
      "env": { "FOVEA_BASE_URL": "https://a.example" },
      "disabled": true
    }
  }
}`;
    expect(
      writeMember('json', before, ['mcpServers', 'fovea'], { command: '/n', args: ['a'] }),
    ).toBe(before.replace('"old"', '"/n"'));
  });

  test('a file on one line stays on one line', () => {
    const { command, args } = entry;
    expect(writeMember('json', '{"a":1}', ['mcpServers', 'fovea'], { command, args })).toBe(
      '{"a":1,"mcpServers": {"fovea":{"command":"/n","args":["a"]}}}',
    );
  });

  test.each([
    [
      'a group on one line',
      '{\n  "mcpServers": { "a": { "command": "x" } },\n  "b": 1\n}\n',
      '"x" } ',
      '"x" },"fovea": {"command":"/n","args":["a"]} ',
    ],
    [
      'an entry on one line',
      '{\n  "mcpServers": {\n    "fovea": { "command": "x", "args": ["a"] }\n  }\n}\n',
      '"x"',
      '"/n"',
    ],
  ])('%s stays so', (_what, before, old, now) => {
    const { command, args } = entry;
    const after = writeMember('json', before, ['mcpServers', 'fovea'], { command, args });
    expect(after).toBe(before.replace(old, now));
  });

  test.each([
    ['{ "a": ', 'is no JSON that can be read'],
    ['[]', 'does not hold settings by name'],
    ['"text"', 'does not hold settings by name'],
    ['{"mcpServers": []}', 'has something else than servers in "mcpServers"'],
    ['{"mcpServers": "none"}', 'has something else than servers in "mcpServers"'],
    ['{"mcpServers": {"a": 1}, "mcpServers": {}}', 'cannot extend safely'],
  ])('%s is refused', (text, why) => {
    expect(() => write(text)).toThrow(why);
  });

  test('a member named __proto__ is a member like others', () => {
    const text = '{\n  "__proto__": {},\n  "mcpServers": {\n    "__proto__": {}\n  }\n}\n';
    expect(write(text)).toContain('"__proto__": {},\n    "fovea": {');
    expect(clean(write(text))).toBe(text);
  });

  test('any file: what was in it is in it still, and taken out again it is the same file', () => {
    const settings = fc.dictionary(fc.string(), fc.jsonValue());
    fc.assert(
      fc.property(settings, fc.constantFrom('\t', '  ', '    ', ''), (before, indent) => {
        const text = `${JSON.stringify({ ...before, mcpServers: { a: before } }, null, indent)}\n`;
        const after = write(text);
        expect(JSON.parse(after)).toEqual(
          JSON.parse(JSON.stringify({ ...before, mcpServers: { a: before, fovea: entry } })),
        );
        if (indent !== '') expect(clean(after)).toBe(text);
      }),
    );
  });
});

describe('TOML', () => {
  const write = (text: string) => writeMember('toml', text, ['mcp_servers', 'fovea'], entry);
  const clean = (text: string) => writeMember('toml', text, ['mcp_servers', 'fovea'], undefined);

  test('a new table goes to the end, with the line ends of the file', () => {
    const before = '# mine\r\nmodel = "x" # y\r\n\r\n[mcp_servers.a]\r\ncommand = "z"';
    expect(write(before)).toBe(
      `${before}\r\n\r\n[mcp_servers.fovea]\r\ncommand = "/n"\r\nargs = [ "a" ]\r\n\r\n` +
        '[mcp_servers.fovea.env]\r\nFOVEA_TOOL_PROFILE = "compact"\r\n',
    );
  });

  test('of a table that is there, only the keys that differ change', () => {
    const before = `[mcp_servers.fovea]
# why
command = "old" # beside
args = [
  "x",
  "y", # c
]
enabled = false

[mcp_servers."fovea".env]
FOVEA_BASE_URL = "https://a.example"

[other]
args = ["stays"]
`;
    expect(write(before)).toBe(`[mcp_servers.fovea]
# why
command = "/n" # beside
args = [ "a" ]
enabled = false

[mcp_servers."fovea".env]
FOVEA_TOOL_PROFILE = "compact"
FOVEA_BASE_URL = "https://a.example"

[other]
args = ["stays"]
`);
  });

  test('variables that stand in braces stay there', () => {
    const before = '[mcp_servers.fovea]\ncommand = "/n"\nargs = ["a"]\nenv = { A = "1" }\n';
    expect(write(before)).toBe(
      before.replace('{ A = "1" }', '{ A = "1", FOVEA_TOOL_PROFILE = "compact" }'),
    );
  });

  test('a header within a text is none', () => {
    const before = 'a = """\n[mcp_servers.fovea]\n"""\n';
    expect(parseToml(write(before))).toMatchObject({
      a: '[mcp_servers.fovea]\n',
      mcp_servers: { fovea: entry },
    });
  });

  test.each([
    ['mcp_servers = { a = { command = "x" } }\n', 'cannot extend safely'],
    ['[mcp_servers]\nfovea = { command = "x" }\n', 'cannot extend safely'],
    ['mcp_servers.fovea.command = "x"\n', 'cannot extend safely'],
    ['[[mcp_servers]]\na = 1\n', 'has something else than servers'],
    ['a = \n', 'is no TOML that can be read'],
  ])('%j is refused', (text, why) => {
    expect(() => write(text)).toThrow(why);
  });

  test('any file: what was in it is in it still, and taken out again it is the same file', () => {
    const words = fc.dictionary(fc.stringMatching(/^\w{1,8}$/), fc.string(), { maxKeys: 4 });
    fc.assert(
      fc.property(words, words, (top, other) => {
        const text = stringifyToml({ top, mcp_servers: { a: other } });
        const after = write(text);
        expect(parseToml(after)).toEqual(
          parseToml(stringifyToml({ top, mcp_servers: { a: other, fovea: entry } })),
        );
        if (text.endsWith('\n')) expect(clean(after)).toBe(text);
      }),
    );
  });
});

describe('YAML', () => {
  const write = (text: string) => writeMember('yaml', text, ['extensions', 'fovea'], entry);
  const clean = (text: string) => writeMember('yaml', text, ['extensions', 'fovea'], undefined);

  test('comments, indentation and long lines stay', () => {
    const before = `# mine
extensions:
    developer:
        enabled: true   # yes
        args: ["a",   "b"]
        # of developer

# of Z
Z: "${'long '.repeat(40)}"
`;
    const at = before.indexOf('\n# of Z');
    const lines = `    fovea:
        command: /n
        args:
            - a
        env:
            FOVEA_TOOL_PROFILE: compact
`;
    expect(write(before)).toBe(before.slice(0, at) + lines + before.slice(at));
    expect(clean(write(before))).toBe(before);
  });

  test.each([
    ['A: 1', 'A: 1\nextensions:\n  fovea:\n'],
    ['# only words\n', '# only words\nextensions:\n  fovea:\n'],
    ['extensions:\nB: 1\n', 'extensions:\n  fovea:\n'],
    ['extensions: {}\nB: 1\n', 'extensions:\n  fovea:\n'],
  ])('%j gets the entry', (text, start) => {
    expect(write(text).startsWith(start)).toBe(true);
    expect(parseYaml(write(text))).toEqual({ ...parseYaml(text), extensions: { fovea: entry } });
  });

  test('of an entry that is there, only what has to change does', () => {
    const before =
      'extensions:\r\n  fovea:\r\n    command: old # why\r\n    enabled: false\r\n' +
      "    args: ['a']\r\n    env:\r\n      A: b\r\n  z:\r\n    a: 1\r\n";
    expect(write(before)).toBe(
      before
        .replace('old', '/n')
        .replace('      A: b\r\n', '      A: b\r\n      FOVEA_TOOL_PROFILE: compact\r\n'),
    );
  });

  test.each([
    ['extensions: {a: {b: 1}}\n', 'cannot extend safely'],
    ['extensions: [a]\n', 'has something else than servers'],
    ['- a\n', 'does not hold settings by name'],
    ['a: 1\n---\nb: 2\n', 'is no YAML that can be read'],
    ['a: [\n', 'is no YAML that can be read'],
  ])('%j is refused', (text, why) => {
    expect(() => write(text)).toThrow(why);
  });

  test('any file: what was in it is in it still, and taken out again it is the same file', () => {
    const words = fc.dictionary(fc.stringMatching(/^\w{1,8}$/), fc.string(), { maxKeys: 4 });
    fc.assert(
      fc.property(words, fc.constantFrom(2, 4), (top, indent) => {
        const text = stringifyYaml({ top, extensions: { a: { b: top, c: 1 } } }, { indent });
        const after = write(text);
        expect(parseYaml(after)).toEqual({
          top,
          extensions: { a: { b: top, c: 1 }, fovea: entry },
        });
        expect(clean(after)).toBe(text);
      }),
    );
  });
});
