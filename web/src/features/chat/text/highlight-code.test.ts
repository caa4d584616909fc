import { describe, expect, it } from '@jest/globals';
import type { Element, Root } from 'hast';
import { highlightCode } from './highlight-code.js';

/** A code block as rehype has it. */
function block(text: string, language?: string): Element {
  const className = language === undefined ? [] : [`language-${language}`];
  const code: Element = {
    type: 'element',
    tagName: 'code',
    properties: { className },
    children: [{ type: 'text', value: text }],
  };
  return { type: 'element', tagName: 'pre', properties: {}, children: [code] };
}

/** The children of its `code` as [classes, text] or text. */
function highlight(pre: Element): unknown[] {
  const tree: Root = { type: 'root', children: [pre] };
  highlightCode()(tree);
  const [code] = pre.children;
  if (code?.type !== 'element') throw new Error('The block has no code');
  return code.children.map((child) =>
    child.type === 'element' ? [child.properties['className'], textOf(child)] : textOf(child),
  );
}

function textOf(node: Element['children'][number]): string {
  if (node.type === 'text') return node.value;
  return node.type === 'element' ? node.children.map(textOf).join('') : '';
}

describe('highlightCode', () => {
  it.each(['ts', 'typescript', 'tsx', 'TypeScript'])('knows %s', (language) => {
    expect(highlight(block('let a', language))).toEqual([[['token', 'keyword'], 'let'], ' a']);
  });

  it.each([
    'bash',
    'sh',
    'html',
    'json',
    'python',
    'py',
    'yaml',
    'sql',
    'go',
    'rust',
    'toml',
    'graphql',
    'dockerfile',
    'diff',
    'csharp',
  ])('keeps the text of %s whole', (language) => {
    const text = '# "a": [1] <b> { "key": "value" }\n-old\n+new\n';
    const pre = block(text, language);
    highlight(pre);
    expect(textOf(pre)).toBe(text);
    expect(highlight(block(text, language)).some(Array.isArray)).toBe(true);
  });

  it.each([undefined, 'mermaid', 'no-language'])('leaves a block of %s as it is', (language) => {
    expect(highlight(block('let a', language))).toEqual(['let a']);
  });
});
