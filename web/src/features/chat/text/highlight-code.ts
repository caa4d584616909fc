import type { Element, Root } from 'hast';
import { refractor } from 'refractor';
import docker from 'refractor/docker';
import graphql from 'refractor/graphql';
import jsx from 'refractor/jsx';
import toml from 'refractor/toml';
import tsx from 'refractor/tsx';
import { visit } from 'unist-util-visit';

for (const language of [docker, graphql, jsx, toml, tsx]) refractor.register(language);

/** A plugin of rehype that gives the tokens of code blocks the classes of Prism, where it knows their language. */
export function highlightCode() {
  return (tree: Root): void => {
    visit(tree, 'element', (code, _index, parent) => {
      if (code.tagName !== 'code' || parent?.type !== 'element' || parent.tagName !== 'pre') return;
      const language = languageOf(code);
      const [text] = code.children;
      if (text?.type !== 'text' || !refractor.registered(language)) return;
      code.children = refractor.highlight(text.value, language).children.filter(isContent);
    });
  };
}

type Content = Element['children'][number];

function isContent(node: Root['children'][number]): node is Content {
  return node.type !== 'doctype';
}

function languageOf({ properties: { className } }: Element): string {
  const names = Array.isArray(className) ? className.map(String) : [];
  const name = names.find((one) => one.startsWith('language-')) ?? '';
  return name.slice('language-'.length).toLowerCase();
}
