import { useEffect, useSyncExternalStore } from 'react';
import type { Options } from 'react-markdown';
import { ValueStore } from '../../app/value-store.js';

type Plugins = NonNullable<Options['rehypePlugins']>;

const none: Plugins = [];
const loaded = new ValueStore<Plugins>(none);
let isAsked = false;

/** The highlighter, loaded with the first code block: it is heavier than the rest of the page. */
export function useHighlighter(isNeeded: boolean): Plugins {
  useEffect(() => {
    if (!isNeeded || isAsked) return;
    isAsked = true;
    void load();
  }, [isNeeded]);
  const plugins = useSyncExternalStore(loaded.subscribe, loaded.get);
  return isNeeded ? plugins : none;
}

async function load(): Promise<void> {
  const { default: highlight } = await import('rehype-highlight');
  loaded.set([[highlight, { detect: false }]]);
}
