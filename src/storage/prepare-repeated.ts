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

/** Makes a connection prepare nothing: the next transaction may be at another connection of the server. */
export function prepareNothing(client: ClientBase): void {
  const query = client.query.bind(client);
  const unnamed = (config: unknown, ...rest: unknown[]): unknown =>
    Reflect.apply(query, client, [
      hasName(config) ? { ...config, name: undefined } : config,
      ...rest,
    ]);
  client.query = unnamed as typeof client.query;
}

function hasName(config: unknown): config is QueryConfig {
  return typeof config === 'object' && config !== null && 'name' in config && !('submit' in config);
}

function isUnnamed(config: unknown): config is QueryConfig {
  if (typeof config !== 'object' || config === null || 'submit' in config) return false;
  return 'text' in config && (!('name' in config) || config.name === undefined);
}

function named(config: QueryConfig, names: StatementNames): QueryConfig {
  const name = names.nameOf(config.text);
  return name === undefined ? config : { ...config, name };
}
