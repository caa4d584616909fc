import type { PermissionMode, SDKMessage } from './sdk-messages.js';

/** Methods that there are not, with what to do. */
export const refusedMethods = {
  accountInfo: 'client.me says who the caller is',
  applyFlagSettings: 'give the options to the next query',
  initializationResult: 'the first message of each turn has it',
  mcpServerStatus: 'client.mcpServers has it',
  reconnectMcpServer: 'the server connects again by itself',
  rewindFiles: 'keep the folder under version control',
  setMaxThinkingTokens: 'give effort to the next query',
  setMcpServers: 'give mcpServers to a new query',
  stopTask: 'interrupt ends the turn with its subagents',
  streamInput: 'give an iterable prompt',
  supportedAgents: 'client.agents has them',
  supportedCommands: 'client.sessions.prompts has the prompts of MCP servers',
  supportedModels: 'client.models has them',
  toggleMcpServer: 'give mcpServers to a new query',
} as const;

export type RefusedMethods = {
  readonly [Name in keyof typeof refusedMethods]: () => Promise<never>;
};

/**
 * A query that runs: its messages, read with `for await`. Leaving the loop ends the turn; a process that dies does not.
 */
export interface Query extends AsyncGenerator<SDKMessage, void, undefined>, RefusedMethods {
  /** Ends the turn that runs; its result follows, and the next message of an iterable prompt runs. */
  interrupt(): Promise<void>;
  /** Ends the turn and the query. Nothing follows. */
  close(): void;
  /** Sets the model of the turns to come. @param model absent: the server's. */
  setModel(model?: string): Promise<void>;
  /** Sets the mode of the turns to come; questions of the turn that runs are decided by it, too. */
  setPermissionMode(mode: PermissionMode): Promise<void>;
}
