import type { ClientBase, QueryConfig } from 'pg';

/** Statements kept prepared on each connection. */
const MOST_NAMES = 200;

/**
 * Makes a connection prepare repeated statements: the query builder gives a statement the same text
 * each time, and the server then parses it once.
 *
 * @param names of statements by text, for all connections of a pool; undefined for a text seen
 * once.
 */
export function prepareRepeated(client: ClientBase, names: Map<string, string | undefined>): void {
  const query = client.query.bind(client);
  const prepared = (config: unknown, ...rest: unknown[]): unknown =>
    Reflect.apply(query, client, [isUnnamed(config) ? named(config, names) : config, ...rest]);
  client.query = prepared as typeof client.query;
}

function isUnnamed(config: unknown): config is QueryConfig {
  if (typeof config !== 'object' || config === null || 'submit' in config) return false;
  return 'text' in config && (!('name' in config) || config.name === undefined);
}

function named(config: QueryConfig, names: Map<string, string | undefined>): QueryConfig {
  const { text } = config;
  if (!names.has(text)) {
    if (names.size < MOST_NAMES) names.set(text, undefined);
    return config;
  }
  const name = names.get(text) ?? `turnpike_${[...names.keys()].indexOf(text)}`;
  names.set(text, name);
  return { ...config, name };
}
