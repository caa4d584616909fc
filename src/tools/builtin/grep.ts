import { resolve, sep } from 'node:path';
import { betaGrepTool, resolvePath } from '@anthropic-ai/sdk/tools/agent-toolset/node';
import { fromRunnableFactory } from '../from-runnable.js';
import type { ToolDefinition } from '../tool.js';

const sdkGrep = fromRunnableFactory(({ workdir }) => betaGrepTool({ workdir }), {
  effect: 'read',
  retry: 'safe',
  permissionArgument: { name: 'path', kind: 'path' },
});

/** The SDK's search (ripgrep where there is one), with paths relative to the workdir. */
export const grepTool: ToolDefinition = {
  ...sdkGrep,
  open: (context) => {
    const grep = sdkGrep.open(context);
    return {
      run: async (input, call) => {
        const found = await grep.run(input, call);
        // The SDK prints the workdir as given, or resolved where the input has a path.
        const roots = [resolve(context.workdir), await resolvePath(context, '.')];
        return found
          .split('\n')
          .map((line) => withoutRoot(line, roots))
          .join('\n');
      },
    };
  },
};

function withoutRoot(line: string, roots: readonly string[]): string {
  const root = roots.find((one) => line.startsWith(one + sep));
  return root === undefined ? line : line.slice(root.length + sep.length);
}
