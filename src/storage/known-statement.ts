import { SQL, type QueryWithTypings } from 'drizzle-orm';
import { PgDialect } from 'drizzle-orm/pg-core';

const dialect = new PgDialect();

/**
 * Texts of statements that differ in their parameters alone. The query builder takes longer to build a statement of
 * many parameters than the driver to send it.
 */
export class KnownStatements {
  readonly #texts = new Map<string, string>();

  /**
   * @param key tells the statements apart.
   * @param params of the statement, in the order of its text.
   * @param build builds the statement of the key, for any values; called once.
   * @throws Error where the statement that was built has another number of parameters.
   */
  of(key: string, params: unknown[], build: () => SQL): SQL {
    return new KnownStatement(this.#texts.get(key) ?? this.#build(key, params, build), params);
  }

  #build(key: string, { length }: unknown[], build: () => SQL): string {
    const built = dialect.sqlToQuery(build());
    if (built.params.length !== length) {
      throw new Error(`Statement '${key}' has ${built.params.length} parameters, not ${length}`);
    }
    this.#texts.set(key, built.sql);
    return built.sql;
  }
}

/** A statement of which the query builder has nothing to build. */
class KnownStatement extends SQL {
  constructor(
    private readonly text: string,
    private readonly params: unknown[],
  ) {
    super([]);
  }

  override toQuery(): QueryWithTypings {
    return { sql: this.text, params: this.params };
  }
}
