/** The pages of the manual, each loaded when it is opened. */
const pages = import.meta.glob<string>(
  ['../../../docs/*.md', '../../../docs/{guide,how-to,operate,reference,wires}/*.md'],
  {
    query: '?raw',
    import: 'default',
  },
);

const loaded = new Map<string, Promise<string | undefined>>();

/** Loads a page, as `guide/models`. @returns undefined where there is none. */
export function loadTopic(name: string): Promise<string | undefined> {
  const known = loaded.get(name);
  if (known !== undefined) return known;
  const load = pages[`../../../docs/${name}.md`];
  const text = load === undefined ? Promise.resolve(undefined) : load();
  loaded.set(name, text);
  return text;
}

/** The page that a link of another one leads to; undefined for any other link. Pure. */
export function resolveTopic(from: string, href: string): string | undefined {
  const place = new URL(href, `https://manual/${from}`);
  const name = /^\/(.+)\.md$/.exec(place.pathname)?.[1];
  if (place.host !== 'manual' || name === undefined) return undefined;
  return `../../../docs/${name}.md` in pages ? name : undefined;
}
