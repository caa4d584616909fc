import { describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import { refusalCategories, stopReasons } from '../reply/reply-plan.js';
import { failureNames } from './named-failures.js';
import { directiveNames, parseDirectives } from './parse-directives.js';

describe('parseDirectives', () => {
  it.each([
    ['[[tokens=200]]', { name: 'tokens', count: 200, gapMs: 0, firstMs: 0 }],
    ['[[tokens=200 gap=5 first=50]]', { name: 'tokens', count: 200, gapMs: 5, firstMs: 50 }],
    ['[[tool=read_file]]', { name: 'tool', tool: 'read_file', input: {} }],
    ['[[tool=a {"x":1}]]', { name: 'tool', tool: 'a', input: { x: 1 } }],
    ['[[tool=a{"x":1} ]]', { name: 'tool', tool: 'a', input: { x: 1 } }],
    ['[[tool=a\n{\n"x": [[1]]\n}\n]]', { name: 'tool', tool: 'a', input: { x: [[1]] } }],
    [
      String.raw`[[tool=a {"x":"]] } [[cite]] \" {","y":{"z":{}}}]]`,
      { name: 'tool', tool: 'a', input: { x: ']] } [[cite]] " {', y: { z: {} } } },
    ],
    [
      '[[loop=3 tool=list {"page":"$i"}]]',
      { name: 'loop', steps: 3, tool: 'list', input: { page: '$i' } },
    ],
    ['[[think=4]]', { name: 'think', count: 4 }],
    ['[[cite]]', { name: 'cite' }],
    ['[[stop=refusal]]', { name: 'stop', reason: 'refusal', category: 'general_harms' }],
    ['[[stop=refusal category=cyber]]', { name: 'stop', reason: 'refusal', category: 'cyber' }],
    [
      '[[stop=max_tokens step=2]]',
      { name: 'stop', reason: 'max_tokens', category: 'general_harms', step: 2 },
    ],
    ['[[fail=529]]', { name: 'fail', failure: 529 }],
    ['[[fail=spend_limit]]', { name: 'fail', failure: 'spend_limit' }],
    ['[[fail=429 retry=30]]', { name: 'fail', failure: 429, retryAfter: 30 }],
    ['[[fail=529 times=1]]', { name: 'fail', failure: 529, times: 1 }],
    ['[[fail=529 after=10 step=2]]', { name: 'fail', failure: 529, after: 10, step: 2 }],
    ['[[drop after=5]]', { name: 'drop', after: 5 }],
    ['[[drop]]', { name: 'drop', after: 0 }],
    ['[[stall=300]]', { name: 'stall', ms: 300 }],
    ['[[args=3]]', { name: 'args', count: 3 }],
    ['[[update=3]]', { name: 'update', count: 3 }],
    ['[[redact]]', { name: 'redact' }],
    [
      '[[tool=read {"file_path":"a"} step=2]]',
      { name: 'tool', tool: 'read', input: { file_path: 'a' }, step: 2 },
    ],
    ['[[empty step=2]]', { name: 'empty', step: 2 }],
    ['[[surrogate]]', { name: 'surrogate' }],
    ['[[output={"a":[1]}]]', { name: 'output', text: '{"a":[1]}' }],
    ['[[output=prose step=1]]', { name: 'output', text: 'prose', step: 1 }],
    [
      '[[server=web_search {"query":"x"}]]',
      { name: 'server', tool: 'web_search', input: { query: 'x' } },
    ],
  ])('reads %s', (text, expected) => {
    expect(parseDirectives(`before ${text} after`)).toEqual([expected]);
  });

  it.each(directiveNames.filter((name) => name !== 'loop'))('limits %s to a step', async (name) => {
    const guide = await readFile(
      new URL('../../docs/reference/rehearsal-directives.md', import.meta.url),
      'utf8',
    );
    const documented = new RegExp(`\\| \`\\[\\[(${name}\\b.*?)\\]\\]\` \\|`).exec(guide)?.[1];
    const example = documented?.replace('REASON', 'end_turn').replace('NAME', 'read');
    expect(parseDirectives(`[[${example} step=2]]`)).toMatchObject([{ name, step: 2 }]);
  });

  it('reads several, in order, anywhere in the text', () => {
    const text = '[[think=1]]first [[tool=a {"q":"[[stop=refusal]]"}]]\n[[tool=b]][[cite]]';
    expect(parseDirectives(text).map((directive) => directive.name)).toEqual([
      'think',
      'tool',
      'tool',
      'cite',
    ]);
  });

  it.each([
    'no directive',
    'see [[Some Page]]',
    'see [[some page]]',
    'see [[Page]] and [[Page=x]]',
    'see [[two words|label]]',
    'matrix [[1,2],[3,4]]',
    'array [["tool=a"]]',
    'shell: if [[ -f x ]]; then',
    'open [[',
  ])('leaves plain text alone: %s', (text) => {
    expect(parseDirectives(text)).toEqual([]);
  });

  it.each([
    ['[[dance]]', 'Unknown directive [[dance]]'],
    ['[[dance=2]]', 'Unknown directive [[dance=2]]'],
    ['[[tokens]]', '[[tokens]]: write [[tokens=VALUE]]'],
    ['[[tokens=]]', 'Directive "[[tokens=]]" cannot be read'],
    ['[[tokens=many]]', '[[tokens=many]]: tokens must be a whole number from 1 to 1000000'],
    ['[[tokens=0]]', 'tokens must be a whole number'],
    ['[[tokens=1.5]]', 'tokens must be a whole number'],
    ['[[tokens=-1]]', 'tokens must be a whole number'],
    ['[[tokens=9999999999]]', 'tokens must be a whole number'],
    ['[[tokens=5 gap=fast]]', 'gap must be a whole number from 0'],
    ['[[tokens=5 speed=2]]', '"speed" is not a parameter of it. Allowed: gap, first'],
    ['[[tokens=5', 'Directive "[[tokens=5" cannot be read'],
    ['[[tokens=5 {"a":1}]]', 'only tool, loop, server and output take JSON'],
    ['[[cite=1]]', '"cite" takes no value'],
    ['[[tool={"a":1}]]', 'Directive "[[tool={'],
    ['[[tool=a {"x":}]]', 'Directive [[tool: its JSON cannot be read'],
    ['[[tool=a {"x":1]]', 'Directive [[tool: its JSON cannot be read'],
    ['[[tool=a {} {}]]', 'cannot be read'],
    ['[[tool=a.b]]', "it needs a tool's name"],
    ['[[loop=2]]', "it needs a tool's name"],
    ['[[loop=0 tool=a]]', 'loop must be a whole number from 1'],
    ['[[stop=tired]]', 'the reason must be one of end_turn, max_tokens'],
    ['[[fail=200]]', 'fail must be a whole number from 400 to 599'],
    ['[[fail=500 times=0]]', 'times must be a whole number from 1'],
    ['[[fail=hard]]', 'from 400 to 599 or one of spend_limit'],
    ['[[stop=refusal category=rude]]', 'one of cyber, bio'],
    ['[[stop=end_turn category=bio]]', 'only [[stop=refusal]] has a category'],
    ['[[output]]', 'write [[output={…}]] or [[output=WORD]]'],
    ['[[output=[1]]]', 'cannot be read'],
    ['[[stall=0]]', 'stall must be a whole number from 1'],
  ])('refuses %s', (text, message) => {
    expect(() => parseDirectives(`hello ${text}`)).toThrow(
      expect.objectContaining({
        type: 'invalid_request_error',
        status: 400,
        message: expect.stringContaining(message),
      }),
    );
  });
});

describe('docs/reference/rehearsal-directives.md', () => {
  const page = readFile(
    new URL('../../docs/reference/rehearsal-directives.md', import.meta.url),
    'utf8',
  );

  it.each(directiveNames)('has [[%s]]', async (name) => {
    expect(await page).toMatch(new RegExp(String.raw`^\| \`\[\[${name}[=\] ]`, 'm'));
  });

  it.each([...stopReasons, ...refusalCategories, ...failureNames])('has %s', async (word) => {
    expect(await page).toContain(`\`${word}\``);
  });

  it('has directives only that can be read', async () => {
    const shown = (await page).matchAll(/^\| `(\[\[.+?\]\])` \|/gm);
    const placeholders = ['[[stop=REASON]]', '[[fail=NAME]]'];
    const texts = [...shown]
      .map(([, text = '']) => text)
      .filter((text) => !placeholders.includes(text));
    expect(texts.length).toBeGreaterThan(15);
    for (const text of texts) expect(parseDirectives(text)).toHaveLength(1);
  });
});
