import {
  parse,
  protocol,
  type PGlite,
  type QueryOptions,
  type Results,
} from '@electric-sql/pglite';

type Messages = Awaited<ReturnType<PGlite['execProtocolStream']>>;

interface Prepared {
  /** Types of the parameters, by their object ids. */
  types: number[];
  /** Description of the rows, which the answers to later executions lack. */
  rows: Messages;
}

const { serialize } = protocol;

/**
 * Makes the embedded engine prepare repeated statements, as a connection to a server does: the engine
 * parses and plans them once, and an execution is one call of the engine in place of six. Statements
 * of transactions are left as they are.
 */
export function prepareStatements(client: PGlite): void {
  const names = new StatementNames();
  const statements = new Map<string, Prepared>();
  const query = client.query.bind(client);

  const send = (...parts: Uint8Array[]): Promise<Messages> =>
    client.execProtocolStream(Buffer.concat(parts), { syncToFs: false });

  const prepare = async (name: string, text: string): Promise<Prepared> => {
    const described = await send(
      serialize.parse({ name, text }),
      serialize.describe({ type: 'S', name }),
      serialize.sync(),
    );
    const prepared = {
      types: parse.parseDescribeStatementResults(described),
      rows: described.filter((message) => message.name === 'rowDescription'),
    };
    statements.set(name, prepared);
    return prepared;
  };

  const run = async <T>(
    { name, text, values }: { name: string; text: string; values: unknown[] },
    options: QueryOptions | undefined,
  ): Promise<Results<T>> => {
    const { types, rows } = statements.get(name) ?? (await prepare(name, text));
    const encoded = values.map((value, index) => encode(client, value, types[index] ?? 0));
    const answer = await send(
      serialize.bind({ statement: name, values: encoded }),
      serialize.execute({}),
      serialize.sync(),
    );
    await client.syncToFs();
    const [results] = parse.parseResults([...rows, ...answer], client.parsers, options);
    return results as Results<T>;
  };

  client.query = async <T>(
    text: string,
    values: unknown[] = [],
    options?: QueryOptions,
  ): Promise<Results<T>> => {
    const name = names.nameOf(text);
    if (name === undefined) return query<T>(text, values, options);
    await client._checkReady();
    // As the engine's own `query` does: nobody's transaction may be open.
    return client._runExclusiveTransaction(() =>
      client._runExclusiveQuery(() => run<T>({ name, text, values }, options)),
    );
  };
}

/** A value as the engine's own `query` sends it. */
function encode(client: PGlite, value: unknown, type: number): string | null {
  if (value === null || value === undefined) return null;
  return (client.serializers[type] ?? String)(value);
}

/** Most statements that stay prepared. */
const MAX_NAMES = 200;

/**
 * Names of statements that are prepared: those whose text comes a second time. The query builder gives a
 * statement the same text each time.
 */
class StatementNames {
  readonly #names = new Map<string, string | undefined>();

  /** @returns undefined for a text that is seen for the first time, or is one too many. */
  nameOf(text: string): string | undefined {
    if (!this.#names.has(text)) {
      if (this.#names.size < MAX_NAMES) this.#names.set(text, undefined);
      return undefined;
    }
    const name = this.#names.get(text) ?? `turnpike_${[...this.#names.keys()].indexOf(text)}`;
    this.#names.set(text, name);
    return name;
  }
}
