/**
 * An extension with a decision tree, a trigger and a tool. `docs/how-to/extensions.md` explains it.
 *
 *   TURNPIKE_EXTENSIONS=./examples/extensions/careful.mjs npm start
 */

const MAX_READS = 3;

/** @type {import('turnpike/extend').Extension} */
export default (turnpike) => {
  const { addDecisionTree, addTrigger, addTool, changeState, ToolFailure } = turnpike;

  // Ends a turn that has read enough files, and leaves every other decision to the standard tree.
  addDecisionTree('careful', (_config, standard) => {
    /** @param {import('turnpike/extend').AgentState} state */
    const readsOf = (state) => Number(state.extensions.reads ?? 0);
    return {
      getConfig: () => standard.getConfig(),
      onTurnStart: (state) => standard.onTurnStart(state),
      onToolResult: (before, result) => {
        const state = standard.onToolResult(before, result);
        const reads = readsOf(state) + (result.name === 'read' && !result.isError ? 1 : 0);
        return changeState(state, { extensions: { ...state.extensions, reads } });
      },
      shouldContinue: (state) => {
        const verdict = standard.shouldContinue(state);
        if (!verdict.shouldContinue || readsOf(state) < MAX_READS) return verdict;
        return {
          shouldContinue: false,
          reason: 'enough_read',
          explanation: `${MAX_READS} files were read, which is as many as this agent may read in a turn`,
        };
      },
    };
  });

  // Asks the model once a turn, before its second call, what it has found so far.
  addTrigger({
    id: 'show-your-work',
    levels: ['step'],
    check: ({ step }) => [
      {
        text: `Say in a sentence what you have found so far (after ${step} of your replies).`,
        metadata: { step },
      },
    ],
  });

  addTool({
    name: 'count_words',
    description: 'Counts the words of a text. Use it instead of counting yourself.',
    inputSchema: {
      type: 'object',
      properties: { text: { type: 'string', description: 'What to count in.' } },
      required: ['text'],
      additionalProperties: false,
    },
    effect: 'read',
    retry: 'safe',
    run: ({ text }) => {
      // The schema requires text, which types cannot express.
      const words = typeof text === 'string' ? (text.match(/\S+/g) ?? []) : [];
      if (words.length === 0) throw new ToolFailure('count_words: the text has no words');
      return `${words.length} words`;
    },
  });
};
