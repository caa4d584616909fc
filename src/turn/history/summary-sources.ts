import { Inject, Injectable } from '@nestjs/common';
import type { Requester } from '../../attachments/file-memory.js';
import { CONFIG, type Config } from '../../config/config.js';
import { TodoStore } from '../../notices/todo-store.js';
import { ModelCatalogue } from '../../provider/model-catalogue.js';
import { SessionStore } from '../../session/session-store.js';
import { DATABASE, type Database } from '../../storage/connection.js';
import type { ResolvedOptions } from '../../storage/shapes/stored-options.js';
import { ConversationFiles } from '../prompt/conversation-files.js';
import { FileShowers } from '../prompt/file-showers.js';
import { findCompaction } from '../prompt/find-compaction.js';
import { afterCompaction, namesOfFiles } from '../prompt/history-opener.js';
import { openFrame } from '../prompt/open-frame.js';
import { sentTurns } from '../prompt/sent-turns.js';
import { TranscriptBuilder } from '../prompt/transcript-builder.js';
import { loadSessionTurns } from '../state/stored-turn.js';
import { contextBefore } from '../state/turn-state.js';

/** Opens conversations for a summary that a client asks for. */
@Injectable()
export class SummarySources {
  constructor(
    @Inject(DATABASE) private readonly db: Database,
    @Inject(CONFIG) private readonly config: Pick<Config, 'maxTokens'>,
    private readonly sessions: SessionStore,
    private readonly todos: TodoStore,
    private readonly models: ModelCatalogue,
    private readonly showers: FileShowers,
    private readonly transcripts: TranscriptBuilder,
  ) {}

  /** @returns undefined where a conversation has nothing to summarise before its last turn. */
  async open(sessionId: string, options: ResolvedOptions, requester: Requester) {
    const before = await findCompaction(this.db, sessionId);
    const stored = await loadSessionTurns(this.db, sessionId);
    const turns = sentTurns(afterCompaction(stored, before?.throughTurnId), []);
    if (turns.length < 2) return undefined;
    const model = this.models.describe(options.model);
    // Turns of earlier versions stored no prefix: their summary is asked for without a prefix.
    const prefix = (await this.sessions.prefixOf(sessionId)) ?? { system: '', tools: [] };
    const unshown = this.transcripts.build(turns.slice(0, -1));
    const files = new ConversationFiles({
      open: (images) => this.showers.open(options, { sessionId, requester, images }),
      rules: () => options.model,
      turnId: '',
      emit: () => undefined,
    });
    const { maxTokens } = this.config;
    const source = {
      sessionId,
      contextTokens: Math.min(contextBefore(turns), model.contextWindow),
      summary: before?.summary,
      reason: 'requested' as const,
      turns: await files.show(unshown),
      todos: await this.todos.get(sessionId),
      files: namesOfFiles(stored),
      frame: openFrame(model, { options, prefix, maxTokens }),
    };
    return { source, price: model.price };
  }
}
