import { Injectable } from '@nestjs/common';
import { TypedError } from '../../errors/typed-error.js';
import { compact } from '../../platform/compact.js';
import type { StoredTrace } from '../../storage/shapes/stored-trace.js';
import { attributes, queueAttributes, spanNames } from '../../tracing/span-names.js';
import { Tracing } from '../../tracing/tracing.js';
import { SessionCloser } from '../lifecycle/session-closer.js';
import type { NewTurn } from './insert-turn.js';
import { TurnAdmitter, type Admission, type Admitted } from './turn-admitter.js';

/** Admits turns, each in the span that its first attempt is below. */
@Injectable()
export class TurnSender {
  constructor(
    private readonly tracing: Tracing,
    private readonly admitter: TurnAdmitter,
    private readonly closer: SessionCloser,
  ) {}

  /** Ends the turns of a session, held ones too, before a turn takes the place of one of them. */
  endReplaced(sessionId: string): Promise<void> {
    return this.closer.endTurns(sessionId, 'superseded');
  }

  /**
   * @param admission with the span of the request.
   * @returns as `TurnAdmitter.admit`. @throws as that.
   */
  async send(
    turn: NewTurn,
    { trace: parent, ...admission }: Admission & { trace: StoredTrace | undefined },
  ): Promise<Admitted | 'busy' | 'key-taken'> {
    const span = this.tracing.start(spanNames.send, {
      kind: 'producer',
      attributes: queueAttributes('send'),
      conversation: turn.sessionId,
      ...compact({ parent }),
    });
    try {
      const admitted = await this.admitter.admit({ ...turn, trace: span.trace }, admission);
      if (typeof admitted !== 'string') span.set({ [attributes.messageId]: admitted.turnId });
      return admitted;
    } catch (error) {
      span.fail(error instanceof TypedError ? error.type : '_OTHER');
      throw error;
    } finally {
      span.end();
    }
  }
}
