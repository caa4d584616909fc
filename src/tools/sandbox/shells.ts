import { Sandbox, type SandboxOptions, type ShellNeeds } from './sandbox.js';
import { bashArguments, bashEnvironment, bashFile, type ShellProgram } from './shell-program.js';

/** How this server runs commands, which it decides at its start. */
export type Shells =
  | (OpenShells & { kind: 'sandboxed'; network: boolean; weaknesses: readonly string[] })
  | (OpenShells & { kind: 'unsandboxed'; reason: string })
  | {
      kind: 'off';
      /** In a few words. */
      reason: string;
      /** For a model and its user: why, and what to do. */
      explanation: string;
    };

interface OpenShells {
  /** Of one command's output that is kept, in bytes. */
  outputBytes: number;
  /** @throws ToolFailure when no shell can be started in that folder. */
  program(folder: string, needs: ShellNeeds): Promise<ShellProgram>;
}

export interface ShellsOptions extends SandboxOptions {
  /** Whether commands run without a sandbox where there is none. */
  allowUnsandboxed: boolean;
  /** Characters of a tool's output. */
  outputLimit: number;
}

/** For the line that says what was cut, and the one with the exit code. */
const SPARE = 500;

/** Finds out how commands can be run here: in a sandbox, or as the operator decides. */
export async function openShells(options: ShellsOptions): Promise<Shells> {
  const outputBytes = Math.max(options.outputLimit - SPARE, SPARE);
  const found = await Sandbox.find(options);
  if (found.kind === 'bubblewrap') {
    const { sandbox } = found;
    return {
      kind: 'sandboxed',
      network: options.network,
      weaknesses: sandbox.weaknesses,
      outputBytes,
      program: (folder, needs) => sandbox.program(folder, needs),
    };
  }
  return options.allowUnsandboxed
    ? unsandboxedShells(found.reason, outputBytes)
    : shellsOff(found.reason);
}

/** Shells that may do whatever the server's user may. */
export function unsandboxedShells(reason: string, outputBytes: number): Shells {
  return {
    kind: 'unsandboxed',
    reason,
    outputBytes,
    program: async (folder, { env }) => ({
      file: bashFile,
      args: bashArguments,
      cwd: folder,
      env: { ...env, ...bashEnvironment },
      setUp: [],
    }),
  };
}

export function shellsOff(reason: string): Shells {
  const advice =
    'Install bubblewrap 0.8 or later where user namespaces are allowed, or set TURNPIKE_ALLOW_UNSANDBOXED_BASH=true to run commands without a sandbox.';
  return {
    kind: 'off',
    reason,
    explanation: `bash is off on this server: ${reason}. ${advice}`,
  };
}

/** In one line, for whoever starts the server. */
export function describeShells(shells: Shells): string {
  switch (shells.kind) {
    case 'sandboxed':
      return `in a sandbox, ${shells.network ? 'with' : 'without'} network`;
    case 'unsandboxed':
      return `WITHOUT a sandbox (${shells.reason})`;
    case 'off':
      return `off (${shells.reason}; see TURNPIKE_ALLOW_UNSANDBOXED_BASH)`;
  }
}

/** Injects how this process runs commands: its `Shells`. */
export const SHELLS = Symbol('Shells');
