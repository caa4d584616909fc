import { Injectable } from '@nestjs/common';
import type { TurnEvent } from '../../events/turn-event.js';
import { ConversationService } from '../../turn/history/conversation-service.js';
import { responseAfter } from './collect-response.js';
import type { ResponseItem } from './dialect/response-item.js';
import type { ResponseObject } from './dialect/response-object.js';
import type { FoundResponse } from './response-lookup.js';

/** Events read at a time. */
const AT_ONCE = 1_000;

/** Responses as they are now. */
@Injectable()
export class ResponseReader {
  constructor(private readonly turns: ConversationService) {}

  /** @throws TypedError STREAM_EXPIRED 410 where the events are kept no longer. */
  async read({ turn, wanted }: Pick<FoundResponse, 'turn' | 'wanted'>): Promise<ResponseObject> {
    return responseAfter(wanted, await this.#events(turn.id));
  }

  /** The items of responses of one turn. @throws as `read`. */
  async items(responses: readonly FoundResponse[]): Promise<readonly ResponseItem[]> {
    const [first] = responses;
    if (first === undefined) return [];
    const events = await this.#events(first.turn.id);
    return responses.flatMap(({ wanted }) => responseAfter(wanted, events).output);
  }

  async #events(turnId: string): Promise<TurnEvent[]> {
    const events: TurnEvent[] = [];
    let cursor: string | undefined;
    do {
      const page = await this.turns.log(turnId, { cursor, limit: AT_ONCE });
      events.push(...page.events);
      cursor = page.nextCursor;
    } while (cursor !== undefined);
    return events;
  }
}
