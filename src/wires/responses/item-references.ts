import { Injectable } from '@nestjs/common';
import type { Principal } from '../../access/principal.js';
import { isTypedError } from '../../errors/typed-error.js';
import type { KnownItem } from './client-history.js';
import type { ResponseItem } from './dialect/response-item.js';
import { readItem, type InputItem } from './read-item.js';
import { ResponseLookup } from './response-lookup.js';
import { ResponseReader } from './response-reader.js';
import { itemNotFound } from './responses-errors.js';

const uuid = /_([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(?:_|$)/;

/** Items that a request names by their ids, as the responses that they are in have them. */
@Injectable()
export class ItemReferences {
  constructor(
    private readonly lookup: ResponseLookup,
    private readonly reader: ResponseReader,
  ) {}

  /** @throws TypedError TURN_NOT_FOUND 404 for an item of no response of the principal's; STREAM_EXPIRED 410. */
  async resolve(items: readonly InputItem[], principal: Principal): Promise<KnownItem[]> {
    const turns = new Map<string, readonly ResponseItem[]>();
    const known: KnownItem[] = [];
    for (const item of items) {
      if (item.kind !== 'reference') {
        known.push(item);
        continue;
      }
      const turnId = await this.#turnOf(item.id, principal);
      if (turnId === undefined) throw itemNotFound(item.id, `${item.field}.id`);
      const said = turns.get(turnId) ?? (await this.#itemsOf(turnId, principal));
      turns.set(turnId, said);
      const named = said.find(({ id }) => id === item.id);
      if (named === undefined) throw itemNotFound(item.id, `${item.field}.id`);
      const read = readItem(named, item.field);
      if (read.kind !== 'reference') known.push(read);
    }
    return known;
  }

  /** The turn that an item's id names: the ids of calls and questions have that of their approval. */
  async #turnOf(id: string, principal: Principal): Promise<string | undefined> {
    const key = uuid.exec(id)?.[1];
    if (key === undefined) return undefined;
    if (!/(^|_)appr_/.test(id)) return `turn_${key}`;
    return (await this.lookup.findAsking(`appr_${key}`, principal))?.id;
  }

  /** The items of all responses of a turn. */
  async #itemsOf(turnId: string, principal: Principal): Promise<readonly ResponseItem[]> {
    try {
      return await this.reader.items(await this.lookup.all(turnId, principal));
    } catch (error) {
      if (isTypedError(error, 'TURN_NOT_FOUND')) return [];
      throw error;
    }
  }
}
