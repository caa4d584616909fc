import type { ClientBase, QueryConfig } from 'pg';
import type { StatementNames } from './statement-names.js';

/**
 * Makes a connection prepare repeated statements, which the server then parses once.
 *
 * @param names for all connections of a pool.
 */
export function prepareRepeated(client: ClientBase, names: StatementNames): void {
  const query = client.query.bind(client);
  const prepared = (config: unknown, ...rest: unknown[]): unknown =>
    Reflect.apply(query, client, [isUnnamed(config) ? named(config, names) : config, ...rest]);
  client.query = prepared as typeof client.query;
}

function isUnnamed(config: unknown): config is QueryConfig {
  if (typeof config !== 'object' || config === null || 'submit' in config) return false;
  return 'text' in config && (!('name' in config) || config.name === undefined);
}

function named(config: QueryConfig, names: StatementNames): QueryConfig {
  const name = names.nameOf(config.text);
  return name === undefined ? config : { ...config, name };
}
