import {
  betaEditTool,
  betaReadTool,
  betaWriteTool,
} from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { fromRunnable } from '../from-runnable.js';

const permissionArgument = { name: 'file_path', kind: 'path' } as const;

/**
 * The SDK's file tools, confined to the workdir through every symlink. A path that leaves it, or a
 * file over 256 KiB without a range, is an error for the model.
 */
export const readTool = fromRunnable(({ workdir }) => betaReadTool({ workdir }), {
  effect: 'read',
  retry: 'safe',
  permissionArgument,
});

export const writeTool = fromRunnable(({ workdir }) => betaWriteTool({ workdir }), {
  effect: 'edit',
  retry: 'never',
  permissionArgument,
});

export const editTool = fromRunnable(({ workdir }) => betaEditTool({ workdir }), {
  effect: 'edit',
  retry: 'never',
  permissionArgument,
});
