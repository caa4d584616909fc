import {
  betaEditTool,
  betaReadTool,
  betaWriteTool,
} from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { fromRunnableFactory } from '../from-runnable.js';

/**
 * The SDK's file tools, confined to the workdir through every symlink. A path that leaves it, or a
 * file over 256 KiB without a range, is an error for the model.
 */
export const readTool = fromRunnableFactory(({ workdir }) => betaReadTool({ workdir }), {
  effect: 'read',
  retry: 'safe',
});

export const writeTool = fromRunnableFactory(({ workdir }) => betaWriteTool({ workdir }), {
  effect: 'edit',
  retry: 'never',
});

export const editTool = fromRunnableFactory(({ workdir }) => betaEditTool({ workdir }), {
  effect: 'edit',
  retry: 'never',
});
